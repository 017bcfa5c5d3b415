package vorbis

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// codeWords walks the specification's tree: each entry takes the leftmost free leaf of its depth.
func codeWords(lengths []uint8) []string {
	taken := map[string]bool{} // leaves and all that lead to one
	var find func(prefix string, depth int) string
	find = func(prefix string, depth int) string {
		if taken["leaf"+prefix] {
			return ""
		}
		if len(prefix) == depth {
			if taken[prefix] {
				return ""
			}
			return prefix
		}
		if w := find(prefix+"0", depth); w != "" {
			return w
		}
		return find(prefix+"1", depth)
	}
	words := make([]string, len(lengths))
	for i, n := range lengths {
		if n == 0 {
			continue
		}
		words[i] = find("", int(n))
		taken["leaf"+words[i]] = true
		for k := range words[i] {
			taken[words[i][:k+1]] = true
		}
	}
	return words
}

// packed is a packet of bits that are written out.
func packed(written string) []byte {
	data := make([]byte, (len(written)+7)/8)
	for i, c := range written {
		data[i/8] |= byte(c-'0') << (i % 8)
	}
	return data
}

// Every entry is read back from its code word, short and long ones, one after the other.
func TestBookReadsItsWords(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	cases := [][]uint8{{2, 4, 4, 4, 4, 2, 3, 3}, {1, 0, 1}}
	for range 20 { // leaves of a tree that was split at random, deeper than the table
		lengths := []uint8{0}
		for range 60 {
			i := random.IntN(len(lengths))
			if random.IntN(3) > 0 {
				i = len(lengths) - 1
			}
			if lengths[i] < 32 {
				lengths[i]++
				lengths = append(lengths, lengths[i])
			}
		}
		random.Shuffle(len(lengths), func(i, j int) { lengths[i], lengths[j] = lengths[j], lengths[i] })
		cases = append(cases, slices.Insert(lengths, 3, 0))
	}
	for _, lengths := range cases {
		var k book
		if !k.assign(lengths) {
			t.Fatalf("%v is refused", lengths)
		}
		words := codeWords(lengths)
		var b bits
		b.start(packed(strings.Join(words, "")))
		for entry, w := range words {
			if w == "" {
				continue
			}
			if got := k.next(&b); got != entry || b.over() {
				t.Fatalf("%v: entry %d is read as %d", lengths, entry, got)
			}
		}
	}
}

func TestBookRefuses(t *testing.T) {
	for name, lengths := range map[string][]uint8{
		"a pattern without an entry": {1, 2},
		"too many entries":           {1, 1, 1},
		"no entry":                   {0, 0},
		"a single long word":         {2},
	} {
		if new(book).assign(lengths) {
			t.Errorf("%s: %v is taken", name, lengths)
		}
	}
	var k book
	if !k.assign([]uint8{0, 1}) {
		t.Fatal("a single entry of one bit is refused")
	}
	for _, written := range []string{"0", "1"} {
		var b bits
		b.start(packed(written))
		if got := k.next(&b); got != 1 {
			t.Errorf("a single entry is read as %d", got)
		}
	}
}

func TestRoot(t *testing.T) {
	for _, c := range [][3]int{{125, 3, 5}, {124, 3, 4}, {65536, 2, 256}, {7, 1, 7}, {1, 9, 1}, {81, 4, 3}, {4095, 12, 1}, {4096, 12, 2}} {
		if got := root(c[0], c[1]); got != c[2] {
			t.Errorf("root %d of %d is %d, want %d", c[1], c[0], got, c[2])
		}
	}
}
