package audio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/hajimehoshi/go-mp3"
)

// mp3Source decodes MP3 and cuts what encoder and decoder put before and behind the sound.
type mp3Source struct {
	facts   Info
	decoder *mp3.Decoder
	raw     []byte
	skip    int64 // frames still to drop
	left    int64 // frames still to give
}

func openMP3(r io.ReaderAt, size int64) (source, error) {
	walk := mp3Frames{r: r, size: size}
	h, at, err := walk.next()
	if err != nil {
		return nil, fmt.Errorf("%w: no whole MP3 frame is there", ErrTruncated)
	}
	walk.first = &h
	if _, ok := walk.header(walk.at); !ok && walk.at+4 <= size {
		return nil, fmt.Errorf("%w: what looks like an MP3 frame is not followed by another", ErrUnsupported)
	}
	frame := make([]byte, h.bytes)
	if _, err := r.ReadAt(frame, at); err != nil && err != io.EOF {
		return nil, fmt.Errorf("cannot read it: %w", err)
	}
	g := readGapless(frame, h)
	if !g.present {
		walk.at = at
	}
	frames, err := countMP3(walk)
	switch {
	case err != nil:
		return nil, err
	case frames == 0:
		return nil, fmt.Errorf("%w: the MP3 file has no frame of sound", ErrTruncated)
	case g.frames > frames:
		return nil, fmt.Errorf("%w: %d of %d MP3 frames are there", ErrTruncated, frames, g.frames)
	}
	s := &mp3Source{left: frames * int64(h.samples)}
	if g.delay >= 0 {
		s.skip = min(s.left, g.delay+decoderDelay)
		s.left -= s.skip + max(0, g.padding-decoderDelay)
		s.left = max(0, s.left)
	}
	s.facts = Info{Format: "mp3", Rate: h.rate, Channels: h.channels, Frames: s.left}
	if s.decoder, err = mp3.NewDecoder(&mp3Stream{walk: walk}); err != nil {
		return nil, fmt.Errorf("the MP3 file cannot be decoded: %w", cutOff(err))
	}
	return s, nil
}

// mp3Stream gives the bytes of the frames alone, one behind the other.
type mp3Stream struct {
	walk mp3Frames
	at   int64
	left int64
}

func (s *mp3Stream) Read(p []byte) (int, error) {
	if s.left == 0 {
		h, at, err := s.walk.next()
		if err != nil {
			return 0, err
		}
		s.at, s.left = at, int64(h.bytes)
	}
	n, err := s.walk.r.ReadAt(p[:min(int64(len(p)), s.left)], s.at)
	s.at += int64(n)
	s.left -= int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (s *mp3Source) info() Info { return s.facts }

// read decodes; the library always gives two channels, the same twice for mono.
func (s *mp3Source) read(dst []float32) (int, error) {
	const pair = 4
	for {
		want := min(int64(len(dst)/s.facts.Channels), s.left)
		if s.left == 0 {
			return 0, io.EOF
		}
		if s.skip > 0 {
			want = min(s.skip, blockFrames)
		}
		s.raw = sized(s.raw, int(want)*pair)
		n, err := io.ReadFull(s.decoder, s.raw)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, fmt.Errorf("%w: %d samples are missing", ErrTruncated, s.left-int64(n/pair))
		}
		if err != nil {
			return 0, fmt.Errorf("the MP3 data cannot be decoded: %w", err)
		}
		if s.skip > 0 {
			s.skip -= want
			continue
		}
		s.left -= want
		le := binary.LittleEndian
		if s.facts.Channels == 1 {
			for i := range int(want) {
				dst[i] = float32(int16(le.Uint16(s.raw[pair*i:]))) * (1.0 / 32768)
			}
			return int(want), nil
		}
		for i := range int(want) * 2 {
			dst[i] = float32(int16(le.Uint16(s.raw[2*i:]))) * (1.0 / 32768)
		}
		return int(want) * 2, nil
	}
}

func (s *mp3Source) close() error { return nil }
