package mbarrier

import (
	"fmt"
	"maps"
	"math/rand"
	"testing"

	"ptxmc/model"
)

// ref is the pseudo-code of the object with nothing folded: phases count up for ever, every report
// is kept, and the set of observed phases is explicit. Phase n's report is done[n].
type ref struct {
	v1                   bool
	primary, conditional int
	pending, expected    int
	tx                   int
	pred                 bool
	value                int
	done                 []report
	observed             map[int]bool
	unread               map[int]bool
	completed            bool // by the last operation
	lost                 bool
}

type report struct {
	pred  bool
	value int
}

func newRef(v1 bool, count int) *ref {
	return &ref{v1: v1, pending: count, expected: count, observed: map[int]bool{-1: true}, unread: map[int]bool{}}
}

func (r *ref) require(ok bool) {
	if !ok {
		panic(broken{})
	}
}

type broken struct{}

func (r *ref) check() {
	if r.pending != 0 || r.tx != 0 {
		return
	}
	r.completed = true
	r.lost = r.unread[r.primary-1]
	r.done = append(r.done, report{r.pred, r.value})
	r.unread[r.primary] = r.pred
	if !r.v1 || !r.pred {
		r.conditional++
	}
	r.primary++
	r.pred, r.value = false, 0
	r.pending = r.expected
}

func (r *ref) arriveOn(n int) {
	r.require(n > 0 && r.observed[r.primary-1])
	r.require(n <= r.pending)
	r.pending -= n
}

func (r *ref) expectTx(n int) {
	r.tx += n
	r.require(r.tx <= 1<<20-1)
	r.require(r.pending != 0 || r.tx != 0)
}

func (r *ref) drop(n int) {
	r.require(n > 0 && r.expected-n > 0)
	r.expected -= n
}

// try runs f on a copy and keeps the copy unless f broke a rule.
func (r *ref) try(f func(*ref)) (ok bool) {
	next := *r
	next.unread = maps.Clone(r.unread)
	next.completed, next.lost = false, false
	defer func() {
		switch p := recover(); p.(type) {
		case nil:
			*r, ok = next, true
		case broken:
			r.completed, r.lost = false, false
		default:
			panic(p)
		}
	}()
	f(&next)
	return
}

// step applies one random operation to both and returns its name.
func step(rng *rand.Rand, r *ref, b *Barrier) (name string, eff Effect, err error, ok bool) {
	count := rng.Intn(3)
	if rng.Intn(3) > 0 {
		count = 1
	}
	bytes := []int{0, 16, 16, 16, 32}[rng.Intn(5)]
	switch {
	case rng.Intn(40) == 0:
		bytes = 1<<20 - 17
	case r.tx != 0 && rng.Intn(3) > 0:
		bytes = max(r.tx, -r.tx)
	}
	c, n := uint32(count), uint32(bytes)
	switch k := rng.Intn(14); k {
	case 0:
		name = fmt.Sprintf("expect %d", bytes)
		ok = r.try(func(r *ref) { r.expectTx(bytes) })
		*b, err = b.ExpectTx(n)
	case 1, 2, 3:
		name = fmt.Sprintf("complete %d", bytes)
		ok = r.try(func(r *ref) { r.tx -= bytes; r.require(r.tx >= -(1<<20 - 1)); r.check() })
		*b, eff, err = b.CompleteTx(n)
	case 4, 5:
		name = fmt.Sprintf("arrive %d", count)
		ok = r.try(func(r *ref) { r.arriveOn(count); r.check() })
		*b, eff, err = b.Arrive(c)
	case 6:
		name = fmt.Sprintf("arrive-expect %d", bytes)
		ok = r.try(func(r *ref) { r.expectTx(bytes); r.arriveOn(1); r.check() })
		*b, eff, err = b.ArriveExpectTx(n)
	case 7:
		if rng.Intn(8) > 0 {
			count = 0 // seldom, or one participant is left at once
		}
		name = fmt.Sprintf("drop %d", count)
		ok = r.try(func(r *ref) { r.drop(count); r.arriveOn(count); r.check() })
		*b, eff, err = b.ArriveDrop(uint32(count))
	case 8:
		name = fmt.Sprintf("nocomplete %d", count)
		ok = r.try(func(r *ref) { r.arriveOn(count); r.require(r.pending != 0 || r.tx != 0) })
		*b, err = b.ArriveNoComplete(c)
	case 9:
		v := 1 << rng.Intn(8) * rng.Intn(2)
		name = fmt.Sprintf("report %d", v)
		ok = r.try(func(r *ref) { r.require(r.v1); r.pred = true; r.value |= v })
		*b, err = b.ReportOn(uint8(v))
	case 10, 11, 12:
		par := rng.Intn(2)
		took := k == 10
		name = fmt.Sprintf("wait parity %d predicate %t", par, took)
		ok = true
		r.completed, r.lost = false, false
		if b.TestParity(model.PhasePrimary, uint32(par)) {
			*b = b.Wait(model.PhasePrimary, took)
		}
		if r.primary&1 != par {
			r.observed[r.primary-1] = true
			if took {
				r.unread[r.primary-1] = false
			}
		}
	case 13:
		par := rng.Intn(2)
		name = fmt.Sprintf("wait conditional parity %d", par)
		ok = true
		r.completed, r.lost = false, false
		if b.TestParity(model.PhaseConditional, uint32(par)) {
			*b = b.Wait(model.PhaseConditional, false)
		}
		if last := r.primary - 1; r.conditional&1 != par && (last < 0 || !r.done[last].pred) {
			r.observed[last] = true
		}
	}
	return name, eff, err, ok
}

