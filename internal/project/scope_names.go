package project

import "math/bits"

// Names are looked up in scopes more often than anything else is asked, so that a map of strings is too slow for it.

// hashOfName is made of the length of a name and its first and last four bytes: names that share these are rare.
func hashOfName(name string) uint32 {
	n := len(name)
	var first, last uint32
	if n >= 4 {
		first = uint32(name[0]) | uint32(name[1])<<8 | uint32(name[2])<<16 | uint32(name[3])<<24
		last = uint32(name[n-4]) | uint32(name[n-3])<<8 | uint32(name[n-2])<<16 | uint32(name[n-1])<<24
	} else {
		for i := range n {
			first = first<<8 | uint32(name[i])
		}
	}
	h := (uint64(first)<<32 | uint64(last^uint32(n)<<27^uint32(n))) * 0x9E3779B97F4A7C15
	return uint32(h >> 32)
}

// markOf is the bit of a name by which a scope rules out that it binds it.
func markOf(hash uint32) uint64 { return 1 << (hash >> 26) }

// heads is a table of the last binding of each name. Its length is a power of two, and at most three quarters of it are used.
type heads []*Binding

// headsOf makes the table of a scope's bindings with at least so many places.
func headsOf(latest *Binding, places int) heads {
	table := make(heads, 1<<bits.Len(uint(places-1)))
	for b := latest; b != nil; b = b.before { // the last one of a name comes first
		if slot := table.slot(b.Name, b.hash); *slot == nil {
			*slot = b
		}
	}
	return table
}

// slot is the place of a name: that of its last binding, or an empty one.
func (h heads) slot(name string, hash uint32) **Binding {
	for at := hash; ; at++ {
		slot := &h[at&uint32(len(h)-1)]
		if b := *slot; b == nil || b.hash == hash && b.Name == name {
			return slot
		}
	}
}
