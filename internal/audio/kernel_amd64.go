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

//go:noescape
func layAVX(columns, in unsafe.Pointer, stride, rows int)

//go:noescape
func addAVX2(matrix, a, b unsafe.Pointer, n int, out unsafe.Pointer)

//go:noescape
func addAVX512(matrix, a, b unsafe.Pointer, n int, out unsafe.Pointer)

// kernels are those that this processor can run, the fastest first.
func kernels() []kernel {
	var found []kernel
	if cpu.X86.HasAVX512F {
		found = append(found, vector("avx512", dotAVX512, addAVX512))
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		found = append(found, vector("avx2", dotAVX2, addAVX2))
	}
	return append(found, plain)
}

// vector checks the lengths that the assembly relies on.
func vector(name string, dot func(a, b unsafe.Pointer, n int) float32, add func(matrix, a, b unsafe.Pointer, n int, out unsafe.Pointer)) kernel {
	return kernel{
		name,
		func(in, row []float32) float32 {
			_ = row[len(in)-1]
			return dot(unsafe.Pointer(&in[0]), unsafe.Pointer(&row[0]), len(in))
		},
		func(columns, in []float32, stride, rows int) {
			_, _ = columns[(rows-1)*stretches+3], in[3*stride+rows-1]
			layAVX(unsafe.Pointer(&columns[0]), unsafe.Pointer(&in[0]), stride, rows)
		},
		func(matrix, a, b []float32, n int, out *[2 * stretches]float32) {
			_, _, _ = matrix[n*stretches-1], a[n-1], b[n-1]
			add(unsafe.Pointer(&matrix[0]), unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), n, unsafe.Pointer(out))
		},
	}
}
