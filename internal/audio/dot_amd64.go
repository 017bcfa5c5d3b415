//go:build !noasm

package audio

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:noescape
func dotAVX2(a, b unsafe.Pointer, n int) float32

//go:noescape
func dot4AVX2(in unsafe.Pointer, stride int, row unsafe.Pointer, n int, out unsafe.Pointer)

//go:noescape
func dotAVX512(a, b unsafe.Pointer, n int) float32

//go:noescape
func dot4AVX512(in unsafe.Pointer, stride int, row unsafe.Pointer, n int, out unsafe.Pointer)

// kernels are those that this processor can run, the fastest first.
func kernels() []kernel {
	var found []kernel
	if cpu.X86.HasAVX512F {
		found = append(found, vector("avx512", dotAVX512, dot4AVX512))
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		found = append(found, vector("avx2", dotAVX2, dot4AVX2))
	}
	return append(found, plain)
}

// vector checks the lengths that the assembly relies on.
func vector(name string, one func(a, b unsafe.Pointer, n int) float32, four func(in unsafe.Pointer, stride int, row unsafe.Pointer, n int, out unsafe.Pointer)) kernel {
	return kernel{
		name,
		func(in, row []float32) float32 {
			_ = row[len(in)-1]
			return one(unsafe.Pointer(&in[0]), unsafe.Pointer(&row[0]), len(in))
		},
		func(in []float32, stride int, row []float32, out *[4]float32) {
			_ = in[3*stride+len(row)-1]
			four(unsafe.Pointer(&in[0]), stride, unsafe.Pointer(&row[0]), len(row), unsafe.Pointer(out))
		},
	}
}
