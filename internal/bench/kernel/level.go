package kernel

import "fmt"

// Level is an instruction set of the inner loops.
type Level string

const (
	AVX512 Level = "avx512"
	AVX2   Level = "avx2"
	Go     Level = "go" // no assembly
)

// Levels lists those of this machine and this binary, the fastest first; Go is always the last.
func Levels() []Level {
	var list []Level
	for _, s := range sets() {
		list = append(list, s.level)
	}
	return list
}

// set is the inner loops of one level. Its methods are in simd_amd64.go and simd_none.go:
//
//	panel      rows×cols of C from rows of A and one packed panel of B, set or added to
//	packRows   a panel of B from depth rows of width values
//	transpose  a panel of B from width rows of depth values
//	largest    of a row; -Inf for none; NaN is passed over
//	exps       x = e^((x-largest)·scale), and their sum
//	times      x = x·factor
//	copy       to = a, written past the caches
//	triad      to = a + factor·b, likewise
type set struct {
	level Level
	lanes int // of a vector
	width int // columns of a packed panel of B
}

// sets lists the levels that processor and binary have, the fastest first.
func sets() []set { return append(simdSets(), set{level: Go, lanes: 1, width: goWidth}) }

func setOf(level Level) (set, error) {
	for _, s := range sets() {
		if s.level == level || level == "" {
			return s, nil
		}
	}
	return set{}, fmt.Errorf("kernel: this machine or binary does not support %q; it supports %v", level, Levels())
}
