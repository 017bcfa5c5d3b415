package audio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"saturate/internal/human"
)

// Format codes of WAVE files.
const (
	wavPCM        = 1
	wavFloat      = 3
	wavALaw       = 6
	wavMuLaw      = 7
	wavExtensible = 0xFFFE
)

// Sizes from here on are what programs write when they stream and cannot come back to fill them in
// (0xFFFFFFFF by ffmpeg, 0x7FFFF000 by espeak-ng and sox): the data then reaches to the end of the file.
const streamedSize = 0x7FFF_F000

// wavHeader is everything before the samples.
type wavHeader struct {
	code     int // wavPCM, wavFloat, wavALaw or wavMuLaw
	rate     int
	channels int
	bytes    int   // of one sample
	bits     int   // of them, those that count
	start    int64 // where the samples begin
	length   int64 // bytes of samples; -1 for all that follow
}

func (h wavHeader) block() int { return h.bytes * h.channels }

// tail is the rest of the GUID that makes a format code in WAVE_FORMAT_EXTENSIBLE.
var tail = []byte{0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71}

// readWAVHeader reads chunk after chunk up to the samples. The size is the file's, -1 when it is a stream.
func readWAVHeader(r io.Reader, size int64) (wavHeader, error) {
	var h wavHeader
	buf := make([]byte, 64)
	if _, err := io.ReadFull(r, buf[:12]); err != nil || !isWAV(buf[:12]) {
		return h, errors.New("it is not a WAV file")
	}
	riffSize := int64(binary.LittleEndian.Uint32(buf[4:]))
	at := int64(12)
	var long int64 = -1 // the data's size in an RF64 file
	seenFormat := false
	for {
		if _, err := io.ReadFull(r, buf[:8]); err != nil {
			return h, fmt.Errorf("%w: the WAV file has no data chunk before byte %d", ErrTruncated, at)
		}
		at += 8
		id, n := string(buf[:4]), int64(binary.LittleEndian.Uint32(buf[4:]))
		if id == "data" {
			if !seenFormat {
				return h, errors.New("the WAV file has samples before their format")
			}
			h.start = at
			h.length = dataLength(n, long, riffSize, at, size)
			return h, nil
		}
		if id == "fmt " || id == "ds64" {
			body := buf[:min(n, int64(len(buf)))]
			if _, err := io.ReadFull(r, body); err != nil {
				return h, fmt.Errorf("%w: inside the WAV header, at byte %d", ErrTruncated, at)
			}
			if id == "ds64" && len(body) >= 16 {
				riffSize = int64(binary.LittleEndian.Uint64(body))
				long = int64(binary.LittleEndian.Uint64(body[8:]))
			} else if id == "fmt " {
				if err := h.readFormat(body); err != nil {
					return h, err
				}
				seenFormat = true
			}
			at += int64(len(body))
			n -= int64(len(body))
		}
		n += (n + at) & 1 // chunks begin at even places; the padding is not counted in the size
		if n == 0 {
			continue
		}
		if _, err := io.CopyN(io.Discard, r, n); err != nil {
			return h, fmt.Errorf("%w: chunk %q at byte %d is longer than the file", ErrTruncated, id, at)
		}
		at += n
	}
}

// dataLength decides how many bytes the samples take.
func dataLength(n, long, riffSize, start, size int64) int64 {
	switch {
	case n == 0xFFFF_FFFF && long > 0:
		return long
	case n == 0 && (size < 0 || riffSize == 0 || riffSize >= streamedSize || riffSize+8 != size):
		return -1 // nobody filled the sizes in
	case n >= streamedSize && (size < 0 || n > size-start):
		return -1
	}
	return n
}

func (h *wavHeader) readFormat(b []byte) error {
	if len(b) < 16 {
		return fmt.Errorf("the WAV format chunk has %d bytes; it needs at least 16", len(b))
	}
	le := binary.LittleEndian
	h.code = int(le.Uint16(b))
	h.channels = int(le.Uint16(b[2:]))
	h.rate = int(le.Uint32(b[4:]))
	block := int(le.Uint16(b[12:]))
	h.bits = int(le.Uint16(b[14:]))
	if h.code == wavExtensible {
		if len(b) < 40 || !bytes.Equal(b[26:40], tail) {
			return fmt.Errorf("%w: a WAV file with an unknown extensible format", ErrUnsupported)
		}
		h.code = int(le.Uint16(b[24:]))
	}
	if h.channels == 0 {
		return errors.New("the header says 0 channels")
	}
	h.bytes = (h.bits + 7) / 8
	if per := block / h.channels; per*h.channels == block && per > h.bytes && per <= 4 && h.code == wavPCM {
		h.bytes = per // 20 bits in 3 bytes, 24 in 4: at the top, as the format wants
	}
	ok := false
	switch h.code {
	case wavPCM:
		ok = h.bytes >= 1 && h.bytes <= 4
	case wavFloat:
		ok = h.bits == 32 || h.bits == 64
	case wavALaw, wavMuLaw:
		ok = h.bits == 8
	}
	if !ok {
		return fmt.Errorf("%w: a WAV file with format %#x and %d bits", ErrUnsupported, h.code, h.bits)
	}
	return nil
}

