package project

import (
	"testing"
	"unsafe"
)

// A chunk is as large as fits into the blocks that Go allocates, and a store that is freed hands out empty values again.
func TestStore(t *testing.T) {
	size := int(unsafe.Sizeof(Value{}))
	if used := perChunk[Value]() * size; used > chunkBytes || used+size <= chunkBytes {
		t.Errorf("a chunk of values takes %d bytes of %d", used, chunkBytes)
	}
	var s store[int]
	many := 2*perChunk[int]() + 1
	for range 2 {
		for i := range many {
			if v := s.new(); *v != 0 {
				t.Fatalf("value %d is %d, want an empty one", i, *v)
			} else {
				*v = i + 1
			}
		}
		s.reset()
	}
	if len(s.chunks) != 3 {
		t.Errorf("%d chunks hold %d values, want 3", len(s.chunks), many)
	}
}
