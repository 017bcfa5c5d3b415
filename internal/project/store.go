package project

// store allocates values of one type that are freed together.
type store[T any] struct {
	chunks [][]T
	used   int
}

const storeChunk = 64

func (s *store[T]) new() *T {
	chunk, at := s.used/storeChunk, s.used%storeChunk
	if chunk == len(s.chunks) {
		s.chunks = append(s.chunks, make([]T, storeChunk))
	}
	s.used++
	return &s.chunks[chunk][at]
}

// reset frees everything: earlier allocations may be handed out again.
func (s *store[T]) reset() {
	for left := s.used; left > 0; left -= storeChunk {
		clear(s.chunks[(left-1)/storeChunk])
	}
	s.used = 0
}
