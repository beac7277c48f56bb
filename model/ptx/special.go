package ptx

import (
	"ptxmc/internal/spell"
	"strings"

	"ptxmc/model"
)

// specials are the special registers that the model knows (PTX ISA chapter 10); all are 32 bits.
var specials = map[string]model.Special{
	"%tid.x": model.TidX, "%tid.y": model.TidY, "%tid.z": model.TidZ,
	"%ntid.x": model.NTidX, "%ntid.y": model.NTidY, "%ntid.z": model.NTidZ,
	"%ctaid.x": model.CTAIDX, "%ctaid.y": model.CTAIDY, "%ctaid.z": model.CTAIDZ,
	"%nctaid.x": model.NCTAIDX, "%nctaid.y": model.NCTAIDY, "%nctaid.z": model.NCTAIDZ,
	"%cluster_ctaid.x": model.ClusterCTAIDX, "%cluster_ctaid.y": model.ClusterCTAIDY, "%cluster_ctaid.z": model.ClusterCTAIDZ,
	"%cluster_nctaid.x": model.ClusterNCTAIDX, "%cluster_nctaid.y": model.ClusterNCTAIDY, "%cluster_nctaid.z": model.ClusterNCTAIDZ,
	"%clusterid.x": model.ClusterIDX, "%clusterid.y": model.ClusterIDY, "%clusterid.z": model.ClusterIDZ,
	"%nclusterid.x": model.NClusterIDX, "%nclusterid.y": model.NClusterIDY, "%nclusterid.z": model.NClusterIDZ,
	"%cluster_ctarank": model.ClusterCTARank, "%cluster_nctarank": model.ClusterNCTARank,
	"%laneid": model.LaneID, "%warpid": model.WarpID, "%nwarpid": model.NWarpID,
	"%lanemask_eq": model.LaneMaskEQ, "%lanemask_le": model.LaneMaskLE, "%lanemask_lt": model.LaneMaskLT,
	"%lanemask_ge": model.LaneMaskGE, "%lanemask_gt": model.LaneMaskGT,
}

// unmodelledSpecials says why a special register of PTX has no value here.
var unmodelledSpecials = map[string]string{
	"%clock": clockReason, "%clock_hi": clockReason, "%clock64": clockReason,
	"%globaltimer": clockReason, "%globaltimer_lo": clockReason, "%globaltimer_hi": clockReason,
	"%smid": placeReason, "%nsmid": placeReason, "%gridid": placeReason,
	"%is_explicit_cluster": otherReason, "%current_graph_exec": otherReason,
	"%total_smem_size": otherReason, "%aggr_smem_size": otherReason, "%dynamic_smem_size": otherReason,
	"%reserved_smem_offset_begin": otherReason, "%reserved_smem_offset_end": otherReason,
	"%reserved_smem_offset_cap": otherReason,
}

const (
	clockReason = "time is nondeterministic and not modelled; remove the read, or count iterations instead"
	placeReason = "the placement of CTAs on the device is nondeterministic and not modelled; use %ctaid or %cluster_ctarank"
	otherReason = "it is known to PTX but not modelled by this version; pass the value as a kernel parameter"
)

// specialError explains why a name starting with % is no usable special register; nil if it does
// not look like one.
func (p *parser) specialError(t token, name string) error {
	if why, ok := unmodelledSpecials[name]; ok {
		return p.errorf(t, "special register %s has no value here; %s", name, why)
	}
	base, _, _ := strings.Cut(name, ".")
	if _, ok := specials[base+".x"]; ok {
		return p.errorf(t, "%s is not a scalar; expected %s.x, %s.y or %s.z; add the dimension", name, base, base, base)
	}
	if _, ok := specials[base]; ok {
		return p.errorf(t, "%s has no dimensions; expected %s; remove the suffix", name, base)
	}
	for _, prefix := range []string{"%pm", "%envreg", "%reserved_smem_offset_"} {
		if digits, ok := strings.CutPrefix(name, prefix); ok && digits != "" && strings.Trim(digits, "0123456789_") == "" {
			return p.errorf(t, "special register %s has no value here; %s", name, otherReason)
		}
	}
	var names []string
	for n := range specials {
		names = append(names, n)
	}
	for n := range unmodelledSpecials {
		names = append(names, n)
	}
	if near := spell.Nearest(name, names); near != "" && len(name) > 4 {
		return p.errorf(t, "%s is not declared and no special register; expected a special register or a declared register; did you mean %s?", name, near)
	}
	return nil
}
