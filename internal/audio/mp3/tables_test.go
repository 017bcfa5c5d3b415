package mp3

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Every list of codes is a complete prefix code of all pairs up to its largest value.
func TestCodesAreComplete(t *testing.T) {
	check := func(name any, list string, size int) {
		t.Helper()
		share := 0.0
		seen := map[uint8]bool{}
		for _, l := range leaves(list) {
			share += math.Exp2(-float64(l.length))
			seen[l.value] = true
		}
		if share != 1 || len(seen) != size || len(list) != 3*size {
			t.Errorf("table %v: %d values of %d in %d codes fill %g of the tree", name, len(seen), size, len(list)/3, share)
		}
	}
	largest := map[int]int{1: 1, 2: 2, 3: 2, 5: 3, 6: 3, 7: 5, 8: 5, 9: 5, 10: 7, 11: 7, 12: 7, 13: 15, 15: 15, 16: 15, 24: 15}
	for table, list := range pairCodes {
		v, ok := largest[table]
		if !ok {
			if list != "" {
				t.Errorf("table %d does not exist", table)
			}
			continue
		}
		check(table, list, (v+1)*(v+1))
		for _, l := range leaves(list) {
			if int(l.value>>4) > v || int(l.value&15) > v {
				t.Errorf("table %d: value %02x", table, l.value)
			}
		}
	}
	check("A", quadCodes, 16)
	for i, table := range theTables().pairs {
		for _, e := range table.entries {
			if e == 0 {
				t.Fatalf("table %d has a code without a value", i)
			}
		}
	}
}

func TestBandsFillTheGranule(t *testing.T) {
	for rate := range rates {
		for _, l := range []layout{longLayout, shortLayout, mixedLayout} {
			b := makeBands(rate, l)
			if b.ends[b.count-1] != lines {
				t.Errorf("%d Hz, layout %d: %d lines", rates[rate], l, b.ends[b.count-1])
			}
			for i := range b.count {
				if b.ends[i]%2 != 0 {
					t.Errorf("%d Hz, layout %d: band %d ends at the odd line %d", rates[rate], l, i, b.ends[i])
				}
			}
		}
	}
}

func noise(out []float32) {
	random := rand.New(rand.NewPCG(3, 4))
	for i := range out {
		out[i] = float32(random.NormFloat64())
	}
}

// The fast transforms are the sums by which the standard defines them.
func TestIMDCT(t *testing.T) {
	tables := &theTables().hybrid
	for block := range 4 {
		for odd := range 2 {
			var x, overlap [slots]float32
			noise(x[:])
			noise(overlap[:])
			var want [2 * slots]float64
			if block == 2 {
				for w := range 3 {
					for i := range 12 {
						sum := 0.0
						for k := range 6 {
							sum += float64(x[3*k+w]) * math.Cos(math.Pi/24*float64((2*i+7)*(2*k+1)))
						}
						want[6+6*w+i] += sum * math.Sin(math.Pi/12*(float64(i)+0.5))
					}
				}
			} else {
				for i := range want {
					for k := range slots {
						want[i] += float64(x[k]) * math.Cos(math.Pi/72*float64((2*i+19)*(2*k+1)))
					}
					want[i] *= longWindow(block, i)
				}
			}
			for i := range want {
				if odd == 1 && i%2 == 1 {
					want[i] = -want[i]
				}
				if i < slots {
					want[i] += float64(overlap[i])
				}
			}
			if block == 2 {
				tables.imdctShort(&x, &overlap, odd == 1)
			} else {
				tables.imdct(&x, &overlap, &tables.windows[odd][block])
			}
			for i, v := range append(x[:], overlap[:]...) {
				if math.Abs(float64(v)-want[i]) > 1e-5 {
					t.Fatalf("block %d, odd %d: value %d is %g, want %g", block, odd, i, v, want[i])
				}
			}
		}
	}
}

func TestSynthesis(t *testing.T) {
	tables := &theTables().filter
	for _, mode := range modes() {
		var f filter
		var v [1024]float64
		var x, out [lines]float32
		noise(x[:])
		for range 2 {
			in := x
			tables.synthesize(&f, &in, &out)
			for slot := range slots {
				copy(v[64:], v[:960])
				for i := range 64 {
					v[i] = 0
					for k := range subbands {
						v[i] += math.Cos(math.Pi/64*float64((16+i)*(2*k+1))) * float64(x[k*slots+slot])
					}
				}
				for j := range subbands {
					want := 0.0
					for i := range 8 {
						want += v[128*i+j]*windowAt(64*i+j) + v[128*i+96+j]*windowAt(64*i+32+j)
					}
					if got := float64(out[slot*subbands+j]); math.Abs(got-want) > 2e-5 {
						t.Fatalf("%s: sample %d of slot %d is %g, want %g", mode, j, slot, got, want)
					}
				}
			}
		}
	}
}

func windowAt(i int) float64 {
	switch {
	case i <= 256:
		return float64(windowHalf[i]) / 65536
	case i%64 == 0:
		return windowAt(512 - i)
	}
	return -windowAt(512 - i)
}
