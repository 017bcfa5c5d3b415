package vorbis

import (
	"encoding/binary"
	"errors"
	mathbits "math/bits"
	"sync"
)

// Header is the first packet of a stream.
type Header struct {
	Rate, Channels int
	short, long    int // lines of the two kinds of blocks: half as many as they have samples
}

// ErrUnsupported is a stream that is sound, but of a kind that is not read here.
var ErrUnsupported = errors.New("a Vorbis stream with floors of type 0")

var (
	errHeader = errors.New("the first header is damaged")
	errSetup  = errors.New("invalid set-up header")
	errBooks  = errors.New("invalid codebooks")
)

// ReadHeader reads the first packet.
func ReadHeader(packet []byte) (h Header, err error) {
	if len(packet) < 30 || string(packet[:7]) != "\x01vorbis" || packet[11] == 0 || packet[29]&1 == 0 {
		return h, errHeader
	}
	if binary.LittleEndian.Uint32(packet[7:]) != 0 {
		return h, errors.New("unknown Vorbis version")
	}
	short, long := packet[28]&15, packet[28]>>4
	if short < 6 || long > 13 || short > long {
		return h, errors.New("the block sizes in the first header are impossible")
	}
	return Header{int(binary.LittleEndian.Uint32(packet[12:])), int(packet[11]), 1 << (short - 1), 1 << (long - 1)}, nil
}

// setup is what the third packet of a stream says.
type setup struct {
	books    []book
	floors   []*floor
	residues []*residue
	mappings []*mapping
	modes    []mode
	modeBits int
}

// mapping says how channels are made: by which floor and residue each, and which of them in pairs.
type mapping struct {
	pairs  []pair
	parts  []part
	floors []*floor // by channel
}

type pair struct{ magnitude, angle int }

// part is some channels whose residues are coded together.
type part struct {
	residue  *residue
	channels []int
}

type mode struct {
	long    bool
	mapping *mapping
}

// setups are those of the last streams: the files of a dataset mostly have the same.
var setups = struct {
	sync.Mutex
	read map[setupKey]*setup
}{read: map[setupKey]*setup{}}

type setupKey struct {
	packet   string
	channels int
}

const setupsToKeep = 4

func setupOf(packet []byte, channels int) (*setup, error) {
	setups.Lock()
	defer setups.Unlock()
	key := setupKey{string(packet), channels}
	if s := setups.read[key]; s != nil {
		return s, nil
	}
	s, err := readSetup(packet, channels)
	if err != nil {
		return nil, err
	}
	for old := range setups.read {
		if len(setups.read) < setupsToKeep {
			break
		}
		delete(setups.read, old)
	}
	setups.read[key] = s
	return s, nil
}

func readSetup(packet []byte, channels int) (*setup, error) {
	const magic = "\x05vorbis"
	if len(packet) < len(magic) || string(packet[:len(magic)]) != magic {
		return nil, errSetup
	}
	var b bits
	b.start(packet[len(magic):])
	s := new(setup)
	room := mostValues
	s.books = make([]book, b.take(8)+1)
	for i := range s.books {
		k, ok := readBook(&b, room)
		if !ok {
			return nil, errBooks
		}
		room -= k.entries * k.dimensions
		s.books[i] = k
	}
	for range b.take(6) + 1 {
		if b.take(16) != 0 { // something that was never defined
			return nil, errSetup
		}
	}
	if err := s.readFloors(&b); err != nil {
		return nil, err
	}
	for range b.take(6) + 1 {
		r, ok := readResidue(&b, s.books)
		if !ok {
			return nil, errSetup
		}
		s.residues = append(s.residues, r)
	}
	for range b.take(6) + 1 {
		m, ok := s.readMapping(&b, channels)
		if !ok {
			return nil, errSetup
		}
		s.mappings = append(s.mappings, m)
	}
	if err := s.readModes(&b); err != nil {
		return nil, err
	}
	if !b.flag() || b.over() {
		return nil, errSetup
	}
	return s, nil
}

func (s *setup) readFloors(b *bits) error {
	for range b.take(6) + 1 {
		switch b.take(16) {
		case 0:
			return ErrUnsupported
		case 1:
		default:
			return errSetup
		}
		f, ok := readFloor(b, s.books)
		if !ok {
			return errSetup
		}
		s.floors = append(s.floors, f)
	}
	return nil
}

func (s *setup) readModes(b *bits) error {
	for range b.take(6) + 1 {
		m := mode{long: b.flag()}
		window, transform, n := b.take(16), b.take(16), b.take(8)
		if window != 0 || transform != 0 || n >= len(s.mappings) {
			return errSetup
		}
		m.mapping = s.mappings[n]
		s.modes = append(s.modes, m)
	}
	s.modeBits = mathbits.Len(uint(len(s.modes) - 1))
	return nil
}

func (s *setup) readMapping(b *bits, channels int) (*mapping, bool) {
	m := new(mapping)
	if b.take(16) != 0 {
		return nil, false
	}
	parts := 1
	if b.flag() {
		parts = b.take(4) + 1
	}
	if b.flag() {
		width := mathbits.Len(uint(channels - 1))
		for range b.take(8) + 1 {
			p := pair{b.take(width), b.take(width)}
			if p.magnitude == p.angle || p.magnitude >= channels || p.angle >= channels {
				return nil, false
			}
			m.pairs = append(m.pairs, p)
		}
	}
	if b.take(2) != 0 {
		return nil, false
	}
	m.parts, m.floors = make([]part, parts), make([]*floor, channels)
	for c := range channels {
		n := 0
		if parts > 1 {
			n = b.take(4)
		}
		if n >= parts {
			return nil, false
		}
		m.parts[n].channels = append(m.parts[n].channels, c)
	}
	for i := range m.parts {
		b.take(8) // was meant for the time domain
		f, r := b.take(8), b.take(8)
		if f >= len(s.floors) || r >= len(s.residues) {
			return nil, false
		}
		m.parts[i].residue = s.residues[r]
		for _, c := range m.parts[i].channels {
			m.floors[c] = s.floors[f]
		}
	}
	return m, !b.over()
}
