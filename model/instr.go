package model

import "ptxmc/memmodel"

// Reg indexes the register file of an entry.
type Reg uint16

// NoReg marks an absent register (an unpredicated instruction, the sink operand "_").
const NoReg Reg = 0xffff

// OperandKind says what an operand is.
type OperandKind uint8

// The kinds of operands.
const (
	NoOperand      OperandKind = iota // absent, or the sink "_"
	RegOperand                        // register Reg
	ImmOperand                        // constant Imm
	SpecialOperand                    // special register Special
	SymbolOperand                     // the address of a variable: Imm is its offset in Space
)

// Operand is one operand of an instruction.
type Operand struct {
	Kind    OperandKind
	Reg     Reg
	Neg     bool // source predicates only: "!p"
	Special Special
	Space   Space // SymbolOperand: GlobalSpace (Imm indexes Module.Globals), SharedCTA (Imm is the offset in the CTA's window), ConstSpace
	Off     int64 // SymbolOperand: constant added to the address ("sym+8")
	Imm     Value
}

// Special is a special register (PTX ISA chapter 10).
type Special uint8

// The special registers; each with dimensions has X, Y and Z in this order.
const (
	NoSpecial Special = iota
	TidX
	TidY
	TidZ
	NTidX
	NTidY
	NTidZ
	CTAIDX
	CTAIDY
	CTAIDZ
	NCTAIDX
	NCTAIDY
	NCTAIDZ
	ClusterCTAIDX
	ClusterCTAIDY
	ClusterCTAIDZ
	ClusterNCTAIDX
	ClusterNCTAIDY
	ClusterNCTAIDZ
	ClusterIDX
	ClusterIDY
	ClusterIDZ
	NClusterIDX
	NClusterIDY
	NClusterIDZ
	ClusterCTARank
	ClusterNCTARank
	LaneID
	WarpID
	NWarpID
	LaneMaskEQ
	LaneMaskLE
	LaneMaskLT
	LaneMaskGE
	LaneMaskGT
)

// Address is a memory operand [base+off].
type Address struct {
	Base Operand // RegOperand, ImmOperand or SymbolOperand
	Off  int64   // bytes
}

// Op is the operation of an instruction, after table lookup; several PTX spellings may share one
// (membar.gl and fence.sc.gpu).
type Op uint8

