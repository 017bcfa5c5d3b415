package melcuda

import (
	"encoding/binary"
	"fmt"
	"math"

	"saturate/internal/cuda"
	"saturate/internal/mel"
)

// What logmel.cu was written for; a test compares them.
const (
	frameSamples  = 400
	hopSamples    = 160
	blockFrames   = 32
	blockThreads  = 320
	sharedBytes   = 400 * 16 * 8
	mostTaps      = 512
	mostMels      = 1024
	finishThreads = 256
	finishValues  = 16384
)

// Fits says why these parameters cannot be computed by the kernel, or nil.
func Fits(p mel.Params) error {
	switch {
	case p.NFFT != frameSamples || p.Hop != hopSamples:
		return fmt.Errorf("the GPU kernel supports only n_fft %d with hop %d, not %d with %d", frameSamples, hopSamples,
			p.NFFT, p.Hop)
	case p.Power != 1 && p.Power != 2:
		return fmt.Errorf("the GPU kernel supports --power 2 and 1, not %g", p.Power)
	case p.Mels > mostMels:
		return fmt.Errorf("the GPU kernel supports up to %d bands, not %d", mostMels, p.Mels)
	}
	return p.Check()
}

// kernel is the code on one GPU, with the tables of one set of parameters.
type kernel struct {
	params           mel.Params
	module           cuda.Module
	features, finish cuda.Function
	tables           tables
}

// tables are what the kernels read, as they read it.
type tables struct {
	window, twiddle, taps, firstTap []byte
	factor, offset, below           float32 // factor of log2
	silent                          float32
}

func newTables(p mel.Params) tables {
	def := p.Tables()
	t := tables{
		factor: float32(def.Factor * math.Log10(2)), offset: float32(def.Offset), below: float32(def.Below),
		silent: float32(def.Factor*math.Log10(def.Least) + def.Offset),
	}
	if def.Below == 0 {
		t.below = float32(math.Inf(1))
	}
	for _, w := range def.Window {
		t.window = appendFloat(t.window, w)
	}
	for k := range 20 {
		for j := range 20 {
			sin, cos := math.Sincos(-2 * math.Pi * float64(j*k) / frameSamples)
			t.twiddle = appendFloat(appendFloat(t.twiddle, cos), sin)
		}
	}
	scale := 0.25 // the kernel's powers are four times too large, its magnitudes twice
	if p.Power == 1 {
		scale = 0.5
	}
	n := uint32(0)
	t.firstTap = binary.LittleEndian.AppendUint32(nil, n)
	for _, f := range def.Filters {
		for i, w := range f.Weights {
			k := f.First + i
			t.taps = appendFloat(t.taps, scale*float64(w))
			t.taps = binary.LittleEndian.AppendUint32(t.taps, uint32(k%20*20+k/20))
			n++
		}
		t.firstTap = binary.LittleEndian.AppendUint32(t.firstTap, n)
	}
	return t
}

func appendFloat(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
}

// newKernel loads the code into the context, which must be current.
func newKernel(ctx *cuda.Context, p mel.Params) (_ *kernel, err error) {
	if err := Fits(p); err != nil {
		return nil, err
	}
	k := &kernel{params: p, tables: newTables(p)}
	if len(k.tables.taps) > mostTaps*8 { // every frequency lies in two filters at most
		return nil, fmt.Errorf("the GPU kernel supports up to %d filter weights, not %d", mostTaps, len(k.tables.taps)/8)
	}
	if k.module, err = ctx.LoadModule(logmelPTX); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = k.module.Unload()
		}
	}()
	for name, table := range map[string][]byte{
		"window": k.tables.window, "twiddle": k.tables.twiddle, "taps": k.tables.taps, "first_tap": k.tables.firstTap,
	} {
		variable, err := k.module.Global(name)
		if err != nil {
			return nil, err
		}
		if err := ctx.CopyToDevice(variable, table); err != nil {
			return nil, err
		}
	}
	name := "logmel_power"
	if p.Power == 1 {
		name = "logmel_magnitude"
	}
	if k.features, err = k.module.Function(name); err != nil {
		return nil, err
	}
	if k.finish, err = k.module.Function("finish"); err != nil {
		return nil, err
	}
	return k, k.features.AllowShared(sharedBytes)
}

// launch queues both kernels for a batch whose bytes lie at in; values go to out.
func (k *kernel) launch(s cuda.Stream, b *batch, in, out cuda.DeviceMemory) error {
	samples := uint64(in.Address)
	clips := samples + uint64(b.clipsAt())
	blocks := clips + uint64(len(b.clips)*descriptorBytes)
	chunks := blocks + uint64(len(b.blocks)*pairBytes)
	float := func(f float32) uint64 { return uint64(math.Float32bits(f)) }
	factor, offset := float(k.tables.factor), float(k.tables.offset)
	if len(b.blocks) > 0 {
		shape := cuda.Shape{Blocks: len(b.blocks), Threads: blockThreads, Shared: sharedBytes}
		if err := s.Launch(k.features, shape, samples, clips, blocks, uint64(out.Address), uint64(k.params.Mels), factor,
			offset); err != nil {
			return err
		}
	}
	if len(b.chunks) == 0 {
		return nil
	}
	return s.Launch(k.finish, cuda.Shape{Blocks: len(b.chunks), Threads: finishThreads},
		clips, chunks, uint64(out.Address), uint64(k.params.Mels), factor, offset, float(k.tables.below))
}
