package vorbis

import (
	"errors"
	"math"
	"slices"
)

// Decoder turns the packets of one stream, in order, into samples.
type Decoder struct {
	header   Header
	setup    *setup
	bits     bits
	channels []channel
	before   int // lines of the block before; 0 for none
	work     work
	out      []float32
}

// channel is what one channel keeps.
type channel struct {
	curve   curve
	silent  bool      // the curve is not there
	empty   bool      // nor is the residue
	lines   []float32 // of the spectrum, then what the transform makes of them
	overlap []float32 // what the block before leaves
}

// work is memory that is used again.
type work struct {
	classes  []uint8
	spectra  [][]float32
	joined   []float32
	from, to []point
}

// NewDecoder makes a Decoder of a stream's first packet and its third.
func NewDecoder(h Header, setupPacket []byte) (*Decoder, error) {
	s, err := setupOf(setupPacket, h.Channels)
	if err != nil {
		return nil, err
	}
	d := &Decoder{header: h, setup: s, channels: make([]channel, h.Channels), out: make([]float32, h.long*h.Channels)}
	for c := range d.channels {
		d.channels[c].lines = make([]float32, h.long)
		d.channels[c].overlap = make([]float32, h.long/2)
	}
	return d, nil
}

var errPacket = errors.New("a packet that is not audio")

// Decode gives the samples, interleaved, that are complete with a packet; they are valid until the next call. The first
// gives none.
func (d *Decoder) Decode(packet []byte) ([]float32, error) {
	if len(packet) == 0 {
		return nil, nil
	}
	b := &d.bits
	b.start(packet)
	audio := !b.flag()
	n := b.take(d.setup.modeBits)
	if !audio || b.over() || n >= len(d.setup.modes) {
		return nil, errPacket
	}
	mode, size := &d.setup.modes[n], d.header.short
	if mode.long {
		size = d.header.long
		b.take(2) // how long the neighbours are, which they say themselves
	}
	d.spectra(mode.mapping, size)
	t := transformOf(size)
	given := 0
	for c := range d.channels {
		ch := &d.channels[c]
		lines := ch.lines[:size]
		if ch.silent {
			clear(lines)
		} else {
			ch.curve.multiply(lines)
			t.run(lines, &d.work)
		}
		if d.before > 0 {
			given = join(d.out[c:], len(d.channels), ch.overlap[:d.before/2], lines)
		}
		copy(ch.overlap, lines[:size/2])
	}
	d.before = size
	return d.out[:given*len(d.channels)], nil
}

// spectra reads the curves and residues of all channels.
func (d *Decoder) spectra(m *mapping, size int) {
	for c := range d.channels {
		ch := &d.channels[c]
		ch.silent = !ch.curve.read(&d.bits, m.floors[c])
		ch.empty = ch.silent
		clear(ch.lines[:size])
	}
	for _, p := range m.pairs {
		if a, b := &d.channels[p.magnitude], &d.channels[p.angle]; !a.empty || !b.empty {
			a.empty, b.empty = false, false
		}
	}
	for i := range m.parts {
		d.residues(&m.parts[i], size)
	}
	for _, p := range slices.Backward(m.pairs) {
		decouple(d.channels[p.magnitude].lines[:size], d.channels[p.angle].lines[:size])
	}
}

// residues reads those of some channels, which for type 2 are interleaved and read as one.
func (d *Decoder) residues(p *part, size int) {
	w := &d.work
	w.spectra = w.spectra[:0]
	for _, c := range p.channels {
		if ch := &d.channels[c]; !ch.empty {
			w.spectra = append(w.spectra, ch.lines[:size])
		}
	}
	n := len(p.channels)
	if p.residue.kind < 2 || len(w.spectra) == 0 || n == 1 {
		p.residue.read(&d.bits, w.spectra, w)
		return
	}
	w.joined = sized(w.joined, size*n)
	clear(w.joined)
	w.spectra = append(w.spectra[:0], w.joined)
	p.residue.read(&d.bits, w.spectra, w)
	for i, c := range p.channels {
		lines := d.channels[c].lines[:size]
		for k := range lines {
			lines[k] = w.joined[k*n+i]
		}
	}
}

// join gives the samples between the middles of two blocks. A block's second half, left by the one before, is even
// around its middle, and overlap is the first half of it, backwards and negative; the first half is odd, and lines has
// it from the middle on. The shorter of the two blocks says how long they overlap; beside that the longer one stands
// alone.
func join(out []float32, stride int, overlap, lines []float32) int {
	shorter := min(2*len(overlap), len(lines))
	half := shorter / 2
	window := transformOf(shorter).window
	at := 0
	for i := len(overlap) - 1; i >= half; i-- {
		out[at] = -overlap[i]
		at += stride
	}
	middle := lines[len(lines)-half:]
	back := at + (shorter-1)*stride
	for i, a := range middle {
		b, up, down := overlap[half-1-i], window[i], window[shorter-1-i]
		out[at], out[back] = a*up-b*down, -b*up-a*down
		at += stride
		back -= stride
	}
	at += half * stride
	for i := len(lines) - half - 1; i >= len(lines)/2; i-- {
		out[at] = -lines[i]
		at += stride
	}
	return at / stride
}

// decouple makes two channels of the larger one and how much less the other is: the sign says which is which. There is
// no branch, for nobody could foretell it.
func decouple(magnitude, angle []float32) {
	angle = angle[:len(magnitude)]
	for i, m := range magnitude {
		a := math.Float32bits(angle[i])
		negative := uint32(int32(a) >> 31)                            // all ones, or 0
		a ^= uint32(^(-int32(math.Float32bits(m)) >> 31)) & (1 << 31) // less is nearer to 0
		magnitude[i] = m + math.Float32frombits(a&negative)
		angle[i] = m - math.Float32frombits(a&^negative)
	}
}

func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
