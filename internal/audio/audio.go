package audio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"saturate/internal/files"
)

// Info is what a file holds, before mixing and resampling.
type Info struct {
	Format   string // "wav", "flac", "mp3", "vorbis", "opus", or what ffmpeg read
	Rate     int    // samples per second and channel
	Channels int
	Frames   int64 // samples per channel; -1 when only decoding can tell
	Bits     int   // bits of a stored sample; 0 for lossy formats
}

// Duration is how long the file plays, or 0 when it is not known.
func (i Info) Duration() time.Duration {
	if i.Frames < 0 || i.Rate <= 0 {
		return 0
	}
	return time.Duration(float64(i.Frames) / float64(i.Rate) * float64(time.Second))
}

// Options say what to read from a file.
type Options struct {
	Rate   int           // samples per second to give; 0 keeps the file's own
	Limit  time.Duration // stop after this much audio; 0 reads everything
	Buffer []float32     // Decode puts its samples here when they fit, so that nothing is allocated
	// PCM gives Decode memory for so many samples of 16 bits, of a compressed file that holds no more; Go's is taken when
	// it is nil.
	PCM    func(samples int) []int16
	Path   string // where the file lies, for ffmpeg; Decode makes a temporary file without it
	FFmpeg string // the program; "ffmpeg" when empty, "none" to do without it
}

// Clip is decoded mono audio: either PCM or Samples is set, unless it is empty.
type Clip struct {
	Info    Info
	Rate    int
	PCM     []int16   // as the file has them: a view of its bytes, valid as long as they are, or in memory of Options.PCM
	Samples []float32 // in [-1, 1] for integer formats
}

// Len is the number of samples.
func (c Clip) Len() int { return len(c.PCM) + len(c.Samples) }

// Duration is how long the clip plays.
func (c Clip) Duration() time.Duration {
	if c.Rate == 0 {
		return 0
	}
	return time.Duration(float64(c.Len()) / float64(c.Rate) * float64(time.Second))
}

// Float32 is the clip as float samples; PCM is converted into dst when it is large enough.
func (c Clip) Float32(dst []float32) []float32 {
	if c.PCM == nil {
		return c.Samples
	}
	dst = sized(dst, len(c.PCM))
	for i, v := range c.PCM {
		dst[i] = float32(v) * (1.0 / 32768)
	}
	return dst
}

// Int16 is the clip as 16-bit samples, rounded and clipped.
func (c Clip) Int16() []int16 {
	if c.Samples == nil {
		return c.PCM
	}
	return toInt16(nil, c.Samples)
}

// Errors that callers tell apart.
var (
	ErrTruncated   = errors.New("the file ends early")
	ErrUnsupported = errors.New("this kind of audio has no built-in decoder")
	errNoFFmpeg    = errors.New("ffmpeg is not installed")
)

// Decode reads a whole file that is in memory. The name is for messages.
func Decode(ctx context.Context, name string, data []byte, opt Options) (Clip, error) {
	if clip, ok := decodeView(data, opt); ok {
		return clip, nil
	}
	r, err := NewReader(ctx, name, bytes.NewReader(data), int64(len(data)), opt)
	if err != nil {
		return Clip{}, err
	}
	defer r.Close()
	n := r.expected()
	if n >= samplesPerByte*int64(len(data)) {
		n = 0
	}
	if pcm, ok := r.src.(pcmSource); ok && n > 0 && r.resampler == nil && pcm.isPCM() {
		return r.pcm(pcm, int(n), opt.PCM)
	}
	buffer := opt.Buffer[:0]
	if n > int64(cap(buffer)) {
		buffer = make([]float32, 0, n+1) // one more, so that the end is seen without growing
	}
	samples, err := r.rest(buffer)
	return Clip{Info: r.Info(), Rate: r.Rate(), Samples: samples}, err
}

// DecodeFile reads a file into memory and decodes it.
func DecodeFile(ctx context.Context, path string, opt Options) (Clip, error) {
	data, err := files.Read(path, files.MaxAudio)
	if err != nil {
		return Clip{}, fmt.Errorf("cannot read the audio: %w", err)
	}
	opt.Path = path
	return Decode(ctx, path, data, opt)
}

// samplesPerByte is more than speech codecs reach: a header that promises more is not believed in advance.
const samplesPerByte = 32

// expected is how many samples the header lets one expect, 0 when it does not say.
func (r *Reader) expected() int64 {
	if r.facts.Frames < 0 {
		return 0
	}
	n := int64(math.Ceil(float64(r.facts.Frames) * float64(r.rate) / float64(r.facts.Rate)))
	if r.left >= 0 {
		n = min(n, r.left)
	}
	return n
}

// pcm reads everything as it is stored.
func (r *Reader) pcm(src pcmSource, n int, room func(int) []int16) (Clip, error) {
	if room == nil {
		room = func(n int) []int16 { return make([]int16, n) }
	}
	dst := room(n)[:n]
	got, err := guarded(src.readPCM, dst)
	if err != nil {
		return Clip{}, fmt.Errorf("%s: %w", r.name, err)
	}
	return Clip{Info: r.facts, Rate: r.rate, PCM: dst[:got]}, nil
}

// rest reads everything that is left, behind what dst holds.
func (r *Reader) rest(dst []float32) ([]float32, error) {
	for {
		if len(dst) == cap(dst) {
			dst = append(dst, 0)[:len(dst)]
		}
		n, err := r.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		if err == io.EOF {
			return dst, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// sized gives a slice of n elements, the given one when it is large enough.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
