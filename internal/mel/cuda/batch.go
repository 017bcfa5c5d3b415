package melcuda

import (
	"fmt"
	"math"
	"unsafe"

	"saturate/internal/mel"
)

// Clip is one clip to compute: its samples, cut or padded with silence to Length samples, become
// FP16 bands by frames in Dst, as mel.Extractor.Half does it.
type Clip struct {
	Samples    mel.Samples
	Length     int
	Dst        []uint16
	Impossible int // is set to the number of samples that were no numbers
}

// batch is many clips as the kernels read them: samples, then these lists one behind the other.
type batch struct {
	params mel.Params
	silent int32 // the peak that every clip starts with
	clamps bool
	clips  []descriptor
	blocks []pair // clip and first frame of each block of features
	chunks []pair // clip and number of each block of finish

	sampleBytes int // each clip starts at a multiple of 16
	values      int
}

// descriptor is a clip in the kernels' own layout.
type descriptor struct {
	samples, out                                    int64
	count, length, frames, sounding, peak, isFloats int32
}

type pair struct{ clip, at uint32 }

const (
	descriptorBytes = int(unsafe.Sizeof(descriptor{}))
	pairBytes       = int(unsafe.Sizeof(pair{}))
	alignment       = 16
	// positions are 32-bit numbers, a block may reach over the end
	mostSamples = math.MaxInt32 - 2*blockFrames*hopSamples
)

func newBatch(p mel.Params, t tables) batch {
	return batch{params: p, silent: ordered(t.silent), clamps: !math.IsInf(float64(t.below), 1)}
}

// ordered is an integer of the same order as the float, as in logmel.cu.
func ordered(f float32) int32 {
	if i := int32(math.Float32bits(f)); i < 0 {
		return i ^ math.MaxInt32
	}
	return int32(math.Float32bits(f))
}

func (b *batch) reset() {
	b.clips, b.blocks, b.chunks = b.clips[:0], b.blocks[:0], b.chunks[:0]
	b.sampleBytes, b.values = 0, 0
}

// cut gives the samples of a clip that count.
func cut(s mel.Samples, length int) mel.Samples {
	if s.PCM != nil {
		return mel.Samples{PCM: s.PCM[:min(len(s.PCM), length)]}
	}
	return mel.Samples{Float: s.Float[:min(len(s.Float), length)]}
}

func sampleBytes(s mel.Samples) int { return 2*len(s.PCM) + 4*len(s.Float) }

// check says what is wrong with a clip.
func check(p mel.Params, c Clip) error {
	frames := p.Frames(c.Length)
	switch {
	case c.Samples.PCM != nil && c.Samples.Float != nil:
		return fmt.Errorf("a clip has %d int16 and %d float samples; use only one kind", len(c.Samples.PCM),
			len(c.Samples.Float))
	case c.Length > mostSamples:
		return fmt.Errorf("a clip of %d samples is too long for the GPU; the limit is %d", c.Length, mostSamples)
	case c.Length < 0 || len(c.Dst) != p.Mels*frames:
		return fmt.Errorf("the buffer has %d values; %d bands of %d frames (%d samples) need %d", len(c.Dst), p.Mels, frames,
			c.Length, p.Mels*frames)
	}
	return nil
}

// bytesFor is what a clip takes of a batch's input and output at most.
func bytesFor(p mel.Params, samples mel.Samples, length int) (in, out int) {
	frames := p.Frames(length)
	values := p.Mels * frames
	in = roundUp(sampleBytes(samples)) + descriptorBytes + pairBytes*(frames/blockFrames+1+values/finishValues+1)
	return in, 2 * values
}

func roundUp(n int) int { return (n + alignment - 1) / alignment * alignment }

// add puts a clip that passed check behind the others, its samples at the offset that is returned.
func (b *batch) add(samples mel.Samples, length int) (at int) {
	samples = cut(samples, length)
	at = b.sampleBytes
	frames := b.params.Frames(length)
	d := descriptor{
		samples: int64(at), out: int64(b.values), count: int32(samples.Len()), length: int32(length),
		frames: int32(frames), sounding: int32(b.params.SoundingFrames(samples.Len(), length)), peak: b.silent,
	}
	if samples.Float != nil {
		d.isFloats = 1
	}
	clip := uint32(len(b.clips))
	for f := 0; f < int(d.sounding); f += blockFrames {
		b.blocks = append(b.blocks, pair{clip, uint32(f)})
	}
	values := b.params.Mels * frames
	if b.clamps || d.sounding < d.frames {
		for i := 0; i*finishValues < values; i++ {
			b.chunks = append(b.chunks, pair{clip, uint32(i)})
		}
	}
	b.clips = append(b.clips, d)
	b.sampleBytes += roundUp(sampleBytes(samples))
	b.values += values
	return at
}

// clipsAt is where the lists start, and size is where they end.
func (b *batch) clipsAt() int { return b.sampleBytes }

func (b *batch) size() int {
	return b.sampleBytes + len(b.clips)*descriptorBytes + (len(b.blocks)+len(b.chunks))*pairBytes
}

// write puts the lists together.
func (b *batch) write(into []byte) []byte {
	n := copy(into, asBytes(b.clips))
	n += copy(into[n:], asBytes(b.blocks))
	n += copy(into[n:], asBytes(b.chunks))
	return into[:n]
}
