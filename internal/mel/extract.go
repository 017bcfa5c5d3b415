package mel

import (
	"fmt"
	"math"
)

// Samples is mono audio: PCM or Float is set, as audio.Clip gives it. PCM counts as a 32768th.
//
// A float sample that is NaN or infinite counts as silence, and one beyond ±1e16, whose
// power float32 could not hold, as ±1e16; how many there were is reported.
type Samples struct {
	PCM   []int16
	Float []float32
}

// Len is the number of samples.
func (s Samples) Len() int { return len(s.PCM) + len(s.Float) }

func (s Samples) slice(from, to int) Samples {
	if s.PCM != nil {
		return Samples{PCM: s.PCM[from:to]}
	}
	return Samples{Float: s.Float[from:to]}
}

// mostSample is the largest sample whose power sums stay finite in float32.
const mostSample = 1e16

// plane is where values go, a row per band: half or single is set. It starts at the first value
// to write, and the next band's is stride further.
type plane struct {
	half   []uint16
	single []float32
	stride int
}

func (p plane) from(i int) plane {
	if p.half != nil {
		return plane{half: p.half[i:], stride: p.stride}
	}
	return plane{single: p.single[i:], stride: p.stride}
}

// An engine takes blocks of consecutive frames from samples to unclamped values, in two moves: it
// takes a block's samples, and in the next move computes that block while it takes another.
type engine interface {
	level() Level
	lanes() int // frames in a block
	span() int  // samples it reads from the start of a block's first frame
	reset()
	// take reads the first block's samples.
	take(first Samples)
	// step computes the block taken before and those that follow it, and takes one more each time:
	// next holds their samples. When it is empty, one block is computed and none taken.
	step(next Samples, blocks int, out plane)
	// peak is the largest value since reset.
	peak() float32
	// bits is all bits of all float samples since reset.
	bits() uint32
	clampHalf(p []uint16, least uint16)
	clampSingle(p []float32, least float32)
}

// Extractor computes features. It holds tables and scratch memory and allocates nothing more, so
// every worker keeps its own; it is not for use by two at a time.
type Extractor struct {
	params Params
	engine engine
	silent float32   // what silence becomes, before the peak counts
	edge   Samples   // a block that reaches over an end of the clip
	short  []float32 // values of a clip with fewer frames than a block
	clean  []float32 // a clip without impossible samples
	odd    uint32    // bits of float samples that only an edge block saw
}

// New makes an extractor for the best instruction set of this machine.
func New(p Params) (*Extractor, error) { return NewAt(p, Levels()[0]) }

// NewAt makes an extractor for one of Levels. Parameters for which there is no assembly, all but
// frames of 400 samples at a hop of 160, are computed in plain Go on every level.
func NewAt(p Params, level Level) (*Extractor, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	e, err := newEngine(p, level)
	if err != nil {
		return nil, err
	}
	x := &Extractor{params: p, engine: e}
	x.edge = Samples{PCM: make([]int16, e.span()), Float: make([]float32, e.span())}
	x.short = make([]float32, p.Mels*e.lanes())
	e.take(Samples{Float: x.edge.Float})
	e.step(Samples{}, 1, plane{single: x.short, stride: e.lanes()})
	x.silent = x.short[0]
	return x, nil
}

// Params are those the extractor was made with.
func (x *Extractor) Params() Params { return x.params }

// Level is the instruction set in use: another one may round some values differently.
func (x *Extractor) Level() Level { return x.engine.level() }

// Half writes features as FP16 bits, bands by frames: dst[band·frames + frame]. The clip is cut,
// or padded with silence, to length samples first; its own length leaves it as it is. dst holds
// Params().Mels · Params().Frames(length) values. The number of impossible samples is returned.
func (x *Extractor) Half(dst []uint16, in Samples, length int) (impossible int, err error) {
	return x.extract(plane{half: dst}, len(dst), in, length)
}

// Single is Half with float32 values.
func (x *Extractor) Single(dst []float32, in Samples, length int) (impossible int, err error) {
	return x.extract(plane{single: dst}, len(dst), in, length)
}

func (x *Extractor) extract(out plane, size int, in Samples, length int) (impossible int, err error) {
	if in.PCM != nil && in.Float != nil {
		return 0, fmt.Errorf("mel: a clip has %d int16 and %d float samples; use only one kind", len(in.PCM), len(in.Float))
	}
	out.stride = x.params.Frames(length)
	if length < 0 || size != x.params.Mels*out.stride {
		return 0, fmt.Errorf("mel: the buffer has %d values; %d bands of %d frames (%d samples) need %d",
			size, x.params.Mels, out.stride, length, x.params.Mels*out.stride)
	}
	if size == 0 {
		return 0, nil
	}
	if in.Len() > length {
		in = in.slice(0, length)
	}
	x.compute(out, in, length)
	const sizeTwo = 1 << 30 // the bit of a float32 that says: 2 or more, or no number
	if (x.engine.bits()|x.odd)&sizeTwo != 0 {
		if impossible = x.cleaned(in.Float); impossible > 0 {
			x.compute(out, Samples{Float: x.clean}, length)
		}
	}
	return impossible, nil
}

