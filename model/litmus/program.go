package litmus

import "ptxmc/memmodel"

// Program is one litmus test: threads over a few locations, and what is asked about their
// executions.
type Program struct {
	Name       string // the name in the file; for a row of a .test table with "#row" appended
	File       string
	Dialect    string // "litmus" or "test"
	Threads    []Thread
	Locs       []Loc
	Barriers   []MBarrier  // of the .litmus dialect; of each only the first phase is used
	Conditions []Condition // one of a .litmus file, any number of a .test file
	Filter     Expr        // only executions whose final state makes it nonzero count; nil: all
	Shown      []Term      // the terms named by locations […]
}

// Thread is one column (or block) of a test.
type Thread struct {
	Name              string
	GPU, Cluster, CTA int // Cluster and CTA are numbered over the whole program
	Regs              map[string]int64
	Code              []Instr
}

// Loc is a virtual address: a name under which memory is accessed. Its position in Program.Locs
// is its number.
type Loc struct {
	Name string
	Init int64 // the initial value of the physical memory (that of Phys)
	// Phys is the number of the location that owns the memory: locations with equal Phys are the
	// same memory. It is the location's own number unless it is an alias.
	Phys int
	// Virt is the number of the generic location whose virtual address this is. It is the location's
	// own number for a generic location, also for a generic alias ("physically aliases"), and that of
	// the aliased one for a texture, surface or constant reference ("virtually aliases"). Accesses of
	// equal Virt need a proxy fence if their proxies differ; of equal Phys but different Virt an alias fence.
	Virt  int
	Proxy Proxy // as declared; the proxy of an access is that of its instruction
}

// MBarrier is an mbarrier object (PTX ISA 9.7.15.16), initialised before all threads begin and known to all.
// Its first phase completes with the last of Count arrivals and of the copies that name it; the arrivals
// expect as many copies as there are. Each operation on it is executed once in every execution that ends.
type MBarrier struct {
	Name   string
	Count  int // pending arrivals at the beginning
	Thread int // the object lies in the shared memory of the CTA of this thread
}

// Op is the kind of an instruction.
type Op int

// The kinds of instructions.
const (
	Load       Op = iota // Dst = [Addr]
	Store                // [Addr] = Src[0]
	RMW                  // Dst = [Addr]; [Addr] = RMWOp(old, Src...)
	Fence                // Sem, Scope
	ProxyFence           // Proxy
	AliasFence           //
	Barrier              // BarID, BarInst, BarCount, BarArrive
	Assign               // Dst = Expr
	Branch               // to Target if Cond is nonzero
	Goto                 // to Target
	Label                // Label
	MBarArrive           // Bar, Tx, Sem, Scope: arrives at the first phase
	MBarWait             // Bar, Sem, Scope: blocks until the first phase is complete
	AsyncCopy            // [Addr] = [Src[0]] through the async proxy, then completes its part of Bar; Sem, Scope of both accesses
)

var opNames = [...]string{"load", "store", "rmw", "fence", "proxy fence", "alias fence", "barrier", "assign", "branch", "goto", "label",
	"mbarrier arrival", "mbarrier wait", "asynchronous copy"}

// String returns the kind in words.
func (o Op) String() string { return opNames[o] }

// Proxy is the method by which memory is accessed (PTX ISA 8.6), as far as the litmus dialects have it.
type Proxy int

// The proxies.
const (
	Generic Proxy = iota
	Surface
	Texture
	Constant
	Async // of AsyncCopy and fence.proxy.async; no location is declared with it
)

var proxyNames = [...]string{"generic", "surface", "texture", "constant", "async"}

// String returns the name used by fence.proxy.
func (p Proxy) String() string { return proxyNames[p] }

