package ptx

import (
	"ptxmc/memmodel"
	"ptxmc/model"
)

// preFence sets the default .acq_rel of fence (PTX ISA 9.7.15.4).
func preFence(c *context) error {
	if !c.m.has("sem") {
		c.in.Sem = memmodel.AcqRel
	}
	return nil
}

// preMembar maps membar to fence.sc, its meaning on sm_70 and later.
func preMembar(c *context) error {
	c.in.Sem, c.in.Scope = memmodel.SC, scopes[c.m["level"].text]
	return nil
}

func preProxy(c *context) error {
	c.in.ProxyFence = model.ProxyFence{Proxy: memmodel.Async, Space: spaces[c.m["pspace"].text], Sem: sems[c.m["psem"].text]}
	if c.m.has("sr") {
		c.in.ProxyFence.Space = c.in.SyncRestrict
	}
	return nil
}

func preAlias(c *context) error {
	c.in.ProxyFence.Alias = true
	return nil
}

// preBar: bar is barrier with .aligned (PTX ISA 9.7.15.1).
func preBar(c *context) error {
	c.in.Aligned = true
	return nil
}

func finBar(c *context) error {
	if o := c.ops[0]; o.kind == opConst && o.c.bits > 15 {
		return c.errorf(o.tok, "barrier %s does not exist; expected 0 to 15; choose another", o.tok.text)
	}
	return nil
}

// electOperand decodes d|p of elect.sync.
func (c *context) electOperand(o operand) error {
	if o.kind != opPair {
		return c.errorf(o.tok, "destination of elect.sync is %s; expected d|p or _|p; write both", o.describe())
	}
	lane, err := c.dest(o.elems[0], model.B32, true)
	if err != nil {
		return err
	}
	p, err := c.dest(o.elems[1], model.Pred, false)
	c.in.Dst = []model.Operand{lane, p}
	return err
}

// preMBar checks what the mbarrier instructions have in common (PTX ISA 9.7.15.16): .sem and
// .scope stand together, and have defaults.
func preMBar(op model.MBarOp) func(*context) error {
	return func(c *context) error {
		in, m := c.in, c.m
		in.MBar.Op = op
		if m["layout"].text == "layout::v1" {
			in.MBar.Layout = 1
		}
		if m.has("sem") != m.has("scope") {
			if m.has("sem") {
				return c.errorf(m["sem"].tok, "%s.%s has no scope; expected .sem and .scope together; add .cta or .cluster", c.f.name, m["sem"].text)
			}
			return c.errorf(m["scope"].tok, "%s has scope .%s but no ordering; expected .sem and .scope together; add %s before it", c.f.name, m["scope"].text, semChoice(op))
		}
		switch op {
		case model.MBarArrive, model.MBarArriveDrop:
			return preArrive(c)
		case model.MBarTestWait, model.MBarTryWait:
			return preWait(c)
		case model.MBarExpectTx, model.MBarCompleteTx:
			c.orderDefault(memmodel.Relaxed)
		}
		return nil
	}
}

func semChoice(op model.MBarOp) string {
	switch op {
	case model.MBarArrive, model.MBarArriveDrop:
		return ".release or .relaxed"
	case model.MBarTestWait, model.MBarTryWait:
		return ".acquire or .relaxed"
	}
	return ".relaxed"
}

func (c *context) orderDefault(sem memmodel.Sem) {
	if !c.m.has("sem") {
		c.in.Sem, c.in.Scope = sem, memmodel.CTA
	}
}

func preArrive(c *context) error {
	in, m := c.in, c.m
	c.orderDefault(memmodel.Release)
	in.MBar.ExpectTx, in.MBar.NoComplete = m.has("tx"), m.has("nocomplete")
	switch {
	case in.MBar.ExpectTx && in.MBar.NoComplete:
		return c.errorf(m["nocomplete"].tok, "%s has .expect_tx and .noComplete; expected one of them; remove one", c.name)
	case in.MBar.NoComplete && (in.Sem != memmodel.Release || in.Scope != memmodel.CTA):
		return c.errorf(m["sem"].tok, "%s.noComplete is .%s.%s; expected .release.cta or nothing; remove it", c.f.name, in.Sem, in.Scope)
	case in.MBar.NoComplete && in.Space == model.SharedCluster:
		return c.errorf(m["space"].tok, "%s.noComplete works on objects of the executing CTA only; expected .shared::cta; change the space", c.f.name)
	}
	if in.MBar.ExpectTx || in.MBar.NoComplete {
		c.shape = parseShape("d_:b64 m s:u32")
	}
	return nil
}

// finArrive: a remote object returns no state, and a count without .noComplete is of sm_90.
func finArrive(c *context) error {
	in := c.in
	if in.Space == model.SharedCluster && in.Dst[0].Kind != model.NoOperand {
		return c.errorf(c.ops[0].tok, `%s on a .shared::cluster object returns no state; expected "_" as destination; write _`, c.f.name)
	}
	if len(in.Src) == 1 && !in.MBar.NoComplete && !in.MBar.ExpectTx {
		return c.checkNeed(c.ops[2].tok, c.f.name+" with a count and without .noComplete", need{ptx: 78, sm: 90})
	}
	return nil
}

func preWait(c *context) error {
	in, m := c.in, c.m
	c.orderDefault(memmodel.Acquire)
	in.MBar.Parity, in.MBar.Typed = m.has("parity"), m.has("phase")
	if m["phase"].text == "phase_type::conditional" {
		in.MBar.PhaseType = model.PhaseConditional
		if !in.MBar.Parity {
			return c.errorf(m["phase"].tok, "%s.phase_type::conditional has no parity; expected .parity, conditional phases have no state; write %s.parity.phase_type::conditional", c.f.name, c.f.name)
		}
	}
	last := "s:b64"
	if in.MBar.Parity {
		last = "s:u32"
	}
	if in.MBar.Op == model.MBarTryWait {
		last += " s:u32?"
	}
	c.shape = parseShape("wait m " + last)
	return nil
}

// waitOperands decodes waitComplete{|reportPredicate{, reportValue}}.
func (c *context) waitOperands(i int) (int, error) {
	o, in := c.ops[i], c.in
	if o.kind != opPair {
		d, err := c.dest(o, model.Pred, false)
		in.Dst = []model.Operand{d}
		return 1, err
	}
	switch {
	case in.MBar.PhaseType == model.PhaseConditional:
		return 1, c.errorf(o.tok, "a conditional wait returns no report; expected waitComplete alone; remove the report operands or wait on .phase_type::primary")
	case !in.MBar.Typed:
		return 1, c.errorf(o.tok, "%s has a report predicate but no phase type; expected .phase_type::primary; add it", c.f.name)
	}
	for _, el := range o.elems {
		d, err := c.dest(el, model.Pred, false)
		if err != nil {
			return 1, err
		}
		in.Dst = append(in.Dst, d)
	}
	if i+1 >= len(c.ops) || c.ops[i+1].kind == opAddr {
		return 1, nil
	}
	d, err := c.dest(c.ops[i+1], model.B8, false)
	in.Dst = append(in.Dst, d)
	return 2, err
}

// finWait: a state token comes from an arrive, so it is never a constant.
func finWait(c *context) error {
	if !c.in.MBar.Parity && c.in.Src[0].Kind != model.RegOperand {
		for _, o := range c.ops {
			if o.kind == opConst {
				return c.errorf(o.tok, "%s waits for a state, but its operand is a constant; expected the register that an arrive returned; use .parity to wait by parity", c.f.name)
			}
		}
	}
	return nil
}
