package kernel

import "unsafe"

// line is the values of a cache line.
const line = 16

// Values is n zeros from the start of a cache line on, in large pages where the system gives them:
// what the lab measures should not be the walk through page tables.
func Values(n int) []float32 {
	s := make([]float32, n+line)
	skip := int(-uintptr(unsafe.Pointer(&s[0]))&63) / 4
	s = s[skip : skip+n : skip+n]
	useLargePages(s)
	return s
}
