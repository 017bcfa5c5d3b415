package mel

import (
	"math"
	"testing"
)

// TestHalfOfEveryValue checks every FP16 value, the middle between neighbors, where ties go to
// even, and both sides of it.
func TestHalfOfEveryValue(t *testing.T) {
	for bits := range 1 << 16 {
		h := uint16(bits)
		v := Single(h)
		if math.IsNaN(float64(v)) {
			if got := Half(v); got&0x7c00 != 0x7c00 || got&0x3ff == 0 {
				t.Fatalf("NaN %#x became %#x", h, got)
			}
			continue
		}
		if got := Half(v); got != h {
			t.Fatalf("%#x is %v, which became %#x", h, v, got)
		}
		if h&0x7fff >= 0x7c00 {
			continue
		}
		up := float64(Single(h + 1))
		if h&0x7fff == 0x7bff { // the next would be 65536, were it not infinity
			up = math.Copysign(65536, float64(v))
		}
		middle := float32((float64(v) + up) / 2)
		even := h + h&1
		for _, c := range []struct {
			x    float32
			want uint16
		}{{middle, even}, {towardZero(middle), h}, {awayFromZero(middle), h + 1}} {
			if got := Half(c.x); got != c.want {
				t.Fatalf("%v, near the middle of %#x and the next, became %#x, want %#x", c.x, h, got, c.want)
			}
		}
	}
}

func towardZero(x float32) float32   { return math.Float32frombits(math.Float32bits(x) - 1) }
func awayFromZero(x float32) float32 { return math.Float32frombits(math.Float32bits(x) + 1) }

// TestClamp compares every engine's clamp of FP16 bits with the order of the values themselves,
// for every least value's kind and for lengths around the assembly's turn.
func TestClamp(t *testing.T) {
	var all []uint16
	for bits := 0; bits < 1<<16; bits += 7 {
		if h := uint16(bits); h&0x7fff <= 0x7c00 {
			all = append(all, h)
		}
	}
	eachLevel(t, Whisper(80), func(t *testing.T, x *Extractor) {
		for _, least := range []float32{-100, -1.5, -0.25, 0, 0.25, 1.5, 3} {
			for _, n := range []int{0, 1, 63, 64, 65, 200, len(all)} {
				half := append([]uint16{}, all[len(all)-n:]...)
				single := make([]float32, n)
				for i, h := range half {
					single[i] = Single(h)
				}
				x.engine.clampHalf(half, Half(least))
				x.engine.clampSingle(single, least)
				for i, h := range all[len(all)-n:] {
					want := max(Single(h), least)
					if got := Single(half[i]); got != want {
						t.Fatalf("FP16 %v raised to %v is %v", Single(h), least, got)
					}
					if single[i] != want {
						t.Fatalf("float32 %v raised to %v is %v", Single(h), least, single[i])
					}
				}
			}
		}
	})
}
