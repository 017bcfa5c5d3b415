package audio

import (
	"encoding/binary"
	"io"
	"math/bits"
)

// flacBits reads bits, the highest first, from a stream. It keeps the bytes of the frame in
// hand, because their checksum comes last. Reading past the end gives zeros and sets short.
type flacBits struct {
	r     io.Reader
	buf   []byte
	end   int // of what was read into buf
	at    int // the next byte to load into the cache
	frame int // where the current frame begins
	err   error

	cache uint64
	n     uint // bits of the cache that count
	short bool
}

// mostUnary is more than any encoder writes in one run of zeros: the frame is damaged.
const mostUnary = 1 << 24

func newFLACBits(r io.Reader) *flacBits { return &flacBits{r: r, buf: make([]byte, 1<<16)} }

// reset begins another stream with the same buffer.
func (b *flacBits) reset(r io.Reader) { *b = flacBits{r: r, buf: b.buf} }

// refill brings the cache to 56 bits or more, as long as there are any.
func (b *flacBits) refill() {
	if b.end-b.at < 8 && b.err == nil {
		b.more()
	}
	if b.end-b.at >= 8 {
		b.cache |= binary.BigEndian.Uint64(b.buf[b.at:]) >> b.n
		b.at += int((63 - b.n) >> 3)
		b.n |= 56
		return
	}
	for b.n <= 56 && b.at < b.end {
		b.cache |= uint64(b.buf[b.at]) << (56 - b.n)
		b.at++
		b.n += 8
	}
}

// more reads on, and forgets what lies before the frame.
func (b *flacBits) more() {
	copy(b.buf, b.buf[b.frame:b.end])
	b.at -= b.frame
	b.end -= b.frame
	b.frame = 0
	if b.end == len(b.buf) {
		b.buf = append(b.buf, make([]byte, len(b.buf))...)
	}
	for b.end-b.at < 8 && b.err == nil {
		var n int
		n, b.err = b.r.Read(b.buf[b.end:])
		b.end += n
	}
}

// read gives the next k bits, k at most 32.
func (b *flacBits) read(k uint) uint32 {
	if b.n < k {
		b.refill()
		if b.n < k {
			b.short = true
			b.n, b.cache = 0, 0
			return 0
		}
	}
	v := b.cache >> (64 - k)
	b.cache <<= k
	b.n -= k
	return uint32(v)
}

// signed gives the next k bits as a number with a sign.
func (b *flacBits) signed(k uint) int32 {
	return int32(b.read(k)<<(32-k)) >> (32 - k)
}

// unary counts zeros up to the next one.
func (b *flacBits) unary() uint32 {
	count := uint32(0)
	for {
		if b.n == 0 {
			if b.refill(); b.n == 0 {
				b.short = true
				return 0
			}
		}
		zeros := uint(bits.LeadingZeros64(b.cache))
		if zeros < b.n {
			b.cache <<= zeros + 1
			b.n -= zeros + 1
			return count + uint32(zeros)
		}
		count += uint32(b.n)
		b.cache, b.n = 0, 0
		if count > mostUnary {
			b.short = true
			return 0
		}
	}
}

// rice fills out with the differences of one partition. Half of all decoding is done here, in registers; what a full
// cache does not hold is left to the others.
func (b *flacBits) rice(out []int32, k uint) {
	cache, n, at, buf := b.cache, b.n, b.at, b.buf[:b.end]
	for i := range out {
		if n < 48 && at+8 <= len(buf) { // as refill does
			cache |= binary.BigEndian.Uint64(buf[at:]) >> (n & 63)
			at += int((63 - n) >> 3)
			n |= 56
		}
		zeros := uint(bits.LeadingZeros64(cache))
		var v uint32
		if zeros+1+k <= n {
			rest := cache << ((zeros + 1) & 63)
			v = uint32(zeros)<<(k&31) | uint32(rest>>1>>((63-k)&63))
			cache = rest << (k & 63)
			n -= zeros + 1 + k
		} else {
			b.cache, b.n, b.at = cache, n, at
			v = b.unary() << k
			v |= b.read(k)
			if b.short {
				return
			}
			cache, n, at, buf = b.cache, b.n, b.at, b.buf[:b.end]
		}
		out[i] = int32(v>>1) ^ -int32(v&1)
	}
	b.cache, b.n, b.at = cache, n, at
}

// align goes to the next whole byte and says where that is in buf.
func (b *flacBits) align() int {
	drop := b.n % 8
	b.cache <<= drop
	b.n -= drop
	return b.at - int(b.n/8)
}

// ended says that no byte is left.
func (b *flacBits) ended() bool {
	if b.n < 8 {
		b.refill()
	}
	return b.n < 8
}
