package cat

import "sort"

// Session judges many executions that differ in a few names only, such as rf, co and sync_fence of
// the candidate executions of one program path. What does not depend on those is computed once.
// A Session is for one goroutine.
type Session struct {
	ev      *evaluator
	varying []int // nodes that depend on a varying name
	loops   []int // fixpoints that do
}

// Session starts a session on an environment. Between its calls the caller may replace in env what
// the varying names stand for, and change those sets and relations; all else must stay.
func (m *Model) Session(env *Env, varying ...string) *Session {
	names := map[string]bool{}
	for _, name := range varying {
		names[name] = true
	}
	s := &Session{ev: newEvaluator(m, env)}
	varies := make([]bool, len(m.nodes))
	depends := func(id int) bool { return id >= 0 && varies[id] }
	for changed := true; changed; { // names of a fixpoint come before its bodies
		changed = false
		for id, n := range m.nodes {
			now := (n.op == opFree || n.op == opDerived) && names[n.name]
			if n.op == opRec {
				for _, body := range m.loops[n.loop].bodies {
					now = now || depends(body)
				}
			} else {
				now = now || depends(n.a) || depends(n.b)
			}
			if now && !varies[id] {
				varies[id], changed = true, true
			}
		}
	}
	for id, v := range varies {
		if v {
			s.varying = append(s.varying, id)
		}
	}
	for k, loop := range m.loops {
		if anyOf(loop.names, depends) {
			s.loops = append(s.loops, k)
		}
	}
	return s
}

func anyOf(ids []int, f func(int) bool) bool {
	for _, id := range ids {
		if f(id) {
			return true
		}
	}
	return false
}

func (s *Session) reset() {
	for _, id := range s.varying {
		s.ev.done[id] = false
	}
	for _, k := range s.loops {
		s.ev.solved[k] = unsolved
	}
}

// Run is Model.Run on the environment as it is now.
func (s *Session) Run() ([]Check, map[string]Value, error) {
	s.reset()
	return s.ev.run()
}

// Consistent is Model.Consistent on the environment as it is now.
func (s *Session) Consistent() (bool, error) {
	s.reset()
	return s.ev.consistent()
}

// cheapestFirst returns the checks that are no flags, ordered by how much has to be computed.
func cheapestFirst(m *Model) []check {
	cost := func(root int) int {
		seen := map[int]bool{}
		var visit func(id int)
		visit = func(id int) {
			if id < 0 || seen[id] {
				return
			}
			seen[id] = true
			if n := m.nodes[id]; n.op != opRec {
				visit(n.a)
				visit(n.b)
			} else {
				for _, body := range m.loops[n.loop].bodies {
					visit(body)
				}
			}
		}
		visit(root)
		return len(seen)
	}
	var checks []check
	costs := map[int]int{}
	for _, c := range m.checks {
		if !c.flag {
			checks = append(checks, c)
			costs[c.node] = cost(c.node)
		}
	}
	sort.SliceStable(checks, func(i, j int) bool { return costs[checks[i].node] < costs[checks[j].node] })
	return checks
}
