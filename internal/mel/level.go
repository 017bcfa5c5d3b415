package mel

import "fmt"

// Level is an instruction set that features can be computed with. AVX512 and AVX2 give the same
// bits; NEON and Go give other roundings.
type Level string

const (
	AVX512 Level = "avx512"
	AVX2   Level = "avx2"
	NEON   Level = "neon"
	Go     Level = "go" // no assembly
)

// Levels lists those of this machine and this binary, the fastest first; Go is always the last.
func Levels() []Level {
	var list []Level
	for _, s := range simdSets() {
		list = append(list, s.level)
	}
	return append(list, Go)
}

func newEngine(p Params, level Level) (engine, error) {
	if level == Go {
		return newGoEngine(p), nil
	}
	for _, s := range simdSets() {
		if s.level != level {
			continue
		}
		if !simdFits(p) {
			return newGoEngine(p), nil
		}
		return newSimdEngine(p, s), nil
	}
	return nil, fmt.Errorf("mel: this machine or binary does not support %q; it supports %v", level, Levels())
}
