package melcuda

import (
	"unsafe"

	"saturate/internal/mel"
)

// asBytes is the memory of a slice.
func asBytes[T descriptor | pair | int16 | uint16 | float32](s []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(one)))
}

// asPCM is memory as samples, and asHalf is memory as FP16 values.
func asPCM(b []byte) []int16 {
	return unsafe.Slice((*int16)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/2)
}

func asHalf(b []byte) []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/2)
}

// copyClean copies float samples and makes impossible ones possible: see mel.Clean.
func copyClean(dst []byte, samples []float32) (impossible int) {
	if len(samples) == 0 {
		return 0
	}
	to := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(dst))), len(samples))
	copy(to, samples)
	return mel.Clean(to)
}

// follows says whether a transfer begins where another ends, on both sides.
func follows(last, next transfer) bool {
	return last.at+len(last.host) == next.at && unsafe.Add(unsafe.Pointer(unsafe.SliceData(last.host)),
		len(last.host)) == unsafe.Pointer(unsafe.SliceData(next.host))
}

// extended is memory with n more bytes behind it, which the caller knows to be there.
func extended(memory []byte, n int) []byte {
	return unsafe.Slice(unsafe.SliceData(memory), len(memory)+n)
}
