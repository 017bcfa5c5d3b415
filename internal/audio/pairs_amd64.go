//go:build !noasm

package audio

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:noescape
func pairsAVX2(matrix, a, b unsafe.Pointer, n int, out unsafe.Pointer)

//go:noescape
func pairsAVX512(matrix, a, b unsafe.Pointer, n int, out unsafe.Pointer)

//go:noescape
func layAVX(columns, in unsafe.Pointer, stride, rows int)

// pairKernels are those that this processor can run, the fastest first.
func pairKernels() []pairKernel {
	var found []pairKernel
	if cpu.X86.HasAVX512F {
		found = append(found, vectorPairs("avx512", pairsAVX512))
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		found = append(found, vectorPairs("avx2", pairsAVX2))
	}
	return append(found, plainPairs)
}

// vectorPairs checks the lengths that the assembly relies on.
func vectorPairs(name string, add func(matrix, a, b unsafe.Pointer, n int, out unsafe.Pointer)) pairKernel {
	lay := func(columns, in []float32, stride, rows int) {
		_, _ = columns[(rows-1)*stretches+3], in[3*stride+rows-1]
		layAVX(unsafe.Pointer(&columns[0]), unsafe.Pointer(&in[0]), stride, rows)
	}
	return pairKernel{name, lay, func(matrix, a, b []float32, n int, out *[2 * stretches]float32) {
		_, _, _ = matrix[n*stretches-1], a[n-1], b[n-1]
		add(unsafe.Pointer(&matrix[0]), unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), n, unsafe.Pointer(out))
	}}
}
