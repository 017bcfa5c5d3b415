//go:build !noasm

package dataset

import (
	"unsafe"

	processor "golang.org/x/sys/cpu"
)

//go:noescape
func pourAVX(dst, src unsafe.Pointer, n int)

// line is what pourAVX wants its destination to begin at, and a turn of its loop.
const line = 128

// pour copies past the caches: pages of the output are not read again, and to fetch them before they are overwritten
// takes as long as to write them.
func pour(dst, src []byte) {
	head := int(-uintptr(unsafe.Pointer(unsafe.SliceData(dst))) % line)
	n := (len(src) - head) &^ (line - 1)
	if n <= 0 || !processor.X86.HasAVX {
		copy(dst, src)
		return
	}
	_ = dst[len(src)-1]
	copy(dst, src[:head])
	pourAVX(unsafe.Pointer(&dst[head]), unsafe.Pointer(&src[head]), n)
	copy(dst[head+n:], src[head+n:])
}
