package explore

import (
	"encoding/binary"
	"slices"

	"ptxmc/machine"
)

// move is one edge as it can be repeated: who moved and what was chosen.
type move struct {
	agent  machine.Agent
	choice []uint32
}

// edge is a transition with what fairness needs to know of it.
type edge struct {
	to   uint32
	info uint32
	via  uint32 // into the move book
}

// node is a stored state's place in the search tree.
type node struct {
	parent uint32
	depth  uint32
	via    uint32 // into the move book
	edges  []edge
	turn   uint32 // interned: agents of the persistent set that are enabled
	ready  uint32 // interned: all agents that are enabled
}

// edgeInfo is the interned part of edges.
type edgeInfo struct {
	moved   []int // agent numbers
	missed  []int // resources
	changed []int
}

// interner gives equal lists of integers one number.
type interner struct {
	ids   map[string]uint32
	lists [][]int
}

func newInterner() *interner { return &interner{ids: map[string]uint32{}} }

func (in *interner) id(list []int) uint32 {
	slices.Sort(list)
	list = slices.Compact(list)
	var key []byte
	for _, x := range list {
		key = binary.AppendUvarint(key, uint64(x))
	}
	if id, ok := in.ids[string(key)]; ok {
		return id
	}
	id := uint32(len(in.lists))
	in.ids[string(key)] = id
	in.lists = append(in.lists, slices.Clone(list))
	return id
}

// infoTable interns edge infos.
type infoTable struct {
	ids   map[[3]uint32]uint32
	infos []edgeInfo
	sets  *interner
}

func newInfoTable() *infoTable {
	return &infoTable{ids: map[[3]uint32]uint32{}, sets: newInterner()}
}

func (t *infoTable) id(moved, missed, changed []int) uint32 {
	key := [3]uint32{t.sets.id(moved), t.sets.id(missed), t.sets.id(changed)}
	if id, ok := t.ids[key]; ok {
		return id
	}
	id := uint32(len(t.infos))
	t.ids[key] = id
	t.infos = append(t.infos, edgeInfo{t.sets.lists[key[0]], t.sets.lists[key[1]], t.sets.lists[key[2]]})
	return id
}

// moveBook stores moves compactly; a move is found again by its offset.
type moveBook struct{ data []byte }

func (b *moveBook) add(mv move) uint32 {
	at := uint32(len(b.data))
	b.data = append(b.data, byte(mv.agent.Kind))
	b.data = binary.AppendUvarint(b.data, uint64(mv.agent.Index))
	b.data = binary.AppendUvarint(b.data, uint64(len(mv.choice)))
	for _, c := range mv.choice {
		b.data = binary.AppendUvarint(b.data, uint64(c))
	}
	return at
}

func (b *moveBook) get(at uint32) move {
	d := b.data[at:]
	mv := move{agent: machine.Agent{Kind: machine.AgentKind(d[0])}}
	d = d[1:]
	next := func() int {
		v, n := binary.Uvarint(d)
		d = d[n:]
		return int(v)
	}
	mv.agent.Index = next()
	for range next() {
		mv.choice = append(mv.choice, uint32(next()))
	}
	return mv
}