// wavSource reads the samples behind a header.
type wavSource struct {
	h    wavHeader
	r    io.Reader
	size int64 // of the file, -1 when unknown
	done int64 // bytes read
	raw  *[]byte
	stop func() error
}

// rawPool keeps the buffers for stored samples from file to file.
var rawPool = sync.Pool{New: func() any { return new([]byte) }}

func openWAV(r io.ReaderAt, size int64) (source, error) {
	s := io.NewSectionReader(r, 0, size)
	h, err := readWAVHeader(s, size)
	if err != nil {
		return nil, err
	}
	if h.length > size-h.start {
		return nil, fmt.Errorf("%w: the header says %s bytes of samples, the file has %s", ErrTruncated,
			human.Count(h.length), human.Count(size-h.start))
	}
	return newWAVSource(h, io.NewSectionReader(r, h.start, size-h.start), size, nil), nil
}

func newWAVSource(h wavHeader, r io.Reader, size int64, stop func() error) *wavSource {
	return &wavSource{h: h, r: r, size: size, raw: rawPool.Get().(*[]byte), stop: stop}
}

func (w *wavSource) info() Info {
	i := Info{Format: "wav", Rate: w.h.rate, Channels: w.h.channels, Frames: -1, Bits: w.h.bits}
	if w.h.length >= 0 {
		i.Frames = w.h.length / int64(w.h.block())
	} else if w.size >= 0 {
		i.Frames = (w.size - w.h.start) / int64(w.h.block())
	}
	return i
}

func (w *wavSource) read(dst []float32) (int, error) {
	want := int64(len(dst) / w.h.channels * w.h.block())
	if w.h.length >= 0 {
		whole := w.h.length - w.h.length%int64(w.h.block())
		want = min(want, whole-w.done)
	}
	if want <= 0 {
		return 0, io.EOF
	}
	raw := sized(*w.raw, int(want))
	*w.raw = raw
	n, err := io.ReadFull(w.r, raw)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
		n -= n % w.h.block()
		switch {
		case w.h.length >= 0:
			return 0, fmt.Errorf("%w: it has %s of %s bytes of samples", ErrTruncated, human.Count(w.done+int64(n)),
				human.Count(w.h.length))
		case n == 0:
			return 0, w.end()
		}
	}
	if err != nil {
		return 0, fmt.Errorf("cannot read the samples: %w", err)
	}
	values := n / w.h.bytes
	bad := w.h.convert(dst[:values], raw[:n])
	if bad >= 0 {
		return 0, fmt.Errorf("sample %d is not a number", w.done/int64(w.h.bytes)+int64(bad))
	}
	w.done += int64(n)
	return values, nil
}

// end asks the program behind a stream whether it was well when it stopped.
func (w *wavSource) end() error {
	if err := w.halt(); err != nil {
		return err
	}
	return io.EOF
}

func (w *wavSource) halt() error {
	if w.stop == nil {
		return nil
	}
	stop := w.stop
	w.stop = nil
	return stop()
}

func (w *wavSource) close() error {
	rawPool.Put(w.raw)
	return w.halt()
}

// convert makes floats of stored samples. It returns the index of the first that is not a number, or -1.
func (h wavHeader) convert(dst []float32, raw []byte) int {
	le := binary.LittleEndian
	switch {
	case h.code == wavALaw, h.code == wavMuLaw:
		table := &aLaw
		if h.code == wavMuLaw {
			table = &muLaw
		}
		for i := range dst {
			dst[i] = table[raw[i]]
		}
	case h.code == wavFloat && h.bytes == 4:
		for i := range dst {
			dst[i] = math.Float32frombits(le.Uint32(raw[4*i:]))
		}
		return firstBad(dst)
	case h.code == wavFloat:
		for i := range dst {
			dst[i] = float32(math.Float64frombits(le.Uint64(raw[8*i:])))
		}
		return firstBad(dst)
	case h.bytes == 1:
		for i := range dst {
			dst[i] = float32(int(raw[i])-128) * (1.0 / (1 << 7))
		}
	case h.bytes == 2:
		for i := range dst {
			dst[i] = float32(int16(le.Uint16(raw[2*i:]))) * (1.0 / (1 << 15))
		}
	case h.bytes == 3:
		for i := range dst {
			b := raw[3*i : 3*i+3 : 3*i+3]
			dst[i] = float32(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)) * (1.0 / (1 << 31))
		}
	case h.bytes == 4:
		for i := range dst {
			dst[i] = float32(int32(le.Uint32(raw[4*i:]))) * (1.0 / (1 << 31))
		}
	}
	return -1
}

// firstBad is the place of the first value that is NaN or infinite, or -1.
func firstBad(values []float32) int {
	for i, v := range values {
		if v-v != 0 {
			return i
		}
	}
	return -1
}
