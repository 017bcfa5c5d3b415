package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets in the Go type block, which a test of the package compares with the real ones.
const (
	blockNext    = 0   // *samples of the block after this one; nil for none
	blockBlocks  = 8   // how many blocks to compute
	blockRows    = 16  // *transposed samples
	blockWork    = 24  // *work area, spills behind it
	blockWindow  = 32  // *window in the order of use
	blockCounts  = 40  // *int32 per segment of the filter bank
	blockTaps    = 48  // *tap
	blockOut     = 56  // *first output row
	blockStride  = 64  // bytes from one output row to the next
	blockMels    = 72  // rows
	blockMode    = 80  // bits, see below
	blockLog     = 88  // ten float32: coefficients 0 to 7, factor of the exponent, least energy
	blockPeak    = 128 // a vector: the largest value of each lane so far
	blockSeen    = 192 // a vector: all bits of all float32 samples so far
	blockInStep  = 256 // bytes from one block's samples to the next one's
	blockOutStep = 264 // bytes from one block's output to the next one's
)

const (
	modePCM       = 1 << iota // samples are int16
	modeHalf                  // output is FP16
	modeMagnitude             // filters apply to magnitudes
	modeGather                // only transpose the samples of next
)

const (
	hop       = 160
	workSlots = 400
	firstMel  = 51 // slot of mel energy 0; the others follow at every second slot
)

// Registers that a stage may rely on.
var (
	block = reg.R13
	work  = reg.RDI
	spill = reg.RBX
)

func (t *isa) field(offset int) operand.Mem { return at(block, offset) }

// writeStep emits step: both stages of the DFT, the filter bank and the logarithm for some blocks
// of frames. The samples of the next block are transposed between the two stages, so that their
// stores have left the store buffer before stage one reads them back at other alignments.
func (t *isa) writeStep() {
	t.Function("step" + t.name)
	t.Attributes(attr.NOSPLIT)
	t.SignatureExpr("func(b *byte)")
	t.Load(t.Param("b"), block)
	t.flushSubnormals()
	t.MOVQ(t.field(blockWork), work)
	t.LEAQ(at(work, workSlots*t.width()), spill)
	t.ifMode(modeGather, "gather", true)
	t.Label("again")
	t.stageOne()
	t.Label("gather")
	t.MOVQ(t.field(blockNext), reg.RSI)
	t.TESTQ(reg.RSI, reg.RSI)
	t.JZ(operand.LabelRef("gathered"))
	t.MOVQ(t.field(blockRows), reg.RDX)
	t.ifMode(modePCM, "floats", false)
	t.gatherPCM()
	t.JMP(operand.LabelRef("gathered"))
	t.Label("floats")
	t.gatherFloats()
	t.Label("gathered")
	t.ifMode(modeGather, "done", true)
	t.stageTwo()
	t.ifMode(modeMagnitude, "powers", false)
	t.magnitudes()
	t.Label("powers")
	t.filterBank()
	t.logarithms()
	t.DECQ(t.field(blockBlocks))
	t.JZ(operand.LabelRef("done"))
	t.MOVQ(t.field(blockInStep), reg.RAX)
	t.ADDQ(reg.RAX, t.field(blockNext))
	t.MOVQ(t.field(blockOutStep), reg.RAX)
	t.ADDQ(reg.RAX, t.field(blockOut))
	t.JMP(operand.LabelRef("again"))
	t.Label("done")
	t.restoreControl()
	t.VZEROUPPER()
	t.RET()
}

// ifMode jumps to the label when the mode bit is as wanted.
func (t *isa) ifMode(bit int, label string, set bool) {
	t.TESTQ(operand.U32(uint32(bit)), t.field(blockMode))
	if set {
		t.JNZ(operand.LabelRef(label))
	} else {
		t.JZ(operand.LabelRef(label))
	}
}

// flushSubnormals makes subnormal numbers zero until restoreControl: the intermediates of very
// quiet float32 audio would make everything 16 to 30 times slower. Those of int16 audio cannot
// become that small. The Go runtime must never see the changed control word.
func (t *isa) flushSubnormals() {
	t.control = t.AllocLocal(8)
	t.ifMode(modePCM, "flushed", true)
	t.STMXCSR(t.control)
	t.MOVL(t.control, reg.EAX)
	t.ORL(operand.U32(0x8040), reg.EAX)
	t.MOVL(reg.EAX, t.control.Offset(4))
	t.LDMXCSR(t.control.Offset(4))
	t.Label("flushed")
}

func (t *isa) restoreControl() {
	t.ifMode(modePCM, "restored", true)
	t.LDMXCSR(t.control)
	t.Label("restored")
}

// repeat emits body n times by a loop on RCX.
func (t *isa) repeat(label string, n int, body func()) {
	t.MOVQ(operand.U32(uint32(n)), reg.RCX)
	t.Label(label)
	body()
	t.DECQ(reg.RCX)
	t.JNZ(operand.LabelRef(label))
}
