package dataset

import "math/bits"

// Memory is pinned memory that a device copies from and to: files are read into it and rows come back into it
// without a copy by the CPU.
type Memory interface {
	// Alloc gives memory that lasts as long as the build.
	Alloc(bytes int) ([]byte, error)
}

// smallest is what is asked of a Memory at least: a page.
const smallest = 1 << 12

// buffer gives memory for a file or a row, from Memory while it has any. What that gives is never given
// back during a build, so sizes are powers of two: a buffer that grows leaves less behind than it gets.
func (o Options) buffer(size int) []byte {
	if o.Memory != nil {
		if b, err := o.Memory.Alloc(max(smallest, 1<<bits.Len(uint(size-1)))); err == nil {
			return b
		}
	}
	return make([]byte, size)
}
