package kernel

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// largePage is the size on amd64 and, nearly always, on arm64.
const largePage = 2 << 20

// useLargePages asks for large pages where the whole of one lies within x. It is a wish; that it
// fails changes nothing but time.
func useLargePages(x []float32) {
	if len(x) < largePage/4 {
		return
	}
	memory := unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 4*len(x))
	skip := int(-uintptr(unsafe.Pointer(&x[0])) & (largePage - 1))
	if size := (len(memory) - skip) &^ (largePage - 1); size > 0 {
		_ = unix.Madvise(memory[skip:][:size], unix.MADV_HUGEPAGE)
	}
}
