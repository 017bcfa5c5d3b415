package trace

import (
	"math"
	"math/bits"
)

// A sparse column holds an integer for some of the rows: one bit a row says whether it
// has a value, and counting bits finds where. Values are kept in four bytes each until
// one needs eight.
type sparse struct {
	present []uint64 // one bit a row
	before  []uint32 // values before each word of present; made by seal
	narrow  []int32
	wide    []int64 // instead of narrow, once a value does not fit
}

func (c *sparse) len() int {
	if c.wide != nil {
		return len(c.wide)
	}
	return len(c.narrow)
}

// add gives row a value. Rows must come in ascending order.
func (c *sparse) add(row uint32, v int64) {
	word := int(row >> 6)
	for len(c.present) <= word {
		c.present = append(c.present, 0)
	}
	if bit := uint64(1) << (row & 63); c.present[word]&bit != 0 { // a second value of the same row replaces the first
		if c.wide == nil && int64(int32(v)) == v {
			c.narrow[len(c.narrow)-1] = int32(v)
			return
		}
		c.widen()
		c.wide[len(c.wide)-1] = v
		return
	} else {
		c.present[word] |= bit
	}
	if c.wide == nil {
		if v >= math.MinInt32 && v <= math.MaxInt32 {
			c.narrow = append(c.narrow, int32(v))
			return
		}
		c.widen()
	}
	c.wide = append(c.wide, v)
}

func (c *sparse) widen() {
	if c.wide != nil {
		return
	}
	c.wide = make([]int64, len(c.narrow), max(16, 2*len(c.narrow)))
	for i, v := range c.narrow {
		c.wide[i] = int64(v)
	}
	c.narrow = nil
}

// seal counts the bits; get works afterwards.
func (c *sparse) seal() {
	c.before = make([]uint32, len(c.present))
	n := 0
	for i, word := range c.present {
		c.before[i] = uint32(n)
		n += bits.OnesCount64(word)
	}
}

func (c *sparse) get(row uint32) (int64, bool) {
	word := int(row >> 6)
	if word >= len(c.present) {
		return 0, false
	}
	w, bit := c.present[word], uint64(1)<<(row&63)
	if w&bit == 0 {
		return 0, false
	}
	at := int(c.before[word]) + bits.OnesCount64(w&(bit-1))
	if c.wide != nil {
		return c.wide[at], true
	}
	return int64(c.narrow[at]), true
}

// permuted returns the column with its rows in another order: row i of the result is
// row order[i] of c.
func (c *sparse) permuted(order []uint32) sparse {
	if c.len() == 0 {
		return sparse{}
	}
	c.seal()
	out := sparse{present: make([]uint64, (len(order)+63)/64)}
	if c.wide != nil {
		out.wide = make([]int64, 0, len(c.wide))
	} else {
		out.narrow = make([]int32, 0, len(c.narrow))
	}
	for i, old := range order {
		if v, ok := c.get(old); ok {
			out.add(uint32(i), v)
		}
	}
	out.seal()
	return out
}

func (c *sparse) bytes() int {
	return 8*cap(c.present) + 4*cap(c.before) + 4*cap(c.narrow) + 8*cap(c.wide)
}

// has reports whether the row has a value; it works before seal too.
func (c *sparse) has(row uint32) bool {
	word := int(row >> 6)
	return word < len(c.present) && c.present[word]&(1<<(row&63)) != 0
}
