package dataset

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"saturate/internal/audio"
	"saturate/internal/files"
	"saturate/internal/mel"
)

// Checksums are those an input can have in the output. Without one, inputs that change are known by size and time only,
// and a build beside a fast GPU, which is bound by the host's memory, reads each of them once less.
const (
	CRC32C     = "crc32c"
	SHA256     = "sha256"
	NoChecksum = "none"
)

// wholeFile is the largest file that is read into memory; longer ones are decoded as a stream.
const wholeFile = 8 << 20

// keepBuffer is how much a slot keeps for the next file, bytes or samples.
const keepBuffer = 16 << 20

// slot is a file that is being processed: its bytes, its samples, what is known of it.
type slot struct {
	item   int
	data   []byte
	floats []float32
	pcm    []int16
	clip   mel.Samples
	out    outcome
	cursor cursor // where its first row goes

	pending atomic.Int32 // parcels of it on their way, and one for who sends them
	odd     atomic.Int32 // samples in its rows that were no numbers
}

// decoder reads items.
type decoder struct {
	opt   Options
	shape shape
	list  *List
	tars  map[string]*os.File
}

// source is an item's bytes.
type source struct {
	*io.SectionReader
	file *os.File // to be closed; nil for an archive's
	path string   // "" for a member
}

func (s source) close() {
	if s.file != nil {
		s.file.Close()
	}
}

func (d *decoder) open(it *Item) (source, error) {
	if it.Bad != "" {
		return source{}, errors.New(it.Bad)
	}
	if it.local != "" {
		return openLocal(it)
	}
	if it.Tar != "" {
		f := d.tars[it.Tar]
		return source{SectionReader: io.NewSectionReader(f, it.At, it.Size)}, nil
	}
	path := d.opt.path(it.Path)
	f, err := files.Open(path)
	if err != nil {
		return source{}, fmt.Errorf("cannot be read: %w", reason(err))
	}
	return source{io.NewSectionReader(f, 0, it.Size), f, path}, nil
}

// read fills the slot with an item's samples, or with why there are none. A file that is too long for
// memory is left in stream for the caller, which knows its place.
func (d *decoder) read(ctx context.Context, s *slot, turn int, ahead *readAhead) (stream *audio.Reader, src source) {
	it := &d.list.Items[s.item]
	s.out, s.clip = outcome{}, mel.Samples{}
	src, err := ahead.take(turn, it, d.open)
	if err == nil {
		stream, err = d.decode(ctx, s, it, src)
	}
	if err != nil && ctx.Err() == nil {
		s.out.state, s.out.reason = quarantined, clean(err.Error())
		s.clip = mel.Samples{}
	}
	if stream == nil {
		src.close()
	}
	return stream, src
}

func (d *decoder) decode(ctx context.Context, s *slot, it *Item, src source) (*audio.Reader, error) {
	limit := d.limit(it)
	if it.Size > wholeFile {
		return d.long(ctx, s, it, src, limit)
	}
	if cap(s.data) < int(it.Size) {
		s.data = d.opt.buffer(int(it.Size))
	}
	s.data = s.data[:it.Size]
	if _, err := src.ReadAt(s.data, 0); err != nil && !(err == io.EOF && it.Size == 0) {
		if err == io.EOF {
			err = errors.New("file shrank while it was read")
		}
		return nil, fmt.Errorf("cannot be read: %w", reason(err))
	}
	d.checksum(&s.out, s.data)
	clip, err := audio.Decode(ctx, "", s.data, audio.Options{
		Rate: d.shape.params.SampleRate, Limit: limit, Buffer: s.floats,
		PCM: func(n int) []int16 { return s.room16(n, d.opt) }, Path: src.path, FFmpeg: d.opt.FFmpeg,
	})
	if err != nil {
		return nil, decodeError(err)
	}
	if clip.Samples != nil {
		s.floats = clip.Samples
	}
	if err := d.took(s, it, clip); err != nil {
		return nil, err
	}
	if d.shape.step > 0 && s.out.samples > int64(wholeClip.Seconds()*float64(clip.Rate)) {
		return d.long(ctx, s, it, src, limit)
	}
	return nil, nil
}

// wholeClip is the longest file that is held in memory to be cut into segments.
const wholeClip = 10 * time.Minute

// limit is how much of a file is decoded at once: a row, or what is held in memory, and one sample more, so
// that longer files are known.
func (d *decoder) limit(it *Item) time.Duration {
	rate := float64(d.shape.params.SampleRate)
	most := float64(d.shape.most+1) / rate
	switch {
	case d.shape.step > 0:
		most = wholeClip.Seconds() + 1/rate
	case !d.shape.ragged:
		most = float64(d.shape.length+1) / rate
	}
	if it.Span > 0 {
		most = min(most, it.Span)
	}
	return time.Duration(math.Ceil(min(it.Start+most, mostSeconds) * float64(time.Second)))
}

