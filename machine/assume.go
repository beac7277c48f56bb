package machine

import "ptxmc/model"

// Assumption is a reading of PTX on which a verdict rests.
type Assumption struct{ Name, Text string }

// AllAssumptions lists every assumption that a verdict may name (docs/semantics.md).
var AllAssumptions = []Assumption{
	{"A1", "instructions are issued in program order; a load may take its value later, but not behind what needs it, nor behind a fence, barrier, acquire, release, mbarrier or copy operation of its thread"},
	{"A3", "a grid start and griddepcontrol.wait cross all proxies but tensormap (PTX ISA 8.9.4 for API order; inferred for programmatic launches)"},
	{"A4", "complete-tx releases only the accesses of its own operation (PTX ISA 8.9.1.1)"},
	{"A5", "aligned 128-bit strong accesses of the generic and the async proxy do not tear each other (CUDA guide 4.6.6)"},
	{"A6", "a strong write of fitting scope is eventually seen by repeated strong reads (PTX ISA 8.6.1 across proxies; CUDA forward progress within one)"},
	{"A7", "elect.sync elects the lowest lane of its member mask (PTX ISA 9.7.15.17 leaves the choice open)"},
	{"A8", "wgmma and tcgen05.mma read the bytes that its descriptor spans from the start address, contiguous if it gives no stride (PTX ISA 9.7.16, matrix descriptor format)"},
	{"A9", "accesses of tensor memory are in order: it is not modelled, nor what tcgen05.fence, tcgen05.wait and the arrivals of commits order there"},
}

// Assumptions names those that a verdict about this program rests on.
func (m *Machine) Assumptions() []string {
	var copies, strongCopies, grids, elects, mmas, tensors bool
	for e := range m.codes {
		for i := range e.Code {
			tensors = tensors || e.Code[i].Op == model.TensorMMA || e.Code[i].Op == model.TensorLd
			mmas = mmas || e.Code[i].Op == model.MMAAsync || e.Code[i].Op == model.TensorMMA
			copies = copies || e.Code[i].Op == model.TryCancel || (e.Code[i].Op == model.AsyncStore || e.Code[i].Op == model.AsyncRed) && len(e.Code[i].Addrs) > 1
			elects = elects || e.Code[i].Op == model.Elect
			if e.Code[i].Op == model.BulkCopy {
				copies = copies || e.Code[i].Bulk.Completion == model.CompleteMBarrier
				strongCopies = strongCopies || e.Code[i].Sem.Strong() && e.Code[i].Bulk.Reduce == model.NoAtom
			}
		}
	}
	grids = len(m.grids) > 1
	out := []string{"A1"}
	if grids {
		out = append(out, "A3")
	}
	if copies && !m.Opts.OrderThroughCompletion {
		out = append(out, "A4")
	}
	if strongCopies {
		out = append(out, "A5")
	}
	out = append(out, "A6")
	if elects {
		out = append(out, "A7")
	}
	if mmas {
		out = append(out, "A8")
	}
	if tensors {
		out = append(out, "A9")
	}
	return out
}
