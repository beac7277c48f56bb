package ptx

import (
	"ptxmc/memmodel"
	"ptxmc/model"
)

// clusterForms are what CTAs of a cluster tell each other with: cluster barriers (PTX ISA 9.7.15.3),
// copies between their shared memories (9.7.10.28.4.1), asynchronous stores and reductions
// (9.7.10.12, 9.7.15.7).
var clusterForms = []form{
	{name: "barrier.cluster.arrive", op: model.ClusterArrive, slots: "sem=release@80|relaxed@80? aligned=aligned?", need: "78,90", pre: preClusterArrive,
		notes: map[string]string{"acquire": "an arrival releases and the wait acquires; use .release or .relaxed"}},
	{name: "barrier.cluster.wait", op: model.ClusterWait, slots: "sem=acquire@80? aligned=aligned?", need: "78,90", pre: preClusterWait,
		notes: map[string]string{
			"release": "the arrival releases and the wait acquires; use .acquire",
			"relaxed": "the wait always acquires; use .acquire, or nothing",
		}},

	{name: "cp.async.bulk", op: model.BulkCopy, need: "80,90",
		slots: "sem=weak@93,bulk128|relaxed@93,bulk128? scope? dst=shared::cluster src=shared::cta done=mbarrier::complete_tx::bytes type=b128@93,bulk128?",
		shape: "m m s:u32 m", pre: preBulkCluster},

	{name: "st.async", op: model.AsyncStore, need: "81,90",
		slots: "sem=weak? scope=cluster@87,100? space=shared::cluster? done=mbarrier::complete_tx::bytes vec=v2|v4? type=b32|b64|b128@92|u32|u64|s32|s64|f32|f64",
		shape: "m sv m", pre: preAsyncStore, notes: asyncNotes},
	{name: "st.async", op: model.AsyncStore, need: "87,100",
		slots: "mmio=mmio? sem=release scope=gpu|sys space=global? type=b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64",
		shape: "m s", pre: preAsyncRelease},
	{name: "red.async", op: model.AsyncRed, need: "81,90",
		slots: "sem=relaxed scope=cluster space=shared::cluster? done=mbarrier::complete_tx::bytes? op=and|or|xor|add|inc|dec|min|max type=b32|u32|s32|u64",
		shape: "m s m", fin: finAsyncRed, notes: asyncNotes},
	{name: "red.async", op: model.AsyncRed, need: "87,100",
		slots: "mmio=mmio? sem=release scope=gpu|sys space=global? op=add type=u32|s32|u64|s64",
		shape: "m s", pre: preAsyncRelease},
}

var asyncNotes = map[string]string{
	"shared::cta": "the destination is named in the window of the cluster; use .shared::cluster",
	"shared":      "the destination is named in the window of the cluster; use .shared::cluster",
	"bulk_group":  "these operations complete on an mbarrier; use .mbarrier::complete_tx::bytes",
}

// preClusterArrive sets the default .release, preClusterWait the default .acquire; both are of
// cluster scope.
func preClusterArrive(c *context) error {
	if !c.m.has("sem") {
		c.in.Sem = memmodel.Release
	}
	c.in.Scope = memmodel.Cluster
	return nil
}

func preClusterWait(c *context) error {
	c.in.Sem, c.in.Scope = memmodel.Acquire, memmodel.Cluster
	return nil
}

// preBulkCluster: shared memory is reached by the cluster at most.
func preBulkCluster(c *context) error {
	if c.in.Scope > memmodel.Cluster {
		return c.errorf(c.m["scope"].tok, "%s copies between shared memories with scope .%s; expected .cta or .cluster; change the scope", c.name, c.in.Scope)
	}
	return preBulk(c)
}

// preAsyncStore: the store is weak whether or not the scope of its completion is written.
func preAsyncStore(c *context) error {
	in := c.in
	in.Scope = memmodel.ScopeNone
	switch v := c.m["vec"]; {
	case in.Vec > 1 && in.Type == model.B128:
		return c.errorf(v.tok, "%s is a vector of 128-bit elements; expected no vector; remove .%s", c.name, v.text)
	case in.Vec*in.Type.Bits() > 128:
		return c.errorf(v.tok, "%s stores %d bits at once; expected at most 128; split it", c.name, in.Vec*in.Type.Bits())
	}
	return nil
}

// preAsyncRelease: an mmio operation has system scope.
func preAsyncRelease(c *context) error {
	if c.in.MMIO && c.in.Scope != memmodel.Sys {
		return c.errorf(c.m["mmio"].tok, "%s is not system-scope; expected .sys with .mmio; write %s.mmio.release.sys", c.name, c.f.name)
	}
	return nil
}

// asyncRedTypes are the types of each operation of red.async on shared memory.
var asyncRedTypes = map[model.AtomOp][]model.Type{
	model.AtomAnd: {model.B32},
	model.AtomOr:  {model.B32},
	model.AtomXor: {model.B32},
	model.AtomAdd: {model.U32, model.S32, model.U64},
	model.AtomInc: {model.U32},
	model.AtomDec: {model.U32},
	model.AtomMin: {model.U32, model.S32},
	model.AtomMax: {model.U32, model.S32},
}

func finAsyncRed(c *context) error {
	var names []string
	for _, t := range asyncRedTypes[c.in.AtomOp] {
		if t == c.in.Type {
			return nil
		}
		names = append(names, "."+t.String())
	}
	return c.errorf(c.m["type"].tok, "%s.%s does not exist for .%s; expected %s; change the type", c.f.name, c.m["op"].text, c.in.Type, list(names))
}
