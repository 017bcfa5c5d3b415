package project

import "unsafe"

// store allocates values of one type that are freed together.
type store[T any] struct {
	chunks [][]T
	used   int
}

// chunkBytes, with the 8 bytes that Go puts before it, is an allocation that leaves no room unused.
const chunkBytes = 8<<10 - 8

// perChunk is how many values of a type are allocated at a time.
func perChunk[T any]() int { return chunkBytes / int(unsafe.Sizeof(*new(T))) }

func (s *store[T]) new() *T {
	chunk, at := s.used/perChunk[T](), s.used%perChunk[T]()
	if chunk == len(s.chunks) {
		s.chunks = append(s.chunks, make([]T, perChunk[T]()))
	}
	s.used++
	return &s.chunks[chunk][at]
}

// reset frees everything: earlier allocations may be handed out again.
func (s *store[T]) reset() {
	for left := s.used; left > 0; left -= perChunk[T]() {
		clear(s.chunks[(left-1)/perChunk[T]()])
	}
	s.used = 0
}
