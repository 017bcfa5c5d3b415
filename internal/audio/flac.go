package audio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"saturate/internal/human"
)

// flacSource decodes a FLAC stream (RFC 9639) frame by frame; each frame's checksums are verified.
type flacSource struct {
	bits  *flacBits
	facts Info
	frame flacFrame
	at    int   // samples of the frame that were given
	done  int64 // samples that were decoded
}

func openFLAC(r io.ReaderAt, size int64) (source, error) {
	facts, start, err := readFLACHeader(r, size)
	if err != nil {
		return nil, err
	}
	f := flacPool.Get().(*flacSource)
	f.bits.reset(io.NewSectionReader(r, start, size-start))
	f.facts, f.frame.size, f.at, f.done = facts, 0, 0, 0
	return f, nil
}

// flacPool keeps decoders, with their buffers, from file to file.
var flacPool = sync.Pool{New: func() any { return &flacSource{bits: newFLACBits(nil)} }}

// readFLACHeader reads the stream's description and finds the first frame behind the other metadata.
func readFLACHeader(r io.ReaderAt, size int64) (facts Info, start int64, err error) {
	var head [4 + 34]byte
	at := int64(len("fLaC"))
	for first, last := true, false; !last; first = false {
		n, err := r.ReadAt(head[:], at)
		if n < 4 {
			return facts, 0, fmt.Errorf("%w: inside the FLAC header", errors.Join(ErrTruncated, notEOF(err)))
		}
		kind := head[0] & 0x7F
		last = head[0]>>7 == 1
		length := int64(head[1])<<16 | int64(head[2])<<8 | int64(head[3])
		at += 4 + length
		if first != (kind == 0) || first && length < 34 || kind == 127 {
			return facts, 0, errors.New("the FLAC header is damaged")
		}
		if at > size || first && n < len(head) {
			return facts, 0, fmt.Errorf("%w: inside the FLAC header", ErrTruncated)
		}
		if first {
			facts = streamInfo(head[4:])
		}
	}
	if facts.Bits < 4 {
		return facts, 0, fmt.Errorf("the FLAC header says %d bits per sample", facts.Bits)
	}
	if facts.Bits > 31 {
		return facts, 0, fmt.Errorf("%w: FLAC with %d bits per sample", ErrUnsupported, facts.Bits)
	}
	return facts, at, nil
}

func notEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

func streamInfo(b []byte) Info {
	v := binary.BigEndian.Uint64(b[10:]) // rate 20, channels-1 3, bits-1 5, samples 36
	i := Info{
		Format: "flac", Rate: int(v >> 44), Channels: int(v>>41&7) + 1, Bits: int(v>>36&31) + 1,
		Frames: int64(v & (1<<36 - 1)),
	}
	if i.Frames == 0 {
		i.Frames = -1 // the encoder did not know
	}
	return i
}

func (f *flacSource) info() Info { return f.facts }

func (f *flacSource) read(dst []float32) (int, error) {
	channels := f.facts.Channels
	n := 0
	for n+channels <= len(dst) {
		if f.at >= f.frame.size {
			err := f.next()
			if err == io.EOF && n > 0 {
				return n, nil
			}
			if err != nil {
				return 0, err
			}
		}
		count := min((len(dst)-n)/channels, f.frame.size-f.at)
		scale := 1 / float32(int64(1)<<(f.frame.bits-1))
		for c := range channels {
			at := n + c
			for _, v := range f.frame.samples[c][f.at : f.at+count] {
				dst[at] = float32(v) * scale
				at += channels
			}
		}
		f.at += count
		n += count * channels
	}
	return n, nil
}

// isPCM: every frame says how many bits it has, and must not have more than the stream.
func (f *flacSource) isPCM() bool { return f.facts.Channels == 1 && f.facts.Bits <= 16 }

func (f *flacSource) readPCM(dst []int16) (n int, err error) {
	for n < len(dst) {
		if err := f.next(); err == io.EOF {
			break
		} else if err != nil {
			return 0, err
		}
		if f.frame.bits > 16 {
			return 0, frameError(f.done, fmt.Errorf("it has %d bits per sample instead of %d", f.frame.bits, f.facts.Bits))
		}
		shift := 16 - f.frame.bits
		samples := f.frame.samples[0][:min(f.frame.size, len(dst)-n)]
		for i, v := range samples {
			dst[n+i] = int16(v << shift)
		}
		n += len(samples)
	}
	return n, nil
}

// next decodes the next frame and checks that it is like the others.
func (f *flacSource) next() error {
	all := f.facts.Frames >= 0 && f.done >= f.facts.Frames // what follows the last sample is a tag, not sound
	if all || f.bits.ended() {
		if f.done < f.facts.Frames {
			return fmt.Errorf("%w: it has %s of %s samples", ErrTruncated, human.Count(f.done), human.Count(f.facts.Frames))
		}
		return io.EOF
	}
	f.frame.size = 0
	if err := f.frame.read(f.bits, uint(f.facts.Bits)); err != nil {
		f.frame.size = 0
		return frameError(f.done, err)
	}
	switch {
	case f.frame.channels != f.facts.Channels:
		return frameError(f.done, fmt.Errorf("it has %d channels instead of %d", f.frame.channels, f.facts.Channels))
	case f.frame.rate != 0 && f.frame.rate != f.facts.Rate:
		return frameError(f.done, fmt.Errorf("it changes the rate to %d Hz", f.frame.rate))
	}
	f.at = 0
	f.done += int64(f.frame.size)
	return nil
}

func (f *flacSource) close() error {
	flacPool.Put(f)
	return nil
}

// cutOff names the reason when a library only says that bytes are missing.
func cutOff(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return ErrTruncated
	}
	return err
}
