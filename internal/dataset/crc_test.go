package dataset

import (
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

// The checksum is the one that everybody else computes, at any length, from any place, in any pieces.
func TestCRC32C(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 70_000)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	for range 3000 {
		from := r.IntN(1000)
		end := from + r.IntN(4000)
		if r.IntN(10) == 0 {
			end = from + r.IntN(60_000)
		}
		middle := from + r.IntN(end-from+1)
		want := crc32.Checksum(data[from:end], castagnoli)
		if got := crc32c(0, data[from:end]); got != want {
			t.Fatalf("bytes %d to %d: %08x, not %08x", from, end, got, want)
		}
		if got := crc32c(crc32c(0, data[from:middle]), data[middle:end]); got != want {
			t.Fatalf("bytes %d to %d, then to %d: %08x, not %08x", from, middle, end, got, want)
		}
	}
}

func BenchmarkCRC32C(b *testing.B) {
	data := make([]byte, 960_044)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		crc32c(0, data)
	}
}

func BenchmarkCRC32CStandard(b *testing.B) {
	data := make([]byte, 960_044)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		crc32.Update(0, castagnoli, data)
	}
}
