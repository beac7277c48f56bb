package ptx

import "ptxmc/model"

// warpKinds are the exchanges by the name of the form and its kind.
var warpKinds = map[string]model.WarpKind{
	"shfl.sync up": model.ShflUp, "shfl.sync down": model.ShflDown, "shfl.sync bfly": model.ShflBfly, "shfl.sync idx": model.ShflIdx,
	"vote.sync all": model.VoteAll, "vote.sync any": model.VoteAny, "vote.sync uni": model.VoteUni, "vote.sync ballot": model.VoteBallot,
	"match.any.sync ": model.MatchAny, "match.all.sync ": model.MatchAll, "redux.sync ": model.Redux,
}

func preWarp(c *context) error {
	c.in.Warp = warpKinds[c.f.name+" "+c.m["kind"].text]
	c.in.AtomOp = atomOps[c.m["op"].text]
	return nil
}

// preBarRed: the reduction is and, or or, else popc.
func preBarRed(c *context) error {
	c.in.AtomOp = atomOps[c.m["red"].text]
	c.in.Aligned = c.in.Aligned || c.opcode.text == "bar"
	return nil
}

func finBarRed(c *context) error {
	if o := c.ops[1]; o.kind == opConst && o.c.bits > 15 {
		return c.errorf(o.tok, "barrier %s does not exist; expected 0 to 15; choose another", o.tok.text)
	}
	return nil
}

// finMaxNReg checks the number of registers (PTX ISA 9.7.19.5, setmaxnreg). It has no effect in the model.
func finMaxNReg(c *context) error {
	if n := c.in.Src[0].Imm.Lo; n < 24 || n > 256 || n%8 != 0 {
		return c.errorf(c.ops[0].tok, "setmaxnreg of %d registers; expected a multiple of 8 from 24 to 256", n)
	}
	c.in.Src = nil
	return nil
}

// valueAndPredicate decodes d or d|p.
func (c *context) valueAndPredicate(o operand, t model.Type) error {
	if o.kind != opPair {
		d, err := c.dest(o, t, false)
		c.in.Dst = append(c.in.Dst, d)
		return err
	}
	d, err := c.dest(o.elems[0], t, true)
	if err != nil {
		return err
	}
	p, err := c.dest(o.elems[1], model.Pred, true)
	c.in.Dst = append(c.in.Dst, d, p)
	return err
}

// preFirstCTAID: all coordinates as a vector, or one of them (PTX ISA, clusterlaunchcontrol.query_cancel).
func preFirstCTAID(c *context) error {
	c.in.Vec = max(1, vecs[c.m["v"].text])
	if d := c.m["dim"].text; d != "" {
		c.in.Dim = int(d[len(d)-1] - 'x')
	}
	return nil
}
