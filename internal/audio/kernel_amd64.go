//go:build !noasm

package audio

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:noescape
func betweenAVX2(out, window, rows unsafe.Pointer, wide, taps int, places unsafe.Pointer, n int)

//go:noescape
func betweenAVX512(out, window, rows unsafe.Pointer, wide, taps int, places unsafe.Pointer, n int)

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
		found = append(found, vector("avx512", betweenAVX512, addAVX512))
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		found = append(found, vector("avx2", betweenAVX2, addAVX2))
	}
	return append(found, plain)
}

// vector checks the lengths that the assembly relies on.
func vector(name string, between func(out, window, rows unsafe.Pointer, wide, taps int, places unsafe.Pointer, n int), add func(matrix, a, b unsafe.Pointer, n int, out unsafe.Pointer)) kernel {
	return kernel{
		name,
		func(out, window []float32, f *filter, places []place) {
			_, _ = out[len(places)-1], window[places[len(places)-1].at+f.taps-1]
			between(unsafe.Pointer(&out[0]), unsafe.Pointer(&window[0]), unsafe.Pointer(&f.row(0)[0]), f.wide(), f.taps,
				unsafe.Pointer(&places[0]), len(places))
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
