// Package litmus reads litmus tests: small programs of a few threads with a question about their
// final states. It knows two dialects, the columns of herd and Dat3M (.litmus) and the blocks of
// NVlabs/mixedproxy (.test), and gives both as a Program. It does not execute anything.
//
// # Choices
//
// Where the dialects leave something open, the package follows the PTX ISA (section 8 and the
// instructions' pages), then the tools from which the tests come:
//
//   - Unqualified ld, st and their texture, surface and constant forms are weak. A weak access has no
//     scope. Texture and constant loads are always weak. A strong ld or st must name its scope.
//   - .volatile is .relaxed.sys.
//   - atom and red are .relaxed and .gpu unless they say otherwise, fence is .acq_rel and must name its
//     scope. membar.cta, .gl and .sys are fence.sc with .cta, .gpu and .sys. fence.acquire and
//     fence.release are those of PTX 8.6.
//   - The qualifiers of an instruction may stand in any order, since the dialects differ in it
//     (atom.acq_rel.gpu.add, atom.add.acq_rel.gpu). There are no type qualifiers.
//   - Registers and memory hold signed numbers of 64 bits, which wrap around. Registers and locations are 0
//     unless the initial state says otherwise. A register that is read must be initialised or written
//     somewhere. A location that a .litmus file accesses more than once need not be declared.
//   - In .litmus, "ld r0, 1" and "ld r0, r1" without qualifiers (Dat3M's local assignment) and mov
//     assign; the address in a register is [r1]; the address of x as a value is &x.
//   - "y @ generic aliases x" and "y physically aliases x" give the memory of x a second virtual address;
//     "t @ texture aliases x" and ".texref t virtually aliases x" name the virtual address of x itself.
//     See Loc.Virt. The proxy of an access is that of its instruction (ld, st, atom, red: generic; su…:
//     surface; tld: texture; cold, ldc: constant), not that of its location. fence.proxy.alias and
//     fence.alias are alias fences, which mend different virtual addresses of one memory;
//     fence.proxy.KIND mends one virtual address under generic and KIND.
//   - bar{rier}{.cta}.sync|arrive instance{, id{, count}} is Dat3M's barrier, not that of the PTX ISA:
//     the instance is a static name, the id may be computed. See Instr.BarInst. In Dat3M a barrier stays open
//     once count threads have arrived, so that a latecomer passes.
//   - Asynchronous copies and mbarrier objects are our own extension of the .litmus dialect (docs/litmus.md). The first
//     phase of an object is all there is of it, and each operation on it is executed exactly once.
//   - CTA, block and cluster numbers are local to their GPU or device. A CTA without "cluster N" is a cluster
//     of its own.
//   - "ld r0, [x] == 1" of .test considers only executions in which this load returns 1: it becomes part
//     of Program.Filter. If r0 is written again, the filter is about a copy "r0@N".
//   - A register in a condition of .test belongs to the only thread that has it.
//   - A negation (~, !, not) denies what follows up to the next connective. Comparisons bind stronger than
//     "and", that stronger than "or".
//   - The final value of an alias is that of its memory. Conditions speak of executions in which all threads
//     have ended: one that hangs at a barrier or in a loop has no final state.
package litmus