// The operations.
const (
	Nop Op = iota // no effect in the model: .pragma-like instructions, prefetch, nanosleep has its own

	// Arithmetic, logic, moves: pure functions of operands (package alu).
	Mov // also packing and unpacking: a vector operand on either side
	Add
	Sub
	Mul // Mode says lo, hi or wide
	Mad // Mode says lo, hi or wide
	FMA
	Div
	Rem
	Abs
	Neg
	Min
	Max
	And
	Or
	Xor
	Not
	Shl
	Shr
	SetP // Dst[0], optional Dst[1] = complement; Compare, Combine
	Set
	SelP
	Cvt  // Type is the destination's, SrcType the source's
	Cvta // ToSpace false: space → generic; true: generic → space (cvta.to)
	Prmt
	Bfe
	Bfi
	Popc
	Clz
	Lop3 // Src[3] is the look-up table
	Mapa // Src[0] address, Src[1] rank; Space
	GetCTARank
	Isspacep

	// Memory.
	Ld
	St
	Atom // Dst may be absent
	Red
	StBulk // Src[0] is the size in bytes; the value is zero

	// Order.
	Fence             // Sem, Scope; SyncRestrict
	FenceProxy        // FenceProxyKind
	FenceMBarrierInit // .release.cluster

	// Control.
	Bra // Target
	Ret // also exit
	Trap
	Nanosleep

	// Thread barriers.
	BarSync   // Src[0] barrier, Src[1] thread count (absent: all threads of the CTA)
	BarArrive // the same; the count is mandatory
	BarRed    // the same with Src[last] the predicate and Dst[0] the result; AtomOp: AtomAnd, AtomOr, else popc

	// Warps. Src[last] is the member mask.
	Elect      // Dst[0] lane (may be absent), Dst[1] predicate
	WarpSync   // bar.warp.sync
	WarpOp     // Warp says which; Src[0] is the value, Dst[1] the predicate if there is one
	ActiveMask // Dst[0]

	// Cluster barriers (PTX ISA 9.7.15.3).
	ClusterArrive // Sem: Release or Relaxed
	ClusterWait

	// mbarrier: MBar says which.
	MBarrier

	// Asynchronous copies: Bulk says which.
	BulkCopy   // cp.async.bulk, cp.reduce.async.bulk and their tensor forms
	CopyAsync  // cp.async
	CopyArrive // cp.async.mbarrier.arrive: Group.NoInc
	CopyCommit // cp.async.commit_group, cp.async.bulk.commit_group: Group
	CopyWait   // … wait_group, wait_all: Group; Src[0] is how many groups may be pending

	// Matrix multiplication by a warpgroup: MMA says which. MMAWait: Src[0] is the number of groups.
	MMAFence
	MMAAsync
	MMACommit
	MMAWait

	// Matrix multiplication with tensor memory, which is opaque: only shared memory counts.
	TensorMMA    // Src[0] instruction descriptor, Src[1] descriptor of B, Src[2] that of A if MMA.ADesc
	TensorCommit // Addrs[0] is the mbarrier
	TensorAlloc  // Addrs[0] is where the address goes
	TensorLd     // Dst: opaque values

	// Cluster launch control. TryCancel: Addrs are the response and the mbarrier.
	TryCancel
	IsCanceled // Dst[0] predicate, Src[0] response
	FirstCTAID // Dst[0], or Dst[0..3] if Vec is 4; Dim says which coordinate

	// Asynchronous stores and reductions of registers (PTX ISA 9.7.10.12, 9.7.15.7). Addrs = address
	// and, unless Sem is Release, mbarrier; Src holds the values.
	AsyncStore
	AsyncRed

	// Programmatic dependent launch.
	LaunchDependents
	GridDepWait

	// BarQuorum is the barrier of the litmus dialects; no PTX instruction decodes to it. Src[0] instance,
	// Src[1] id (absent: none), Src[2] how many arrivals open it for this thread (absent: of all threads of
	// the CTA that may come); Arrive: does not wait.
	BarQuorum
)

// Mode selects the half of a product.
type Mode uint8

// The product modes of mul and mad.
const (
	NoMode Mode = iota
	Lo
	Hi
	Wide
)

// Compare is a comparison of setp and set (PTX ISA 9.3).
type Compare uint8

// The comparisons; the U forms are true if an operand is NaN, and LO LS HI HS are unsigned.
const (
	NoCompare Compare = iota
	EQ
	NE
	LT
	LE
	GT
	GE
	LO
	LS
	HI
	HS
	EQU
	NEU
	LTU
	LEU
	GTU
	GEU
	NUM
	NAN
)

// Round is a rounding modifier. NoRound is the instruction's default (nearest even for f32 add,
// mul, fma; none for conversions that need none).
type Round uint8

// The rounding modifiers: RN RZ RM RP for floating point, RNI RZI RMI RPI to an integral value.
const (
	NoRound Round = iota
	RN
	RZ
	RM
	RP
	RNI
	RZI
	RMI
	RPI
)

// AtomOp is the operation of atom and red.
type AtomOp uint8

// The atomic operations (PTX ISA 9.7.13).
const (
	NoAtom AtomOp = iota
	AtomAnd
	AtomOr
	AtomXor
	AtomExch
	AtomCAS
	AtomAdd
	AtomInc
	AtomDec
	AtomMin
	AtomMax
)

// WarpKind says which instruction a WarpOp is (PTX ISA 9.7.9, shfl.sync; 9.7.15, vote.sync, match.sync,
// redux.sync).
type WarpKind uint8

// The exchanges between the lanes of a warp. ShflUp to ShflIdx have Src[1] lane or offset and Src[2] the
// packed mask and clamp; Redux has AtomOp.
const (
	NoWarpKind WarpKind = iota
	ShflUp
	ShflDown
	ShflBfly
	ShflIdx
	VoteAll
	VoteAny
	VoteUni
	VoteBallot
	MatchAny
	MatchAll
	Redux
)

