package project

// NameEnds tell that none of some names is a certain one, or has that as its canonical name: a bit for each hash of their
// last letters, which a name and its canonical name mostly share. It is quicker than looking a name up.
type NameEnds [64]uint64

// renamedEnds are those of names whose canonical name may end in other letters.
var renamedEnds = func() (ends NameEnds) {
	for name := range aliases {
		ends.Add(name)
	}
	for name := range movedPackages {
		ends.Add(name)
	}
	return ends
}()

// NoNames returns those of no names yet.
func NoNames() *NameEnds {
	ends := renamedEnds
	return &ends
}

// Add adds a canonical name.
func (e *NameEnds) Add(name string) {
	at := endOf(name)
	e[at>>6] |= 1 << (at & 63)
}

// MayHold reports false if neither a name nor its canonical name was added.
func (e *NameEnds) MayHold(name string) bool {
	at := endOf(name)
	return e[at>>6]&(1<<(at&63)) != 0
}

// endOf is a hash of 12 bits of up to four letters at the end of the last part of a name.
func endOf(name string) uint32 {
	hash := uint32(0)
	for i := len(name) - 1; i >= 0 && i >= len(name)-4 && name[i] != '.'; i-- {
		hash = hash*31 + uint32(name[i])
	}
	return hash * 2654435761 >> 20
}
