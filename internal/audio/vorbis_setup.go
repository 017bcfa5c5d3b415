package audio

import (
	"errors"
	"math"
	"math/bits"
)

// The decoder behind vorbis.go believes its three headers: a lying count of comments is allocated, books of
// 16 million entries are allocated and sorted, and a book whose code words do not use up all bit patterns
// makes it read for ever. So each header passes one of these checks first.

// checkIdentification wants channels, and block sizes of 64 to 8192 as the specification does.
func checkIdentification(packet []byte) ([]byte, error) {
	if len(packet) < 30 || packet[11] == 0 {
		return nil, errors.New("the first header is damaged")
	}
	short, long := packet[28]&15, packet[28]>>4
	if short < 6 || long > 13 || short > long {
		return nil, errors.New("the block sizes in the first header are impossible")
	}
	return packet, nil
}

// noComments takes the place of the comments, which nobody needs here.
func noComments([]byte) ([]byte, error) {
	return []byte("\x03vorbis\x00\x00\x00\x00\x00\x00\x00\x00\x01"), nil
}

// Encoders stay far below these limits.
const (
	mostEntries = 1 << 16
	mostValues  = 1 << 21
)

var errCodebooks = errors.New("no encoder writes such code books")

// checkCodebooks walks the books of the set-up header.
func checkCodebooks(packet []byte) ([]byte, error) {
	const magic = "\x05vorbis"
	if len(packet) < len(magic) || string(packet[:len(magic)]) != magic {
		return nil, errCodebooks
	}
	r := &bitReader{data: packet[len(magic):]}
	values := 0
	for range r.read(8) + 1 {
		n, ok := checkCodebook(r)
		if values += n; !ok || r.overrun || values > mostValues {
			return nil, errCodebooks
		}
	}
	return packet, nil
}

// checkCodebook reads one book and returns how many values it expands to.
func checkCodebook(r *bitReader) (values int, ok bool) {
	if r.read(24) != 0x564342 {
		return 0, false
	}
	dimensions, entries := int(r.read(16)), int(r.read(24))
	if entries < 1 || entries > mostEntries || dimensions < 1 || entries*dimensions > mostValues {
		return 0, false
	}
	var used [33]int // entries by length of their code word
	if r.read(1) == 0 {
		sparse := r.read(1) == 1
		for range entries {
			if !sparse || r.read(1) == 1 {
				used[r.read(5)+1]++
			}
		}
	} else {
		length := r.read(5) + 1
		for at := 0; at < entries; length++ {
			run := int(r.read(bits.Len(uint(entries - at))))
			if at += run; at > entries || length > 32 || r.overrun {
				return 0, false
			}
			used[length] += run
		}
	}
	if !complete(used) {
		return 0, false
	}
	kind := r.read(4)
	if kind == 0 {
		return 0, true
	}
	r.read(32)
	r.read(32)
	width := int(r.read(4)) + 1
	r.read(1)
	factors := entries * dimensions
	if kind == 1 {
		factors = int(math.Floor(math.Pow(float64(entries), 1/float64(dimensions))))
	}
	r.skip(factors * width)
	return entries * dimensions, kind <= 2 && factors > 0
}

// complete says that the code words use up all bit patterns, or that there is a single one of one bit.
func complete(used [33]int) bool {
	patterns, words := uint64(0), 0
	for length := 1; length <= 32; length++ {
		patterns += uint64(used[length]) << (32 - length)
		words += used[length]
	}
	return patterns == 1<<32 || words == 1 && used[1] == 1
}

// bitReader reads bits as Vorbis packs them, the lowest first.
type bitReader struct {
	data    []byte
	at      int // in bits
	overrun bool
}

func (b *bitReader) read(n int) (v uint32) {
	if b.at+n > 8*len(b.data) {
		b.overrun = true
		return 0
	}
	for i := range n {
		v |= uint32(b.data[b.at>>3]>>(b.at&7)&1) << i
		b.at++
	}
	return v
}

func (b *bitReader) skip(n int) {
	if n > 8*len(b.data)-b.at {
		b.overrun = true
		return
	}
	b.at += n
}
