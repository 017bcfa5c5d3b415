package chrome

import "saturate/internal/trace"

// block is a group of args that says something together and repeats from event to event:
// an operator's inputs, a kernel's configuration. There are few different ones, and most
// of a file's bytes are in them.
type block struct {
	parts []part
	first int  // where the first part's key starts
	end   int  // behind the last part's value
	whole bool // nothing else stands between first and end
	id    uint32
	known bool // the text was recognised as that of id
}

// part is one of the args: which one, and where its value is.
type part struct {
	which uint8
	value span
}

func (k *block) reset() {
	k.parts = k.parts[:0]
	k.known = false
}

// blockReader reads the blocks of one sort. It remembers their texts under the event's
// name, so that the next event of that name is compared instead of parsed.
type blockReader struct {
	ids    map[string]uint32 // by the text of all parts
	recent [][]remembered    // by name
	texts  int               // how many are remembered
	decode func(b []byte, parts []part) uint32
	drop   uint8 // the part given up when there are too many different blocks
	text   []byte
}

type remembered struct {
	text string
	id   uint32
}

// Limits that keep memory bounded where blocks do not repeat after all.
const (
	maxRecent  = 24      // texts remembered under a name
	maxTexts   = 1 << 14 // texts remembered in all
	maxPrecise = 1 << 14 // different blocks, before the least telling part is left out
	maxBlocks  = 1 << 17 // different blocks in all
)

// read reads the value at b[i] of the part whose key's quote is at b[quote].
func (r *blockReader) read(k *block, name trace.NameID, b []byte, which uint8, quote, i int) int {
	if len(k.parts) == 0 && int(name) < len(r.recent) {
		for _, known := range r.recent[name] {
			end := quote + len(known.text)
			if end < len(b) && string(b[quote:end]) == known.text && !bareByte[b[end]] {
				k.known, k.id, k.first, k.end, k.whole = true, known.id, quote, end, true
				k.parts = append(k.parts, part{which, span{i, end}})
				return end
			}
		}
	}
	if k.known { // another part follows the ones remembered: read them after all
		from, to := k.first, k.end
		k.reset()
		for from < to {
			key, q, value, _ := member(b, from)
			from = r.readPart(k, b, partOf(key), q, value)
		}
	}
	return r.readPart(k, b, which, quote, i)
}

func (r *blockReader) readPart(k *block, b []byte, which uint8, quote, i int) int {
	next := skip(b, i)
	if next < 0 {
		return next
	}
	if len(k.parts) == 0 {
		k.first, k.whole = quote, true
	} else if b[k.end] != ',' || space(b, k.end+1) != quote {
		k.whole = false
	}
	k.end = next
	k.parts = append(k.parts, part{which, span{i, next}})
	return next
}

// finish returns the number of the block that was read.
func (r *blockReader) finish(k *block, name trace.NameID, b []byte) (id uint32, ok bool) {
	switch {
	case len(k.parts) == 0:
		return 0, false
	case k.known:
		return k.id, true
	}
	parts := k.parts
	whole := k.whole
	if len(r.ids) >= maxPrecise {
		kept := parts[:0]
		for _, p := range parts {
			if p.which != r.drop {
				kept = append(kept, p)
			}
		}
		parts, whole = kept, false
	}
	r.text = r.text[:0]
	for _, p := range parts {
		r.text = append(append(r.text, p.which), b[p.value.from:p.value.to]...)
	}
	id, ok = r.ids[string(r.text)]
	if !ok {
		if len(r.ids) >= maxBlocks {
			return 0, false
		}
		id = r.decode(b, parts)
		r.ids[string(r.text)] = id
	}
	if whole {
		r.remember(name, remembered{string(b[k.first:k.end]), id})
	}
	return id, true
}

func (r *blockReader) remember(name trace.NameID, known remembered) {
	for int(name) >= len(r.recent) {
		r.recent = append(r.recent, nil)
	}
	if len(r.recent[name]) < maxRecent && r.texts < maxTexts {
		r.recent[name] = append(r.recent[name], known)
		r.texts++
	}
}

// The parts.
const (
	inputValues uint8 = iota
	inputTypes
	inputStrides
	inputDims
	configRegisters
	configShared
	configBlocks
	configWarps
	configGrid
	configBlock
	configOccupancy
	noPart
)

var partNames = [noPart]string{
	"Concrete Inputs", "Input type", "Input Strides", "Input Dims", "registers per thread", "shared memory",
	"blocks per SM", "warps per SM", "grid", "block", "est. achieved occupancy %",
}

func partOf(key []byte) uint8 {
	for i, name := range partNames {
		if string(key) == name {
			return uint8(i)
		}
	}
	return noPart
}