// cleaned makes x.clean a copy of the samples in which all are possible.
func (x *Extractor) cleaned(samples []float32) (impossible int) {
	x.clean = append(x.clean[:0], samples...)
	return Clean(x.clean)
}

// Clean makes every sample a possible one, and tells how many were not.
func Clean(samples []float32) (impossible int) {
	for i, v := range samples {
		switch {
		case v >= -mostSample && v <= mostSample:
			continue
		case math.IsNaN(float64(v)) || math.IsInf(float64(v), 0):
			samples[i] = 0
		default:
			samples[i] = max(-mostSample, min(mostSample, v))
		}
		impossible++
	}
	return impossible
}

// compute fills out with the features of a clip that is padded to length samples.
func (x *Extractor) compute(out plane, in Samples, length int) {
	frames := x.params.SoundingFrames(in.Len(), length)
	x.engine.reset()
	x.odd = 0
	var peak float32
	if lanes := x.engine.lanes(); frames >= lanes {
		x.blocks(out, in, length, frames)
		peak = x.engine.peak()
	} else {
		peak = x.fewFrames(out, in, length, frames)
	}
	least := float32(math.Inf(-1))
	if x.params.Scaling == WhisperScale {
		factor, _ := x.params.affine()
		least = peak - float32(floorBelowPeak*factor)
	}
	x.finish(out, frames, least)
}

// mostBlocks are computed without a look at the scheduler: about 30 µs in assembly.
const mostBlocks = 16

// blocks computes whole blocks; the last one starts earlier where frames are not a multiple, and
// writes some values a second time.
func (x *Extractor) blocks(out plane, in Samples, length, frames int) {
	lanes, span := x.engine.lanes(), x.engine.span()
	x.engine.take(x.block(in, length, 0))
	for f := 0; ; {
		next := min(f+lanes, frames-lanes)
		if next == f {
			x.engine.step(Samples{}, 1, out.from(f))
			// Engines look at the samples where a block's frames begin. What the last frame has beyond is looked at here.
			end := x.firstSample(f) + lanes*x.params.Hop
			for _, v := range in.Float[min(max(0, end), len(in.Float)):min(max(0, end+span), len(in.Float))] {
				x.odd |= math.Float32bits(v)
			}
			return
		}
		// Blocks whose samples all lie in the clip go together.
		from := x.firstSample(next)
		if inside := min(mostBlocks, (frames-f)/lanes-1, (in.Len()-from-span)/(lanes*x.params.Hop)+1); inside > 1 &&
			from >= 0 {
			x.engine.step(in.slice(from, from+span+(inside-1)*lanes*x.params.Hop), inside, out.from(f))
			f += inside * lanes
			continue
		}
		x.engine.step(x.block(in, length, next), 1, out.from(f))
		f = next
	}
}

// fewFrames computes less than a block. The other lanes hold frames that are not the clip's, so
// the peak comes from the values themselves.
func (x *Extractor) fewFrames(out plane, in Samples, length, frames int) (peak float32) {
	peak = x.silent
	if frames == 0 {
		return peak
	}
	lanes := x.engine.lanes()
	x.engine.take(x.block(in, length, 0))
	x.engine.step(Samples{}, 1, plane{single: x.short, stride: lanes})
	for m := range x.params.Mels {
		row := x.short[m*lanes:][:frames]
		for f, v := range row {
			peak = max(peak, v)
			if out.half != nil {
				out.half[m*out.stride+f] = Half(v)
			} else {
				out.single[m*out.stride+f] = v
			}
		}
	}
	return peak
}

// finish raises the computed frames to least and fills those that are only padding. FP16 values
// are raised after they were rounded: rounding keeps the order, so the result is the same.
func (x *Extractor) finish(out plane, frames int, least float32) {
	clamp := !math.IsInf(float64(least), -1)
	if clamp && frames == out.stride { // rows touch: all of them are one
		x.clampRow(out, x.params.Mels*frames, least)
		return
	}
	silence := max(x.silent, least)
	for m := range x.params.Mels {
		row := out.from(m * out.stride)
		if clamp {
			x.clampRow(row, frames, least)
		}
		if row.half != nil {
			fill(row.half[frames:out.stride], Half(silence))
		} else {
			fill(row.single[frames:out.stride], silence)
		}
	}
}

func (x *Extractor) clampRow(row plane, n int, least float32) {
	if row.half != nil {
		x.engine.clampHalf(row.half[:n], Half(least))
	} else {
		x.engine.clampSingle(row.single[:n], least)
	}
}

// fill sets all values: some one by one, the rest by copying those, which moves whole vectors.
func fill[T any](s []T, v T) {
	const some = 64
	for i := range s[:min(some, len(s))] {
		s[i] = v
	}
	for n := some; n < len(s); n *= 2 {
		copy(s[n:], s[:n])
	}
}
