package vorbis

import (
	"cmp"
	"math"
	mathbits "math/bits"
	"slices"
	"sort"
)

// book is a code of numbered entries, each with a vector of values where it has any.
type book struct {
	dimensions int
	entries    int
	values     []float32 // dimensions to an entry; nil where only the number counts
	// table answers for the next bits: an entry and the length of its code word, as entry<<6 | length, or 0 for a longer
	// one.
	table []uint32
	mask  uint64
	words []word // those that the table does not know, in the order of their bits
}

// word is a code word, its first bit highest.
type word struct {
	bits   uint32
	length uint8
	entry  uint32
}

// Encoders stay far below these limits.
const (
	mostEntries = 1 << 16
	mostValues  = 1 << 21 // of all books
	tableBits   = 10
)

// next reads an entry's number.
func (k *book) next(b *bits) int {
	e := k.table[b.ahead()&k.mask]
	if e == 0 {
		e = k.search(b.ahead())
	}
	b.at += int(e & 63)
	return int(e >> 6)
}

// search finds a long code word, as the table would have it: of those that are not above the next bits, the last.
func (k *book) search(ahead uint64) uint32 {
	first := mathbits.Reverse32(uint32(ahead))
	i := sort.Search(len(k.words), func(i int) bool { return k.words[i].bits > first }) - 1
	return k.words[i].entry<<6 | uint32(k.words[i].length)
}

// readBook reads one book; room is how many values it may have.
func readBook(b *bits, room int) (k book, ok bool) {
	if b.take(24) != 0x564342 {
		return k, false
	}
	k.dimensions, k.entries = b.take(16), b.take(24)
	if k.entries < 1 || k.entries > mostEntries || k.dimensions < 1 || k.entries*k.dimensions > room {
		return k, false
	}
	lengths, ok := readLengths(b, k.entries)
	if !ok || !k.assign(lengths) {
		return k, false
	}
	switch kind := b.take(4); kind {
	case 0:
	case 1, 2:
		k.readValues(b, kind == 1)
	default:
		return k, false
	}
	return k, !b.over()
}

// readLengths reads the length of each entry's code word, 0 for an entry that is not used.
func readLengths(b *bits, entries int) ([]uint8, bool) {
	lengths := make([]uint8, entries)
	if !b.flag() {
		sparse := b.flag()
		for i := range lengths {
			if !sparse || b.flag() {
				lengths[i] = uint8(b.take(5) + 1)
			}
		}
		return lengths, true
	}
	length := b.take(5) + 1
	for at := 0; at < entries; length++ {
		run := b.take(mathbits.Len(uint(entries - at)))
		if run > entries-at || length > 32 || b.over() {
			return nil, false
		}
		for range run {
			lengths[at] = uint8(length)
			at++
		}
	}
	return lengths, true
}

// assign gives each entry in turn the lowest code word of its length that is free: a part of the smallest free range of
// words that is large enough. They must use up all patterns of bits, unless there is a single one of one bit.
func (k *book) assign(lengths []uint8) bool {
	var first [33]uint32 // of the free range of all words that share so many bits; there is one at most
	free := [33]bool{true}
	k.words = make([]word, 0, len(lengths))
	longest := 0
	for entry, length := range lengths {
		if length == 0 {
			continue
		}
		n := int(length)
		for n > 0 && !free[n] {
			n--
		}
		if !free[n] {
			return false
		}
		at := first[n]
		free[n] = false
		for l := n + 1; l <= int(length); l++ {
			first[l], free[l] = at+1<<(32-l), true
		}
		k.words = append(k.words, word{at, length, uint32(entry)})
		longest = max(longest, int(length))
	}
	single := len(k.words) == 1 && longest == 1
	if !single && (longest == 0 || slices.Contains(free[:], true)) {
		return false
	}
	k.tabulate(min(longest, tableBits))
	if single {
		k.table[1] = k.table[0]
	}
	k.words = slices.DeleteFunc(k.words, func(w word) bool { return w.length <= tableBits })
	slices.SortFunc(k.words, func(a, b word) int { return cmp.Compare(a.bits, b.bits) })
	return true
}

// tabulate makes the table for so many bits.
func (k *book) tabulate(n int) {
	k.table, k.mask = make([]uint32, 1<<n), 1<<n-1
	for _, w := range k.words {
		if int(w.length) > n {
			continue
		}
		for at := int(mathbits.Reverse32(w.bits)); at < len(k.table); at += 1 << w.length {
			k.table[at] = w.entry<<6 | uint32(w.length)
		}
	}
}

// readValues reads the vectors: each value from a list of its own, or for a lattice all combinations of one list.
func (k *book) readValues(b *bits, lattice bool) {
	least, step := readFloat(b), readFloat(b)
	width := b.take(4) + 1
	sums := b.flag()
	n := k.entries * k.dimensions
	if lattice {
		n = root(k.entries, k.dimensions)
	}
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(b.take(width))
	}
	k.values = make([]float32, k.entries*k.dimensions)
	for entry := range k.entries {
		last, rest := float32(0), entry
		for i := entry * k.dimensions; i < (entry+1)*k.dimensions; i++ {
			at := i
			if lattice {
				at = rest % n
				rest /= n
			}
			k.values[i] = list[at]*step + least + last
			if sums {
				last = k.values[i]
			}
		}
	}
}

// root is the largest whole number whose power is not above n.
func root(n, power int) int {
	r := 1
	for {
		product := 1
		for range power {
			if product *= r + 1; product > n {
				return r
			}
		}
		r++
	}
}

// readFloat reads the specification's own kind of number.
func readFloat(b *bits) float32 {
	v := b.take(32)
	mantissa := float64(v & 0x1FFFFF)
	if v>>31 != 0 {
		mantissa = -mantissa
	}
	return float32(math.Ldexp(mantissa, v>>21&0x3FF-788))
}
