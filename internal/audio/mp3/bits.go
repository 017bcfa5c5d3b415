package mp3

import "encoding/binary"

// bits reads single values from a buffer that has at least eight bytes behind its last bit.
type bits struct {
	data []byte
	at   int // in bits
}

// take reads up to 32 bits.
func (b *bits) take(n int) int {
	v := b.ahead() >> (64 - uint(n)) // a shift by 64 gives 0
	b.at += n
	return int(v)
}

func (b *bits) flag() bool { return b.take(1) == 1 }

// ahead is what comes next, the first bit highest: 57 bits at least are there.
func (b *bits) ahead() uint64 {
	return binary.BigEndian.Uint64(b.data[b.at>>3:]) << (b.at & 7)
}
