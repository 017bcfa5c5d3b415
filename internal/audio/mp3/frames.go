package mp3

import (
	"encoding/binary"
	"io"
)

// Frames walks the frames of a file: over tags, over rubbish between them, up to the last whole one.
type Frames struct {
	r        io.ReaderAt
	size, at int64
	kind     uint32 // what all frames have in common; 0 before the first
	freeSize int    // length of an unpadded frame where the bit rate is free
	tried    int    // how often that length was looked for, which takes long in rubbish

	window []byte // bytes of the file that were read
	start  int64  // where they lie
	err    error  // why not more could be read
}

const (
	windowBytes = 32 << 10
	maxFrame    = 6 << 10 // more than any encoder writes, free bit rates included
	maxTries    = 100
)

// Reset starts at the beginning of a file.
func (f *Frames) Reset(r io.ReaderAt, size int64) {
	if f.window == nil {
		f.window = make([]byte, 0, windowBytes)
	}
	*f = Frames{r: r, size: size, window: f.window[:0]}
}

// Rewind goes on at a place that Next has told. From there on it finds the same frames each time.
func (f *Frames) Rewind(at int64) { f.at, f.freeSize, f.tried = at, 0, 0 }

// Count tells how many frames follow.
func (f *Frames) Count() (int64, error) {
	for n := int64(0); ; n++ {
		if _, _, _, err := f.Next(); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
	}
}

// bytes are up to n bytes of the file, fewer at its end; they are valid until the next call.
func (f *Frames) bytes(at int64, n int) []byte {
	if f.err != nil || at >= f.size {
		return nil
	}
	n = int(min(int64(n), f.size-at))
	if at < f.start || at+int64(n) > f.start+int64(len(f.window)) {
		var got int
		f.start, f.window = at, f.window[:cap(f.window)]
		got, f.err = f.r.ReadAt(f.window[:min(int64(len(f.window)), f.size-at)], at)
		f.window = f.window[:got]
		if f.err == io.EOF {
			f.err = nil
		}
		n = min(n, got)
	}
	return f.window[at-f.start:][:n]
}

// Next finds the following frame and where it lies; io.EOF comes behind the last. A last frame that was cut off is
// dropped, as players do. The bytes are valid until the next call.
func (f *Frames) Next() (h Header, frame []byte, at int64, err error) {
	for {
		h, ok := f.header(f.at)
		if !ok {
			if f.resync() {
				continue
			}
			return h, nil, 0, f.ended()
		}
		at := f.at
		frame := f.bytes(at, h.Bytes)
		if len(frame) < h.Bytes {
			return h, nil, 0, f.ended()
		}
		f.at += int64(h.Bytes)
		f.kind = h.kind
		return h, frame, at, nil
	}
}

func (f *Frames) ended() error {
	if f.err != nil {
		return f.err
	}
	return io.EOF
}

// Followed reports whether another frame, or the end, comes right behind the last one.
func (f *Frames) Followed() bool {
	_, ok := f.header(f.at)
	return ok || f.at+headerBytes > f.size
}

// header reads a header that is like those before it.
func (f *Frames) header(at int64) (Header, bool) {
	b := f.bytes(at, headerBytes)
	if len(b) < headerBytes {
		return Header{}, false
	}
	h, ok := ParseHeader(binary.BigEndian.Uint32(b))
	if !ok || f.kind != 0 && h.kind != f.kind {
		return h, false
	}
	if h.free {
		if f.freeSize == 0 && f.tried < maxTries {
			f.tried++
			f.freeSize = f.measureFree(at, h)
		}
		h.Bytes = f.freeSize + h.padding
	}
	return h, h.Bytes >= headerBytes+h.sideBytes()
}

// measureFree finds how long frames of a free bit rate are: as far as two more headers are apart.
func (f *Frames) measureFree(at int64, first Header) int {
	for n := headerBytes + first.sideBytes(); n < maxFrame; n++ {
		second, ok := f.twin(at+int64(n), first)
		if !ok {
			continue
		}
		unpadded := n - first.padding
		third := at + int64(n+unpadded+second.padding)
		if _, ok := f.twin(third, first); ok || third == f.size {
			return unpadded
		}
	}
	return 0
}

// twin is a header of free bit rate that could belong to the same file.
func (f *Frames) twin(at int64, first Header) (Header, bool) {
	b := f.bytes(at, headerBytes)
	if len(b) < headerBytes || b[0] != 0xFF {
		return Header{}, false
	}
	h, ok := ParseHeader(binary.BigEndian.Uint32(b))
	return h, ok && h.free && h.kind == first.kind
}

// resync looks for a header that is followed by another one or by the end.
func (f *Frames) resync() bool {
	for f.at++; ; {
		b := f.bytes(f.at, 1024)
		if len(b) < headerBytes {
			return false
		}
		skipped := len(b) - headerBytes + 1
		for i := range skipped {
			if b[i] == 0xFF && b[i+1]&0xE0 == 0xE0 {
				skipped = i
				break
			}
		}
		f.at += int64(skipped)
		if skipped > len(b)-headerBytes {
			continue
		}
		if h, ok := f.header(f.at); ok {
			end := f.at + int64(h.Bytes)
			if _, ok = f.header(end); ok || end == f.size {
				return true
			}
		}
		f.at++
	}
}
