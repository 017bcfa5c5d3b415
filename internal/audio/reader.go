package audio

import (
	"context"
	"fmt"
	"io"
	"math"
	"sync"
)

// source gives the interleaved samples of one file, as the file has them.
type source interface {
	info() Info
	// read fills dst with whole frames and returns the number of values; io.EOF comes alone.
	read(dst []float32) (int, error)
	close() error
}

// pcmSource is a source whose samples may be of one channel and 16 bits at most: those need not become floats.
type pcmSource interface {
	source
	isPCM() bool
	// readPCM fills dst, or as much of it as there is; it is read to the end where dst is as long as the file.
	readPCM(dst []int16) (int, error)
}

// Limits beyond which a header is lying or a file is not audio.
const (
	MaxRate     = 768_000
	maxChannels = 1024
)

// Reader streams a file as mono samples at one rate.
type Reader struct {
	name  string
	src   source
	facts Info
	rate  int

	resampler *Resampler // nil when the rates agree
	buf       *buffers
	mono      []float32 // mixed samples that the resampler has not taken yet
	ended     bool
	left      int64 // samples still to give, -1 for all
}

// buffers are what a Reader works in; they are used again by the next one.
type buffers struct{ interleaved, mono []float32 }

const blockFrames = 4096

var bufferPool = sync.Pool{New: func() any { return new(buffers) }}

// NewReader opens a file of the given size for streaming. Close it afterwards.
func NewReader(ctx context.Context, name string, r io.ReaderAt, size int64, opt Options) (*Reader, error) {
	src, err := open(ctx, r, size, opt)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return newReader(name, src, opt)
}

func newReader(name string, src source, opt Options) (*Reader, error) {
	facts := src.info()
	if err := checkInfo(facts); err != nil {
		src.close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	rd := &Reader{name: name, src: src, facts: facts, rate: opt.Rate, left: -1}
	if rd.rate <= 0 {
		rd.rate = facts.Rate
	}
	if rd.rate != facts.Rate {
		var err error
		if rd.resampler, err = newResampler(facts.Rate, rd.rate); err != nil {
			src.close()
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if opt.Limit > 0 {
		rd.left = int64(math.Ceil(opt.Limit.Seconds() * float64(rd.rate)))
	}
	rd.buf = bufferPool.Get().(*buffers)
	return rd, nil
}

func checkInfo(i Info) error {
	switch {
	case i.Rate < 1 || i.Rate > MaxRate:
		return fmt.Errorf("the header says %d Hz; supported rates are 1 to %d Hz", i.Rate, MaxRate)
	case i.Channels < 1 || i.Channels > maxChannels:
		return fmt.Errorf("the header says %d channels; 1 to %d are supported", i.Channels, maxChannels)
	}
	return nil
}

// Info is what the file holds.
func (r *Reader) Info() Info { return r.facts }

// Rate is the rate of the samples that Read gives.
func (r *Reader) Rate() int { return r.rate }

// Read gives the next samples; io.EOF comes alone, after the last.
func (r *Reader) Read(dst []float32) (int, error) {
	if r.src == nil {
		return 0, fmt.Errorf("%s: read after Close", r.name)
	}
	if r.left >= 0 && int64(len(dst)) > r.left {
		dst = dst[:r.left]
		if r.left == 0 {
			return 0, io.EOF
		}
	}
	if len(dst) == 0 {
		return 0, nil
	}
	for {
		n := r.take(dst)
		if n > 0 {
			if r.left >= 0 {
				r.left -= int64(n)
			}
			return n, nil
		}
		if r.ended {
			return 0, io.EOF
		}
		if err := r.fill(); err != nil {
			return 0, fmt.Errorf("%s: %w", r.name, err)
		}
	}
}

// take moves mixed samples to dst, resampled where the rates differ.
func (r *Reader) take(dst []float32) int {
	if r.resampler == nil {
		n := copy(dst, r.mono)
		r.mono = r.mono[n:]
		return n
	}
	r.mono = r.mono[r.resampler.Write(r.mono):]
	if r.ended && len(r.mono) == 0 {
		r.resampler.Flush()
	}
	return r.resampler.Read(dst)
}

// fill mixes the next block of the source.
func (r *Reader) fill() error {
	r.buf.interleaved = sized(r.buf.interleaved, blockFrames*r.facts.Channels)
	n, err := guarded(r.src.read, r.buf.interleaved)
	if err == io.EOF {
		r.ended, err = true, nil
	}
	if err != nil {
		return err
	}
	r.mono = r.buf.interleaved[:n]
	if r.facts.Channels > 1 {
		r.buf.mono = sized(r.buf.mono, blockFrames)
		r.mono = r.buf.mono[:n/r.facts.Channels]
		mix(r.mono, r.buf.interleaved[:n], r.facts.Channels)
	}
	return nil
}

// guarded turns a decoder's panic over damaged data into an error.
func guarded[T any](read func([]T) (int, error), dst []T) (n int, err error) {
	defer func() {
		if p := recover(); p != nil {
			n, err = 0, damaged(p)
		}
	}()
	return read(dst)
}

func damaged(p any) error { return fmt.Errorf("the audio data is damaged: %v", p) }

// Close lets go of the source. It may be called more than once.
func (r *Reader) Close() error {
	if r.src == nil {
		return nil
	}
	err := r.src.close()
	r.src, r.ended, r.mono = nil, true, nil
	bufferPool.Put(r.buf)
	r.buf = nil
	if r.resampler != nil {
		r.resampler.release()
		r.resampler = nil
	}
	return err
}

// mix is the mean over the channels, as librosa.to_mono has it.
func mix(mono, interleaved []float32, channels int) {
	if channels == 2 {
		for i := range mono {
			mono[i] = (interleaved[2*i] + interleaved[2*i+1]) * 0.5
		}
		return
	}
	scale := 1 / float32(channels)
	for i := range mono {
		sum := float32(0)
		for _, v := range interleaved[i*channels : (i+1)*channels] {
			sum += v
		}
		mono[i] = sum * scale
	}
}
