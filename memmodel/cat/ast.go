package cat

// operator says what an expression does to its operands.
type operator uint8

const (
	opName     operator = iota // a name, or a call of it if args are present
	opUniverse                 // _
	opNothing                  // {} and 0: the empty set and the empty relation
	opToID                     // [S]
	opUnion
	opSeq
	opMinus
	opInter
	opProduct
	opComplement
	opInverse
	opPlus
	opStar
	opOptional
	opLet // let … in …
	opDomain
	opRange

	// The operators below occur in resolved models only.
	opID      // the relation id
	opFree    // a name that the environment provides
	opDerived // a name that the environment may provide and that is defined otherwise
	opRec     // a name that let rec binds
)

// symbols spells operators in messages.
var symbols = map[operator]string{
	opToID: "[ ]", opUnion: "|", opSeq: ";", opMinus: `\`, opInter: "&", opProduct: "*",
	opComplement: "~", opInverse: "^-1", opPlus: "+", opStar: "*", opOptional: "?",
	opDomain: "domain", opRange: "range",
}

// expr is a parsed expression.
type expr struct {
	op   operator
	pos  pos // of the operator or of the name
	name string
	call bool // opName is applied to args
	args []*expr
	lets []*letStmt // opLet
}

// binding is one "name = expr" or "name(params) = expr" of a let.
type binding struct {
	pos    pos
	name   string
	fun    bool
	params []string
	body   *expr
}

// letStmt is let … and …, or let rec … and ….
type letStmt struct {
	rec      bool
	bindings []*binding
}

// checkStmt is an axiom or a flag.
type checkStmt struct {
	pos           pos
	name, kind    string
	flag, negated bool
	body          *expr
}

// stmt is one statement that has a meaning; exactly one field is set.
type stmt struct {
	let   *letStmt
	check *checkStmt
}
