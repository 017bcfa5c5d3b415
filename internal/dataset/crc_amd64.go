//go:build !noasm

package dataset

import (
	"encoding/binary"
	"hash/crc32"
	"unsafe"

	processor "golang.org/x/sys/cpu"
)

//go:noescape
func foldAVX512(state, data unsafe.Pointer, n int, by *[2]uint64)

var canFold = processor.X86.HasAVX512F && processor.X86.HasAVX512VPCLMULQDQ

// foldBy moves 64 bits of a polynomial over the length of folds: x to that power and 32 more, or less, modulo the
// checksum's polynomial, which is written backwards here and so is one power lower.
var foldBy = [2]uint64{uint64(power(8*len(folds{}) + 32 - 1)), uint64(power(8*len(folds{}) - 32 - 1))}

// power is x to the n modulo the polynomial.
func power(n int) uint32 {
	r := uint32(1 << 31) // which is 1
	for range n {
		if r&1 != 0 {
			r = r>>1 ^ crc32.Castagnoli
		} else {
			r >>= 1
		}
	}
	return r
}

// fold takes in all but less than the length of folds, and gives the checksum so far and the rest.
func fold(crc uint32, data []byte) (uint32, []byte) {
	var state folds
	copy(state[:], data)
	binary.LittleEndian.PutUint32(state[:], binary.LittleEndian.Uint32(state[:])^^crc)
	data = data[len(state):]
	n := len(data) &^ (len(state) - 1)
	foldAVX512(unsafe.Pointer(&state), unsafe.Pointer(&data[0]), n, &foldBy)
	return crc32.Update(^uint32(0), castagnoli, state[:]), data[n:]
}
