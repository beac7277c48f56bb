package machine

import (
	"fmt"

	"ptxmc/memmodel"
	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// This file holds the barrier of a cluster (PTX ISA 9.7.15.3). A round completes when every thread
// of the cluster that has not ended has arrived.

// clusterTurn is where a thread stands at the barrier of its cluster.
type clusterTurn uint8

const (
	clusterIdle    clusterTurn = iota
	clusterArrived             // the round is not complete yet
	clusterDone                // the round is complete; the thread has not waited for it yet
)

// clusterBarrier is what the arrivals of the current round bring, and what those of the last
// complete round brought. The next round cannot complete before everybody has waited for the last.
type clusterBarrier struct{ brought, done causal.View }

func (st *stepper) clusterArrive() {
	t, c := st.t, st.m.ctas[st.info.cta].cluster
	if t.cluster != clusterIdle {
		st.undefined("cluster-barrier-twice", "%s arrives at the barrier of its cluster again without having waited since its last arrival", st.m.threadName(st.ti))
		return
	}
	t.cluster = clusterArrived
	b := &st.s.clusters[c]
	b.brought = causal.Join(b.brought, st.clusterBrings())
	if st.rec != nil {
		st.rec.note("arrives at the barrier of the cluster (%s)", st.m.clusterMissing(st.s, c))
	}
	st.checkClusterBarrier(c)
}

// clusterBrings is what an arrival hands to those who wait: with .release all that came before it,
// with .relaxed what fences of cluster scope cover.
func (st *stepper) clusterBrings() causal.View {
	t, m := st.t, st.m
	if st.in.Sem.Releases() || m.Opts.Break == RuleClusterRelaxed {
		return t.view
	}
	v := t.sharedFence
	for sc := memmodel.Cluster; sc <= memmodel.Sys; sc++ {
		v = causal.Join(v, t.fences[sc])
	}
	if m.Opts.InitsArrive {
		for _, k := range t.view {
			if e := st.s.Mem.Events[k.Event]; e.Write && m.initEvent(e) {
				v = v.With(k.Event, k.Level)
			}
		}
	}
	return v
}

// checkClusterBarrier completes the round if nobody is missing.
func (st *stepper) checkClusterBarrier(c int) {
	m, s := st.m, st.s
	alive, arrived := m.clusterArrivals(s, c)
	if arrived < alive {
		return
	}
	b := &s.clusters[c]
	b.done, b.brought = b.brought, nil
	if alive == 0 {
		b.done = nil
		return
	}
	st.rec.note("the barrier of the cluster completes")
	m.eachOfCluster(s, c, func(ti int) {
		if ti == st.ti {
			st.t.cluster = clusterDone
			return
		}
		s.own(ti).cluster = clusterDone
	})
}

func (st *stepper) clusterWait() {
	s, t, c := st.s, st.t, st.m.ctas[st.info.cta].cluster
	if t.cluster == clusterIdle {
		st.undefined("cluster-barrier-no-arrival", "%s waits at the barrier of its cluster without having arrived", st.m.threadName(st.ti))
		return
	}
	t.cluster = clusterIdle
	b := &s.clusters[c]
	if st.m.Opts.Break != RuleClusterBarrier {
		t.view = causal.Join(t.view, b.done)
	}
	last := true
	st.m.eachOfCluster(s, c, func(ti int) { last = last && s.threads[ti].cluster != clusterDone })
	if last {
		b.done = nil
	}
}

// eachOfCluster calls f for the threads of a cluster that have not ended.
func (m *Machine) eachOfCluster(s *State, c int, f func(ti int)) {
	for _, cta := range m.clusters[c] {
		for _, ti := range m.ctas[cta].threads {
			if s.threads[ti].status != threadEnded {
				f(ti)
			}
		}
	}
}

func (m *Machine) clusterArrivals(s *State, c int) (alive, arrived int) {
	m.eachOfCluster(s, c, func(ti int) {
		alive++
		if s.threads[ti].cluster == clusterArrived {
			arrived++
		}
	})
	return alive, arrived
}

// clusterMissing says how many arrivals a round has.
func (m *Machine) clusterMissing(s *State, c int) string {
	alive, arrived := m.clusterArrivals(s, c)
	return fmt.Sprintf("%d of %d threads have arrived", arrived, alive)
}

// initEvent reports whether a write is an mbarrier.init.
func (m *Machine) initEvent(e *causal.Event) bool {
	in := &m.threads[e.Agent].code.entry.Code[e.Ref]
	return in.Op == model.MBarrier && in.MBar.Op == model.MBarInit
}
