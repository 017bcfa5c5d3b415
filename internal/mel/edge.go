package mel

import "math"

// SoundingFrames is how many frames hold samples of the clip: those after hold only the silence
// it is padded with, and are not computed. The reflection at the padding's end does not bring
// samples back to them: a frame that starts behind the clip ends too early for that.
func (p Params) SoundingFrames(samples, length int) int {
	if samples == 0 {
		return 0
	}
	return min(p.Frames(length), (samples+p.NFFT/2+p.Hop-1)/p.Hop)
}

// firstSample is where frame f starts; before the clip for the first frames.
func (x *Extractor) firstSample(f int) int { return f*x.params.Hop - x.params.NFFT/2 }

// block gives the samples of the block at frame f, those of the clip itself where it can.
func (x *Extractor) block(in Samples, length, f int) Samples {
	from, span := x.firstSample(f), x.engine.span()
	if from >= 0 && from+span <= in.Len() {
		return in.slice(from, from+span)
	}
	if in.Float == nil {
		reflected(x.edge.PCM, in.PCM, from, length)
		return Samples{PCM: x.edge.PCM}
	}
	reflected(x.edge.Float, in.Float, from, length)
	for _, v := range x.edge.Float {
		x.odd |= math.Float32bits(v)
	}
	return Samples{Float: x.edge.Float}
}

// reflected fills dst with samples from position from on, of a clip that is padded with silence
// to length samples and then continued by reflection at both ends.
func reflected[T int16 | float32](dst, clip []T, from, length int) {
	for i := 0; i < len(dst); {
		at := from + i
		switch {
		case at >= 0 && at < len(clip):
			i += copy(dst[i:], clip[at:])
		case at >= len(clip) && at < length:
			n := min(len(dst)-i, length-at)
			clear(dst[i:][:n])
			i += n
		default:
			dst[i] = 0
			if at := mirror(at, length); at < len(clip) {
				dst[i] = clip[at]
			}
			i++
		}
	}
}
