package mel

import (
	"math"
	"unsafe"
)

// block is what a step of the assembly reads and writes. The generator knows its layout.
type block struct {
	next   unsafe.Pointer // samples of the block after this one; nil for none
	blocks int            // how many to compute
	rows   unsafe.Pointer
	work   unsafe.Pointer
	window unsafe.Pointer
	counts unsafe.Pointer
	taps   unsafe.Pointer
	out    unsafe.Pointer
	stride int // bytes
	mels   int
	mode   int
	log    logTable
	peak   [16]float32
	seen   [16]uint32
	// Bytes from one block to the next.
	inStep, outStep int
}

// Bits of block.mode.
const (
	modePCM       = 1 << iota // samples are int16
	modeHalf                  // output is FP16
	modeMagnitude             // filters apply to magnitudes
	modeGather                // only transpose the samples of next
)

// The work area has 400 slots of a vector, and room for spilled values behind them. Energies go
// to every second slot from firstMel on, so this many bands have room.
const (
	workSlots    = 400
	spillSlots   = 64
	firstMel     = 51
	mostSimdMels = (workSlots-1-firstMel)/2 + 1
	simdFrame    = 400
	simdHop      = 160
)

// simdSet is one instruction set's functions.
type simdSet struct {
	level       Level
	lanes       int
	pitch       int // bytes from one row of transposed samples to the next
	step        func(b *block)
	clampHalf   func(p *uint16, n int, least uint16)
	clampSingle func(p *float32, n int, least float32)
}

// simdFits says whether the assembly is made for these parameters.
func simdFits(p Params) bool {
	return p.NFFT == simdFrame && p.Hop == simdHop && p.Mels <= mostSimdMels && (p.Power == 1 || p.Power == 2)
}

type simdEngine struct {
	set     simdSet
	b       block
	mode    int // bits that do not change
	windows struct{ float, pcm []float32 }
	counts  []int32
	taps    []tap
	memory  []float32 // rows, then the work area
}

func newSimdEngine(p Params, set simdSet) *simdEngine {
	e := &simdEngine{set: set}
	for _, v := range windowInOrder(p.Window) {
		e.windows.float = append(e.windows.float, float32(v))
		e.windows.pcm = append(e.windows.pcm, float32(v/(1<<31))) // the assembly has samples 65536 times too large
	}
	e.counts, e.taps = segments(p.filters(), func(k int) int32 { return int32(powerSlots[k]) * int32(4*set.lanes) })
	rows := (simdHop*set.pitch/4 + 31) &^ 15
	e.memory = aligned(rows + (workSlots+spillSlots)*set.lanes)
	if p.Power == 1 {
		e.mode = modeMagnitude
	}
	e.b = block{
		rows: unsafe.Pointer(&e.memory[0]), work: unsafe.Pointer(&e.memory[rows]),
		counts: unsafe.Pointer(&e.counts[0]), taps: unsafe.Pointer(unsafe.SliceData(e.taps)),
		mels: p.Mels, log: newLogTable(p),
	}
	return e
}

// aligned gives n float32 that start at a cache line.
func aligned(n int) []float32 {
	s := make([]float32, n+16)
	skip := int(-uintptr(unsafe.Pointer(&s[0]))&63) / 4
	return s[skip : skip+n : skip+n]
}

func (e *simdEngine) level() Level { return e.set.level }
func (e *simdEngine) lanes() int   { return e.set.lanes }
func (e *simdEngine) span() int    { return (e.set.lanes + 2) * simdHop }

func (e *simdEngine) reset() {
	for i := range e.b.peak {
		e.b.peak[i] = float32(math.Inf(-1))
	}
	e.b.seen = [16]uint32{}
}

func (e *simdEngine) peak() float32 {
	top := e.b.peak[0]
	for _, v := range e.b.peak[:e.set.lanes] {
		top = max(top, v)
	}
	return top
}

func (e *simdEngine) bits() (all uint32) {
	for _, v := range e.b.seen {
		all |= v
	}
	return all
}

func (e *simdEngine) take(first Samples) {
	e.b.mode = e.mode&^modePCM | modeGather
	if first.Float == nil {
		e.b.mode |= modePCM
	}
	e.b.next = start(first)
	e.set.step(&e.b)
	e.mode = e.mode&^modePCM | e.b.mode&modePCM
}

func (e *simdEngine) step(next Samples, blocks int, out plane) {
	b := &e.b
	b.mode = e.mode
	b.window = unsafe.Pointer(&e.windows.float[0])
	if b.mode&modePCM != 0 {
		b.window = unsafe.Pointer(&e.windows.pcm[0])
	}
	b.next, b.blocks = start(next), blocks
	b.inStep = 4 * e.set.lanes * simdHop
	if b.mode&modePCM != 0 {
		b.inStep /= 2
	}
	last := (b.mels-1)*out.stride + blocks*e.set.lanes - 1 // the assembly checks nothing
	if out.half != nil {
		_ = out.half[last]
		b.mode |= modeHalf
		b.out, b.stride, b.outStep = unsafe.Pointer(&out.half[0]), 2*out.stride, 2*e.set.lanes
	} else {
		_ = out.single[last]
		b.out, b.stride, b.outStep = unsafe.Pointer(&out.single[0]), 4*out.stride, 4*e.set.lanes
	}
	e.set.step(b)
	b.next, b.out = nil, nil // nothing of the caller's is kept alive
}

// start is where the samples begin; nil for none.
func start(s Samples) unsafe.Pointer {
	if s.Float != nil {
		return unsafe.Pointer(unsafe.SliceData(s.Float))
	}
	return unsafe.Pointer(unsafe.SliceData(s.PCM))
}

// clampStep values of the assembly's turn, for either width of vectors and values.
const clampStep = 64

func (e *simdEngine) clampHalf(p []uint16, least uint16) {
	whole := len(p) / clampStep * clampStep
	if whole > 0 {
		e.set.clampHalf(&p[0], whole, least)
	}
	clampHalf(p[whole:], least)
}

func (e *simdEngine) clampSingle(p []float32, least float32) {
	whole := len(p) / clampStep * clampStep
	if whole > 0 {
		e.set.clampSingle(&p[0], whole, least)
	}
	clampSingle(p[whole:], least)
}