// Instr is one decoded instruction. Which fields have a meaning depends on Op.
type Instr struct {
	Op   Op
	Pos  Pos
	Text string // the source text, white space folded, without the predicate's "@p" removed: for traces

	Pred    Reg // guard predicate or NoReg
	PredNeg bool

	Type, SrcType Type
	Dst, Src      []Operand
	Addrs         []Address // ld st atom red mbarrier: [0]; bulk copies: dst, src, mbarrier
	DstVec        bool      // mov unpack: Dst is a {…} list
	SrcVec        bool      // mov pack: Src is a {…} list

	// arithmetic
	Mode    Mode
	Compare Compare
	Combine Op // setp/set with a boolean operand: And, Or, Xor; else Nop. The operand is Src[2].
	Round   Round
	FTZ     bool
	Sat     bool
	NaN     bool // min.NaN, max.NaN
	PZO     bool // cvt.pzo: the result is +0 where it would be -0
	ToSpace bool // cvta.to
	AtomOp  AtomOp
	Warp    WarpKind
	Dim     int // FirstCTAID: 0 to 2

	// memory
	Space    Space
	Proxy    memmodel.Proxy // of ld, st, atom, red: Generic in PTX; litmus tests name others
	Sem      memmodel.Sem
	Scope    memmodel.Scope
	Volatile bool // .volatile: Sem is Relaxed, Scope is Sys
	MMIO     bool
	NC       bool // ld.global.nc
	Vec      int  // number of elements of a vector access; 1 if none

	// order
	SyncRestrict Space // fence.{acquire,release}.sync_restrict: SharedCTA or SharedCluster; GenericSpace if none
	ProxyFence   ProxyFence

	Target int // Bra: index into Entry.Code

	Arrive  bool // BarQuorum
	Aligned bool // bar.*, barrier.*.aligned
	MBar    MBarForm
	Bulk    BulkForm
	MMA     MMAForm
	Group   GroupForm
}

// ProxyFence is a fence.proxy.async form (PTX ISA 9.7.15.4).
type ProxyFence struct {
	Alias bool           // fence.proxy.alias
	Proxy memmodel.Proxy // else the proxy that is fenced against the generic one: Async in PTX
	Space Space          // the space the fence is limited to; GenericSpace: all
	Sem   memmodel.Sem   // Weak: bi-directional; Acquire or Release: the one-way forms
}

// MBarOp says which mbarrier instruction (PTX ISA 9.7.15.16).
type MBarOp uint8

// The mbarrier instructions.
const (
	MBarInit MBarOp = iota
	MBarInval
	MBarExpectTx
	MBarCompleteTx
	MBarArrive
	MBarArriveDrop
	MBarTestWait
	MBarTryWait
	MBarPendingCount
	MBarCheckLayout
)

// PhaseType selects the phase that a wait observes.
type PhaseType uint8

// The phase types; an unqualified wait observes the primary phase.
const (
	PhasePrimary PhaseType = iota
	PhaseConditional
)

// MBarForm holds the qualifiers of an mbarrier instruction. Operands:
// init: Src[0] count. expect_tx, complete_tx: Src[0] bytes. arrive(.expect_tx): Dst[0] state or
// absent, Src[0] count or bytes (absent: 1). waits: Dst[0] waitComplete, Dst[1] report predicate
// (absent if not asked), Dst[2] report value; Src[0] state or parity, Src[1] time hint.
// pending_count: Dst[0], Src[0] state, no address.
type MBarForm struct {
	Op         MBarOp
	Layout     uint8 // 0 or 1 (init, check_layout)
	ExpectTx   bool  // arrive.expect_tx, arrive_drop.expect_tx
	NoComplete bool
	Parity     bool
	PhaseType  PhaseType
	Typed      bool // .phase_type was written
}

// ReportMechanism is a row of Table 15 of the CUDA Programming Guide 4.6 (PTX ISA Table 33).
type ReportMechanism uint8

