package vorbis

import "encoding/binary"

// bits reads values from a packet, the lowest bit first.
type bits struct {
	data []byte // the packet, then zeros
	at   int    // in bits
	end  int
}

const bytesAhead = 16 // zeros behind a packet: for a code word over the end, and eight bytes read at once

// start begins a packet, which is copied.
func (b *bits) start(packet []byte) {
	b.data = append(b.data[:0], packet...)
	b.data = append(b.data, make([]byte, bytesAhead)...)
	b.at, b.end = 0, 8*len(packet)
}

// over says that more was read than there is. Whoever reads a code word asks before the next one.
func (b *bits) over() bool { return b.at > b.end }

// ahead is what comes next: 57 bits at least.
func (b *bits) ahead() uint64 { return binary.LittleEndian.Uint64(b.data[b.at>>3:]) >> (b.at & 7) }

// take reads up to 32 bits; over the end they are 0.
func (b *bits) take(n int) int {
	if b.at+n > b.end {
		b.at = b.end + 1
		return 0
	}
	v := b.ahead() & (1<<n - 1)
	b.at += n
	return int(v)
}

func (b *bits) flag() bool { return b.take(1) == 1 }
