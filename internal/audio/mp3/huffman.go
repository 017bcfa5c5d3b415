package mp3

// pairTable decodes one of the Huffman codes of pairs: most codes by one look at the next bits, long ones by a second.
type pairTable struct {
	entries []uint32
	root    uint // bits of the first look
	extra   uint // bits behind a value of 15
}

const rootBits = 9

// An entry is a pair and its length, or, where the code is longer than the first look, the place of the second.
const (
	entryLength = 0x1F
	entryLink   = 1 << 31
)

// extraBits are the bits behind a value of 15 in tables 16 to 31, which have two codes in common.
var extraBits = [16]uint{1, 2, 3, 4, 6, 8, 10, 13, 4, 5, 6, 7, 8, 9, 11, 13}

func (t *tables) makeCodes() {
	for i, codes := range pairCodes {
		if codes != "" { // 0 has no codes, 4 and 14 do not exist
			t.pairs[i] = makePairs(codes)
		}
	}
	for i, extra := range extraBits {
		t.pairs[16+i] = t.pairs[16+i/8*8]
		t.pairs[16+i].extra = extra
	}
	for _, l := range leaves(quadCodes) {
		for i := range 1 << (6 - l.length) {
			t.quads[l.code<<(6-l.length)+i] = l.value<<4 | uint8(l.length)
		}
	}
}

// leaf is one code.
type leaf struct {
	code   int
	length uint
	value  uint8
}

// leaves reads a list of codes; as each begins where the one before it ends, the lengths give the codes.
func leaves(list string) []leaf {
	var out []leaf
	digit := func(c byte) uint8 {
		if c >= 'a' {
			return c - 'a' + 10
		}
		return c - '0'
	}
	next := 0 // in units of 2^-24 of all codes
	for i := 0; i+3 <= len(list); i += 3 {
		length := uint(list[i]-'a') + 1
		out = append(out, leaf{next >> (24 - length), length, digit(list[i+1])<<4 | digit(list[i+2])})
		next += 1 << (24 - length)
	}
	return out
}

func makePairs(list string) pairTable {
	codes := leaves(list)
	longest := uint(0)
	beyond := map[int]uint{} // how many bits the second look needs, by the first
	for _, c := range codes {
		longest = max(longest, c.length)
		if c.length > rootBits {
			prefix := c.code >> (c.length - rootBits)
			beyond[prefix] = max(beyond[prefix], c.length-rootBits)
		}
	}
	t := pairTable{root: min(longest, rootBits)}
	t.entries = make([]uint32, 1<<t.root)
	for _, c := range codes {
		entry := uint32(c.value>>4)<<16 | uint32(c.value&15)<<8 | uint32(c.length)
		start, width, rest := 0, t.root, c.length
		code := c.code
		if c.length > rootBits {
			prefix := code >> (c.length - rootBits)
			width = beyond[prefix]
			if t.entries[prefix] == 0 {
				t.entries[prefix] = entryLink | uint32(len(t.entries))<<8 | uint32(width)
				t.entries = append(t.entries, make([]uint32, 1<<width)...)
			}
			start = int(t.entries[prefix] &^ entryLink >> 8)
			rest -= rootBits
			code -= prefix << rest
		}
		for i := range 1 << (width - rest) {
			t.entries[start+code<<(width-rest)+i] = entry
		}
	}
	return t
}
