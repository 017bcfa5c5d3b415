//go:build !noasm

package audio

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:noescape
func dotAVX2(a, b unsafe.Pointer, n int) float32

//go:noescape
func dotAVX512(a, b unsafe.Pointer, n int) float32

// kernels are those that this processor can run, the fastest first.
func kernels() []kernel {
	var found []kernel
	if cpu.X86.HasAVX512F {
		found = append(found, vector("avx512", dotAVX512))
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		found = append(found, vector("avx2", dotAVX2))
	}
	return append(found, plain)
}

// vector checks the lengths that the assembly relies on.
func vector(name string, one func(a, b unsafe.Pointer, n int) float32) kernel {
	return kernel{name, func(in, row []float32) float32 {
		_ = row[len(in)-1]
		return one(unsafe.Pointer(&in[0]), unsafe.Pointer(&row[0]), len(in))
	}}
}