// TestPseudoCode compares random operation sequences with the unfolded pseudo-code.
func TestPseudoCode(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	completions, lost, broke := 0, 0, 0
	for run := 0; run < 4000; run++ {
		layout, count := uint8(rng.Intn(2)), 1+rng.Intn(4)
		r := newRef(layout == 1, count)
		b, err := Init(layout, uint32(count))
		if err != nil {
			t.Fatal(err)
		}
		type held struct {
			token      uint64
			phase      int
			pending    int
			noComplete bool
		}
		var tokens []held
		for i := 0; i < 60; i++ {
			before := b
			tokens = append(tokens, held{b.Token(), r.primary, r.pending, false}, held{b.NoCompleteToken(), r.primary, r.pending, true})
			name, eff, err, ok := step(rng, r, &b)
			last := report{}
			if r.primary > 0 {
				last = r.done[r.primary-1]
			}
			want := Barrier{
				Layout: layout, Phase: uint8(r.primary % 4), Conditional: uint8(r.conditional % 4),
				Expected: uint32(r.expected), Pending: uint32(r.pending), Tx: int32(r.tx),
				Report: r.pred, ReportValue: uint8(r.value), DoneReport: last.pred, DoneValue: uint8(last.value),
				Observed: r.observed[r.primary-1], ReportUnread: r.unread[r.primary-1],
			}
			wantEff := Effect{Completed: r.completed, Reported: r.completed && last.pred,
				ConditionalAdvanced: r.completed && !last.pred, LostReport: r.lost}
			if (err == nil) != ok || b != want || eff != wantEff {
				t.Fatalf("run %d op %d: %s on %s:\n got %s %v %v\nwant %s %v ok %t", run, i, name, before, b, eff, err, want, wantEff, ok)
			}
			if b.Layout == 0 && b.Phase != b.Conditional {
				t.Fatalf("v0: %s", b)
			}
			for _, h := range tokens {
				age := r.primary - h.phase
				got, err := b.TestState(h.token)
				if age < 4 && (got != (age == 1) || (err == nil) != (age < 2)) {
					t.Fatalf("token of phase %d in phase %d: %t, %v", h.phase, r.primary, got, err)
				}
				n, err := PendingCount(h.token)
				if counts := h.noComplete && layout == 0; (err == nil) != counts || counts && n != uint32(h.pending) {
					t.Fatalf("pending count of a token taken with %d: %d, %v", h.pending, n, err)
				}
			}
			if r.completed {
				completions++
			}
			if r.lost {
				lost++
			}
			if !ok {
				broke++
			}
		}
	}
	if completions < 4000 || lost < 100 || broke < 10000 {
		t.Errorf("the sequences are dull: %d completions, %d lost reports, %d rules broken", completions, lost, broke)
	}
}
