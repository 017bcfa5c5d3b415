package mp3

import (
	"encoding/binary"
	"math"
)

// readLines decodes the lines of a granule, multiplied by the gains of their bands, from bit at up to bit end. It
// returns how many lines may be other than zero; the rest is cleared.
func (t *tables) readLines(data []byte, at, end int, g *granule, b *bands, gains *[maxBands + 1]float32, out *[lines]float32) int {
	second, third := b.regions(g)
	stop := min(2*g.pairs, lines)
	i, band := 0, 0
	for region, limit := range [3]int{min(second, stop), min(third, stop), stop} {
		table := &t.pairs[g.tables[region]]
		if table.root == 0 { // table 0, and two that do not exist
			if i < limit {
				clear(out[i:limit])
				i = limit
			}
			continue
		}
		for i < limit && at < end {
			for b.ends[band] <= i {
				band++
			}
			n := min(limit, b.ends[band])
			at = table.read(data, at, end, out[i:n], gains[band], &t.powers)
			i = n
		}
	}
	i = t.readQuads(data, at, end, i, g, b, band, gains, out)
	clear(out[i:])
	return i
}

// read decodes pairs of one band. Those behind the end are zero.
func (p *pairTable) read(data []byte, at, end int, out []float32, gain float32, powers *[maxValue + 1]float32) int {
	entries := p.entries
	root := (64 - p.root) & 63
	for len(out) >= 2 {
		if at >= end {
			clear(out)
			return at
		}
		next := binary.BigEndian.Uint64(data[at>>3:]) << (at & 7)
		e := entries[next>>root]
		if e >= entryLink {
			e = entries[uint64(e&^entryLink>>8)+next<<rootBits>>((64-e&entryLength)&63)]
		}
		n := e & entryLength
		next <<= n & 63
		x, y := e>>16, e>>8&15
		if x|y == 0 {
			out[0], out[1] = 0, 0
			out = out[2:]
			at += int(n)
			continue
		}
		if x == 15 && p.extra > 0 {
			x += uint32(next >> ((64 - p.extra) & 63))
			next <<= p.extra & 63
			n += uint32(p.extra)
		}
		out[0] = signed(powers[x]*gain, next)
		signs := -x >> 31 // 1 when x is not 0: without a branch, which would be guessed wrong too often
		next <<= signs & 63
		n += signs
		if y == 15 && p.extra > 0 {
			y += uint32(next >> ((64 - p.extra) & 63))
			next <<= p.extra & 63
			n += uint32(p.extra)
		}
		out[1] = signed(powers[y]*gain, next)
		out = out[2:]
		at += int(n + -y>>31)
	}
	return at
}

// signed changes the sign when the next bit is 1; of a zero that does not matter.
func signed(v float32, next uint64) float32 {
	return math.Float32frombits(math.Float32bits(v) ^ uint32(next>>32)&(1<<31))
}

// readQuads decodes the lines of 0 and ±1 behind the pairs.
func (t *tables) readQuads(data []byte, at, end, i int, g *granule, b *bands, band int, gains *[maxBands + 1]float32, out *[lines]float32) int {
	for ; i <= lines-4 && at < end; i += 4 {
		next := binary.BigEndian.Uint64(data[at>>3:]) << (at & 7)
		value, n := ^uint8(next>>60), 4
		if g.quadTable == 0 {
			entry := t.quads[next>>58]
			value, n = entry>>4, int(entry&15)
		}
		next <<= n & 63
		for k := range 4 {
			if k&1 == 0 { // bands have an even number of lines
				for b.ends[band] <= i+k {
					band++
				}
			}
			out[i+k] = 0
			if value&(8>>k) != 0 {
				out[i+k] = signed(gains[band], next)
				next <<= 1
				n++
			}
		}
		if at += n; at > end { // a quadruple that is not whole was never meant
			break
		}
	}
	return i
}