// The report mechanisms.
const (
	ReportDisabled ReportMechanism = iota
	ReportPer16Bytes80000000
	ReportPer16Bytes8000
	ReportPer16Bytes80
	ReportPer16Bytes8
	ReportPerElementFF
)

// Completion says how a bulk copy announces that it is done.
type Completion uint8

// The completion mechanisms (PTX ISA 9.7.10.28.1).
const (
	CompleteMBarrier Completion = iota
	CompleteBulkGroup
)

// BulkForm holds the qualifiers of the asynchronous copies (PTX ISA 9.7.10.28.3 to 9.7.10.28.5).
// Operands: Addrs = dst, src and, if it completes on one, mbarrier; the side in global memory of a
// tensor copy is the address of its tensor map. Src = size in bytes, or the coordinates of a tensor
// copy, then the bytes to ignore left and right, the CTA mask, the byte mask, as far as the form has
// them; of cp.async: cp-size, and src-size or the predicate ignore-src. Sem, Scope of the Instr are
// those of the copy's accesses, for a reduction those of its destination alone; Type is B128 for the
// .b128 form, the element of a reduction without a tensor map, else NoType.
type BulkForm struct {
	DstSpace, SrcSpace Space
	Completion         Completion
	Report             ReportMechanism
	Reduce             AtomOp // cp.reduce.async.bulk
	Dims               int    // dimensions of a tensor copy, else 0
	Multicast          bool   // .multicast::cluster
	Pair               bool   // .cta_group::2
	IgnoreOOB          bool   // .ignore_oob
	ByteMask           bool   // .cp_mask
}

// Mask returns the position in Src of the CTA mask or of the byte mask.
func (f *BulkForm) Mask() int { return max(f.Dims, 1) + 2*b2i(f.IgnoreOOB) }

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// GroupForm holds the qualifiers of the completion instructions of copies (PTX ISA 9.7.10.28.3,
// 9.7.10.28.6, 9.7.15.16.18).
type GroupForm struct {
	Bulk  bool // the groups of bulk copies; else those of cp.async
	Read  bool // wait_group.read: the sources only
	All   bool // wait_all: uncommitted copies, too
	NoInc bool // cp.async.mbarrier.arrive.noinc
}

// MMAForm holds the shape of wgmma.mma_async (PTX ISA 9.7.16). Operands: Dst are the accumulators, Src[0] is
// scale-d, Src[1] the descriptor of B, then the descriptor of A or, without ADesc, its registers.
type MMAForm struct {
	N              int  // columns of B; A has 64 rows, and K elements take 32 bytes
	ADesc          bool // A is in shared memory
	TransA, TransB bool
}

// Var is a variable: of the module (global, const) or shared.
type Var struct {
	Name   string
	Pos    Pos
	Space  Space
	Align  int    // bytes
	Size   int    // bytes; 0 for an unsized extern array
	Offset int    // shared: offset in the CTA's window
	Extern bool   // .extern .shared: begins after all sized shared variables
	Init   []byte // initialiser, nil if none; length Size otherwise
}

// Param is a kernel parameter.
type Param struct {
	Name   string
	Type   Type // element type
	Offset int  // bytes in the parameter block
	Size   int  // bytes
}

// Label names an instruction.
type Label struct {
	Name string
	PC   int // index into Entry.Code; len(Code) for a label at the end
	Pos  Pos
}

// Entry is a kernel.
type Entry struct {
	Name        string
	Pos         Pos
	Params      []Param
	ParamBytes  int
	RegNames    []string
	RegTypes    []Type
	Shared      []Var // the module's shared variables and its own, laid out
	SharedBytes int   // bytes of the sized ones
	Code        []Instr
	Labels      []Label
}

// Module is a decoded PTX module.
type Module struct {
	File    string
	Version string // "9.4"
	Target  string // "sm_107a"
	Globals []Var  // global and const variables, in order of declaration
	Entries []*Entry
}

// Entry returns the entry of that name, or nil.
func (m *Module) Entry(name string) *Entry {
	for _, e := range m.Entries {
		if e.Name == name {
			return e
		}
	}
	return nil
}