// Instr is one instruction. Only the fields that its Op names are set.
type Instr struct {
	Op   Op
	Line int    // of the file, from 1
	Text string // as written, blanks squeezed

	Dst  string    // destination register of Load, RMW, Assign; "" of red
	Addr Operand   // address of Load, Store, RMW, AsyncCopy (destination): a location or a register
	Src  []Operand // Store: the value; RMW: the operands (cas: compare, new); AsyncCopy: the address of the source

	RMWOp    string // add sub mul div and or xor min max inc dec exch cas
	NoReturn bool   // red

	Sem   memmodel.Sem   // of Load, Store, RMW, Fence, MBarArrive, MBarWait, AsyncCopy
	Scope memmodel.Scope // ScopeNone of a weak access
	Proxy Proxy          // of Load, Store, RMW, AsyncCopy: the method of access; ProxyFence: the proxy fenced

	// Barrier: BarInst is always there. Barriers of one CTA meet if their BarInst are equal and either
	// neither has a BarID or their values of BarID are equal. BarCount is the number of arrivals that
	// opens the barrier; without it all threads of the CTA that have such a barrier must arrive.
	BarID, BarInst, BarCount Operand
	BarArrive                bool // arrive: does not wait

	Bar int // number of the barrier in Program.Barriers: MBarArrive, MBarWait, AsyncCopy
	Tx  int // MBarArrive: the copies that the phase waits for on its account

	Expr   Expr   // Assign
	Cond   Expr   // Branch
	Target string // Branch, Goto: a label of the same thread
	Label  string // Label
}

// OperandKind says what an Operand is.
type OperandKind int

// The kinds of operands.
const (
	NoOperand OperandKind = iota
	RegOperand
	ConstOperand
	LocOperand // the address of a location
)

// Operand is an operand of an instruction.
type Operand struct {
	Kind  OperandKind
	Reg   string
	Const int64
	Loc   int // number of the location
}

// Expr is an expression over the registers of threads and the final values of locations. It is
// one of Const, Term, AddrOf, *Unary and *Binary.
type Expr interface{ String() string }

// Const is a number.
type Const int64

// AddrOf is the address of a location; Address gives its value.
type AddrOf struct {
	Loc  int
	Name string
}

// Term is a register of a thread, or the value of a location (in conditions: the final value).
// Terms are comparable.
type Term struct {
	Thread int    // -1: a location
	Reg    string // if Thread >= 0
	Loc    int    // if Thread < 0
	Name   string // "P0:r1" or "x": the name of the thread and the register, or of the location
}

// Unary is "!" or "-" applied to an expression.
type Unary struct {
	Op string
	X  Expr
}

// Binary is an operation on two expressions. Op is one of
// || && == != < <= > >= + - * / & | ^.
type Binary struct {
	Op   string
	X, Y Expr
}

// Kind says what a Condition asks.
type Kind int

// The kinds of conditions. Exists, Permit and Check hold if some execution ends in a state that satisfies
// the expression; NotExists if none does; Forall and Assert if all do.
const (
	Exists Kind = iota
	NotExists
	Forall
	Permit
	Assert
	Check
)

var kindNames = [...]string{"exists", "~exists", "forall", "permit", "assert", "check"}

// String returns the keyword.
func (k Kind) String() string { return kindNames[k] }

// Condition is a question about the final states.
type Condition struct {
	Kind Kind
	Name string // "as NAME" of a .test file
	Expr Expr
	Text string // the expression as written, blanks squeezed
	Line int
}

// Universal reports whether the condition speaks of all executions (Forall, Assert, NotExists);
// if not, one execution decides it.
func (k Kind) Universal() bool { return k == NotExists || k == Forall || k == Assert }

// Holds decides the question from the final states of all executions (that pass the filter): whether some
// satisfy the expression and whether some do not.
func (k Kind) Holds(some, someNot bool) bool {
	switch k {
	case NotExists:
		return !some
	case Forall, Assert:
		return !someNot
	}
	return some
}

// addrBase separates addresses from small numbers, so that a test cannot reach one by arithmetic
// on what it computes otherwise.
const addrBase = int64(1) << 40

// Address returns the value of the address of a location.
func Address(loc int) int64 { return addrBase + int64(loc)*8 }

// LocOf returns the location at an address, and whether v is one of p's.
func (p *Program) LocOf(v int64) (int, bool) {
	n := (v - addrBase) / 8
	if v < addrBase || (v-addrBase)%8 != 0 || n >= int64(len(p.Locs)) {
		return 0, false
	}
	return int(n), true
}

// Place returns where a thread runs, for scope inclusion and the narrowest common scope.
func (p *Program) Place(thread int) memmodel.Place {
	t := &p.Threads[thread]
	return memmodel.Place{GPU: t.GPU, Cluster: t.Cluster, CTA: t.CTA, Thread: thread}
}
