package mbarrier

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ptxmc/model"
)

// script runs operations on one object, for tests: one operation a line, "name arguments". It
// returns a line for each: the new object and the effect, an answer, or the rule that was broken.
// A broken rule leaves the object as it was and the script goes on.
type script struct {
	b      Barrier
	tokens map[string]uint64
}

func (s *script) run(line string) (string, error) {
	f := strings.Fields(line)
	n := uint32(0)
	if len(f) > 1 {
		if v, err := strconv.ParseUint(f[1], 0, 32); err == nil {
			n = uint32(v)
		}
	}
	before := s.b
	var eff Effect
	var err error
	switch f[0] {
	case "init":
		var count uint64
		if count, err = strconv.ParseUint(f[2], 0, 32); err != nil {
			return "", err
		}
		var next Barrier
		if next, err = Init(uint8(n), uint32(count)); err == nil {
			s.b = next
		}
	case "expect":
		s.b, err = s.b.ExpectTx(n)
	case "complete":
		s.b, eff, err = s.b.CompleteTx(n)
	case "expect-arrival":
		s.b, err = s.b.ExpectArrival()
	case "arrive":
		s.b, eff, err = s.b.Arrive(n)
	case "arrive-expect":
		s.b, eff, err = s.b.ArriveExpectTx(n)
	case "drop":
		s.b, eff, err = s.b.ArriveDrop(n)
	case "drop-expect":
		s.b, eff, err = s.b.ArriveDropExpectTx(n)
	case "nocomplete":
		s.b, err = s.b.ArriveNoComplete(n)
	case "drop-nocomplete":
		s.b, err = s.b.ArriveDropNoComplete(n)
	case "report":
		s.b, err = s.b.ReportOn(uint8(n))
	case "token", "nocomplete-token":
		if s.tokens == nil {
			s.tokens = map[string]uint64{}
		}
		s.tokens[f[1]] = s.b.Token()
		if f[0] == "nocomplete-token" {
			s.tokens[f[1]] = s.b.NoCompleteToken()
		}
		return "ok", nil
	case "test":
		var ok bool
		if ok, err = s.b.TestState(s.tokens[f[1]]); err == nil {
			return fmt.Sprint(ok), nil
		}
	case "count":
		var c uint32
		if c, err = PendingCount(s.tokens[f[1]]); err == nil {
			return fmt.Sprint(c), nil
		}
	case "parity":
		return fmt.Sprintf("primary %t conditional %t", s.b.TestParity(model.PhasePrimary, n), s.b.TestParity(model.PhaseConditional, n)), nil
	case "wait", "wait-report":
		s.b = s.b.Wait(model.PhasePrimary, f[0] == "wait-report")
	case "wait-conditional":
		s.b = s.b.Wait(model.PhaseConditional, false)
	default:
		return "", fmt.Errorf("no operation %q", f[0])
	}
	if err != nil {
		var m *Misuse
		if !errors.As(err, &m) {
			return "", err
		}
		if s.b != before {
			return "", fmt.Errorf("%s: the object changed although a rule was broken", line)
		}
		return m.Error(), nil
	}
	if text := eff.String(); text != "" {
		return s.b.String() + ": " + text, nil
	}
	return s.b.String(), nil
}

// ops runs a script of operations separated by ";" and returns the last line.
func ops(t *testing.T, text string) string {
	t.Helper()
	var s script
	last := ""
	for _, line := range strings.Split(text, ";") {
		var err error
		if last, err = s.run(strings.TrimSpace(line)); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return last
}
