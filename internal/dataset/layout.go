package dataset

import (
	"fmt"
	"math"
	"time"

	"saturate/internal/audio"
	"saturate/internal/mel"
)

// Layouts are the ways rows can lie.
const (
	Fixed  = "fixed"  // every row has the same number of frames
	Ragged = "ragged" // every file has its own number of frames, one behind the other
)

// shape is what a file becomes.
type shape struct {
	params mel.Params
	ragged bool
	length int // samples of a row; 0 in ragged
	step   int // samples from one segment to the next; 0 for one row a file
	most   int // samples of the longest file that is held in memory
}

func newShape(o Options) (shape, error) {
	s := shape{params: o.Params, ragged: o.Layout == Ragged}
	samples := func(d time.Duration) int { return int(math.Round(d.Seconds() * float64(o.Params.SampleRate))) }
	if err := o.Params.Check(); err != nil {
		return s, err
	}
	s.most = samples(o.MaxDuration)
	switch {
	case o.Params.SampleRate > audio.MaxRate:
		return s, fmt.Errorf("--sample-rate %d is unsupported: use 1 to %d Hz", o.Params.SampleRate, audio.MaxRate)
	case o.Layout != Fixed && o.Layout != Ragged:
		return s, fmt.Errorf("unknown layout %q; use %s or %s", o.Layout, Fixed, Ragged)
	case o.MaxDuration <= 0:
		return s, fmt.Errorf("--max-duration must be greater than 0, not %v", o.MaxDuration)
	case s.ragged && o.Segment != 0:
		return s, fmt.Errorf("--segment needs --layout %s; remove --segment or change the layout", Fixed)
	case s.ragged:
		return s, nil
	case o.Segment == 0 && o.Overlap != 0:
		return s, fmt.Errorf("--overlap %v needs --segment", o.Overlap)
	case o.Segment < 0 || o.Overlap < 0 || o.Overlap > 0 && o.Overlap >= o.Segment:
		return s, fmt.Errorf("--segment %v must be longer than --overlap %v", o.Segment, o.Overlap)
	}
	flag, length := "--length", o.Length
	s.length = samples(o.Length)
	if o.Segment > 0 {
		flag, length = "--segment", o.Segment
		s.length, s.step = samples(o.Segment), max(1, samples(o.Segment)-samples(o.Overlap))
	}
	const mostRow = 1 << 30 // bytes: a row is computed in memory
	most := mostRow / 2 / s.params.Mels
	if f := s.params.Frames(s.length); f < 1 || s.length > math.MaxInt32 || f > most {
		return s, fmt.Errorf("%s %v gives rows of %d frames of %d bands; 1 to %d frames are supported", flag, length, f,
			s.params.Mels, most)
	}
	return s, nil
}

// rows is how many rows a clip of so many samples takes.
func (s shape) rows(samples int64) int64 {
	if s.step == 0 || samples <= int64(s.length) {
		return 1
	}
	return 1 + (samples-int64(s.length)+int64(s.step)-1)/int64(s.step)
}

// ordered says whether the place of a row depends on the lengths of the files before it.
func (s shape) ordered() bool { return s.ragged || s.step > 0 }

// rowSamples is the length of a row of a clip with so many samples.
func (s shape) rowSamples(samples int64) int {
	if s.ragged {
		return int(samples)
	}
	return s.length
}

// frames is how many frames fit into a row of so many samples.
func (s shape) frames(rowSamples int) int { return s.params.Frames(rowSamples) }

// sounding is how many frames of a segment are the clip's own; the rest is padding.
func (s shape) sounding(samples, segment int64) int {
	left := samples - segment*int64(s.step)
	return s.params.Frames(int(min(max(left, 0), int64(s.rowSamples(samples)))))
}

// piece gives the samples of a segment.
func (s shape) piece(clip mel.Samples, segment int64) mel.Samples {
	from := int(segment) * s.step
	to := min(clip.Len(), from+s.rowSamples(int64(clip.Len())))
	if clip.PCM != nil {
		return mel.Samples{PCM: clip.PCM[from:to]}
	}
	return mel.Samples{Float: clip.Float[from:to]}
}
