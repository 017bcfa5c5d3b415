package dataset

import (
	"bytes"
	"testing"
)

// Whatever is copied from wherever to wherever, it is there, and nothing beside it is touched.
func TestPour(t *testing.T) {
	src := make([]byte, 2000)
	for i := range src {
		src[i] = byte(i*7 + i>>8)
	}
	for _, n := range []int{0, 1, 31, 127, 128, 129, 255, 256, 300, 1023, 1500} {
		for from := range 140 {
			to := from * 3 % 131
			dst := bytes.Repeat([]byte{0xEE}, 2000)
			want := bytes.Clone(dst)
			copy(want[to:], src[from:from+n])
			pour(dst[to:], src[from:from+n])
			if !bytes.Equal(dst, want) {
				t.Fatalf("%d bytes from %d to %d: other bytes", n, from, to)
			}
		}
	}
}
