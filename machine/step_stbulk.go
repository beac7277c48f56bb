package machine

// maxStBulk is the largest size of st.bulk (PTX ISA 9.7.10, st.bulk).
const maxStBulk = 16777216

// storeBulk is st.bulk: it stores zeros, weakly and through the generic proxy, in no particular order.
func (st *stepper) storeBulk() {
	size := st.operand(&st.in.Src[0]).Lo
	if size%8 != 0 || size > maxStBulk {
		st.undefined("st-bulk-size", "st.bulk of %d bytes; the size must be a multiple of 8, at most %d", size, maxStBulk)
		return
	}
	if size == 0 {
		return
	}
	o, off, ok := st.locate(0, st.in.Space, int(size), 8)
	if !ok {
		return
	}
	if o.cta != st.info.cta {
		st.undefined("st-bulk-space", "st.bulk to %s; the address must lie in the shared memory of the executing CTA", st.m.rangeName(o, off, int(size)))
		return
	}
	k := st.rec.notes()
	defer func() { st.rec.fold(k, "writes ") }()
	first, n := o.cellRange(off, int(size))
	for c := first; c < first+n; c++ {
		info := &st.m.layout.cells[c]
		a := st.access(o, info.off, info.size)
		if !st.write(&a, make([]byte, info.size), nil, nil) {
			return
		}
	}
}