// took cuts the item out of a decoded file and notes what it is.
func (d *decoder) took(s *slot, it *Item, clip audio.Clip) error {
	s.out.rate, s.out.channels = int32(clip.Info.Rate), uint16(clip.Info.Channels)
	whole := clip.Info.Duration().Seconds()
	if clip.Info.Frames < 0 {
		whole = clip.Duration().Seconds()
	}
	rate := float64(clip.Rate)
	from := min(clip.Len(), int(math.Round(it.Start*rate)))
	to := clip.Len()
	s.out.seconds = max(0, whole-it.Start)
	if it.Span > 0 {
		to = min(to, from+int(math.Round(it.Span*rate)))
		s.out.seconds = min(s.out.seconds, it.Span)
	}
	if clip.PCM != nil {
		s.clip = mel.Samples{PCM: clip.PCM[from:to]}
	} else if clip.Samples != nil {
		s.clip = mel.Samples{Float: clip.Samples[from:to]}
	}
	s.out.state, s.out.samples = done, int64(to-from)
	return d.judge(s.out, it)
}

// judge says why a decoded file cannot become features after all.
func (d *decoder) judge(o outcome, it *Item) error {
	switch {
	case o.samples == 0 && it.Start > 0:
		return fmt.Errorf("ends before the offset of %g s given in the list", it.Start)
	case o.samples == 0:
		return errors.New("has no samples")
	case d.shape.ragged && d.shape.frames(int(o.samples)) == 0:
		return fmt.Errorf("%d samples, fewer than one hop of %d", o.samples, d.shape.params.Hop)
	case d.shape.ragged && o.samples > int64(d.shape.most):
		return d.tooLong(o.seconds)
	}
	return nil
}

func (d *decoder) tooLong(seconds float64) error {
	return fmt.Errorf("%.0f s long, too long to keep in memory; use --layout fixed, --segment, or --max-duration above %v",
		seconds, d.opt.MaxDuration)
}

// long opens a file that does not go into memory as a whole.
func (d *decoder) long(ctx context.Context, s *slot, it *Item, src source, limit time.Duration) (*audio.Reader, error) {
	s.out, s.clip = outcome{}, mel.Samples{}
	if d.shape.step > 0 {
		limit = 0
	}
	if err := d.checksumStream(&s.out, src, &s.data); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", reason(err))
	}
	r, err := audio.NewReader(ctx, "", src, it.Size, audio.Options{
		Rate: d.shape.params.SampleRate, Limit: limit, Path: src.path, FFmpeg: d.opt.FFmpeg,
	})
	if err != nil {
		return nil, decodeError(err)
	}
	if d.shape.step > 0 {
		s.out.rate, s.out.channels = int32(r.Info().Rate), uint16(r.Info().Channels)
		return r, nil
	}
	defer r.Close()
	known := float64(r.Info().Frames) / float64(r.Info().Rate)
	if d.shape.ragged && it.Span == 0 && known-it.Start > d.opt.MaxDuration.Seconds() {
		return nil, d.tooLong(known - it.Start)
	}
	samples := s.floats[:0]
	for {
		if len(samples) == cap(samples) {
			samples = append(samples, 0)[:len(samples)]
		}
		n, err := r.Read(samples[len(samples):cap(samples)])
		samples = samples[:len(samples)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, decodeError(err)
		}
	}
	s.floats = samples
	return nil, d.took(s, it, audio.Clip{Info: r.Info(), Rate: r.Rate(), Samples: samples})
}

// decodeError takes off the empty name that messages begin with.
func decodeError(err error) error {
	text := err.Error()
	if len(text) > 2 && text[:2] == ": " {
		text = text[2:]
	}
	return errors.New(text)
}

func (d *decoder) checksum(o *outcome, data []byte) {
	switch d.opt.Checksum {
	case SHA256:
		sum := sha256.Sum256(data)
		o.sha = &sum
	case CRC32C:
		o.crc = crc32c(0, data)
	}
}

// checksumStream reads a long file once, in pieces.
func (d *decoder) checksumStream(o *outcome, src source, buffer *[]byte) error {
	if d.opt.Checksum == NoChecksum {
		return nil
	}
	const piece = 1 << 20
	if cap(*buffer) < piece {
		*buffer = make([]byte, piece)
	}
	p := (*buffer)[:piece]
	whole := sha256.New()
	for at := int64(0); at < src.Size(); {
		n, err := src.ReadAt(p, at)
		if n == 0 {
			if err == io.EOF {
				err = errors.New("file shrank while it was read")
			}
			return err
		}
		if d.opt.Checksum == SHA256 {
			whole.Write(p[:n])
		} else {
			o.crc = crc32c(o.crc, p[:n])
		}
		at += int64(n)
	}
	if d.opt.Checksum == SHA256 {
		o.sha = new([32]byte)
		whole.Sum(o.sha[:0])
	}
	return nil
}

// room16 is the slot's memory for samples of 16 bits.
func (s *slot) room16(n int, opt Options) []int16 {
	if cap(s.pcm) >= n {
		return s.pcm[:n]
	}
	if 2*n > wholeFile { // unusually long; Memory takes nothing back
		return make([]int16, n)
	}
	memory := opt.buffer(2 * n)
	s.pcm = unsafe.Slice((*int16)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/2)
	return s.pcm[:n]
}

// rest lets go of memory that only an unusually long file needed.
func (s *slot) rest() {
	s.clip = mel.Samples{}
	if cap(s.data) > keepBuffer { // which no file that is read whole needs, so what Memory gave stays
		s.data = nil
	}
	if cap(s.floats) > keepBuffer/4 {
		s.floats = nil
	}
}
