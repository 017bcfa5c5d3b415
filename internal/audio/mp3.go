package audio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"saturate/internal/audio/mp3"
	"saturate/internal/human"
)

// mp3Source decodes MP3 and cuts what encoder and decoder put before and behind the sound.
type mp3Source struct {
	facts   Info
	frames  mp3.Frames
	decoder mp3.Decoder
	block   [2 * mp3.MaxSamples]float32 // a decoded frame
	ready   []float32                   // what of it was not given yet
	skip    int64                       // samples of a channel still to drop
	left    int64                       // and still to give
}

// mp3Pool keeps decoders, with their buffers, from file to file.
var mp3Pool = sync.Pool{New: func() any { return new(mp3Source) }}

func isMP3(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	_, ok := mp3.ParseHeader(binary.BigEndian.Uint32(head))
	return ok
}

func openMP3(r io.ReaderAt, size int64) (source, error) {
	s := mp3Pool.Get().(*mp3Source)
	s.frames.Reset(r, size)
	s.decoder.Reset()
	s.ready, s.skip, s.left = nil, 0, 0
	if err := s.start(); err != nil {
		mp3Pool.Put(s)
		return nil, err
	}
	return s, nil
}

// start reads the tag in the first frame and counts the frames.
func (s *mp3Source) start() error {
	h, frame, at, err := s.frames.Next()
	if err != nil {
		return fmt.Errorf("%w: no complete MP3 frame", errors.Join(ErrTruncated, notEOF(err)))
	}
	tag, tagged := mp3.ReadTag(frame, h)
	if !s.frames.Followed() {
		return fmt.Errorf("%w: not an MP3 stream: only one frame found", ErrUnsupported)
	}
	if tagged {
		at += int64(h.Bytes)
	}
	s.frames.Rewind(at)
	count, err := s.frames.Count()
	switch {
	case err != nil:
		return fmt.Errorf("cannot read it: %w", err)
	case count == 0:
		return fmt.Errorf("%w: the MP3 file has no audio frame", ErrTruncated)
	case tag.Frames > count:
		return fmt.Errorf("%w: it has %s of %s MP3 frames", ErrTruncated, human.Count(count), human.Count(tag.Frames))
	}
	s.frames.Rewind(at)
	s.left = count * int64(h.Samples)
	if tag.Delay >= 0 {
		s.skip = min(s.left, tag.Delay+mp3.DecoderDelay)
		s.left = max(0, s.left-s.skip-max(0, tag.Padding-mp3.DecoderDelay))
	}
	s.facts = Info{Format: "mp3", Rate: h.Rate, Channels: h.Channels, Frames: s.left}
	return nil
}

func (s *mp3Source) info() Info { return s.facts }

func (s *mp3Source) read(dst []float32) (int, error) {
	channels := int64(s.facts.Channels)
	n := 0
	for s.left > 0 && n < len(dst) {
		if len(s.ready) == 0 {
			if err := s.next(); err != nil {
				return 0, err
			}
			continue
		}
		end := int(min(int64(len(dst)), int64(n)+s.left*channels))
		count := copy(dst[n:end], s.ready)
		s.ready = s.ready[count:]
		s.left -= int64(count) / channels
		n += count
	}
	if n == 0 && len(dst) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// next decodes a frame and drops what comes before the sound.
func (s *mp3Source) next() error {
	h, frame, _, err := s.frames.Next()
	if err == io.EOF {
		return fmt.Errorf("%w: %s missing", ErrTruncated, human.Plural(int(s.left), "sample")+human.Choose(int(s.left), " is",
			" are"))
	}
	if err != nil {
		return fmt.Errorf("cannot read it: %w", err)
	}
	channels := s.facts.Channels
	s.ready = s.block[:h.Samples*channels]
	s.decoder.Decode(h, frame, s.ready, channels)
	drop := min(s.skip, int64(h.Samples))
	s.skip -= drop
	s.ready = s.ready[int(drop)*channels:]
	return nil
}

func (s *mp3Source) close() error {
	s.frames.Reset(nil, 0)
	mp3Pool.Put(s)
	return nil
}
