package kernel

import (
	"math"
	"testing"
)

// TestExponential goes over the floats from 0 down past the smallest normal result.
func TestExponential(t *testing.T) {
	for _, s := range sets() {
		t.Run(string(s.level), func(t *testing.T) {
			worst := 0.0
			x := make([]float32, 0, 4099)
			y := make([]float32, 4099)
			check := func() {
				copy(y, x)
				sum, want := s.exps(y[:len(x)], 0, 1), 0.0
				for i, v := range x {
					e := math.Exp(float64(v))
					want += float64(y[i])
					if e < 0x1p-126 {
						if y[i] > 0x1p-126 {
							t.Fatalf("e^%v is %v, not almost zero", v, y[i])
						}
						continue
					}
					worst = max(worst, math.Abs(float64(y[i])-e)/e)
				}
				if math.Abs(float64(sum)-want) > 1e-5*want {
					t.Fatalf("the sum of %d exponentials is %v, not %v", len(x), sum, want)
				}
				x = x[:0]
			}
			for bits := uint32(0); bits < math.Float32bits(90); bits += 701 {
				x = append(x, -math.Float32frombits(bits))
				if len(x) == cap(x) {
					check()
				}
			}
			check()
			if worst > 2*eps {
				t.Errorf("the largest relative error is %.3g, more than one unit in the last place", worst)
			}
			t.Logf("largest relative error %.3g", worst)
		})
	}
}

func TestExponentialOfOddValues(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, s := range sets() {
		for n := 1; n < 40; n++ {
			x := make([]float32, n)
			for i := range x {
				x[i] = -inf
			}
			if sum := s.exps(x, 3, 2); sum != 0 || x[0] != 0 || x[n-1] != 0 {
				t.Errorf("%s, %d values: e^-∞ is %v, the sum %v", s.level, n, x, sum)
			}
			x[n-1] = float32(math.NaN())
			if sum := s.exps(x, 3, 2); !isNaN(sum) || !isNaN(x[n-1]) || n > 1 && x[0] == 0 {
				t.Errorf("%s, %d values: NaN becomes %v, the sum %v", s.level, n, x[n-1], sum)
			}
		}
	}
}

func TestLargest(t *testing.T) {
	for _, s := range sets() {
		for n := range 70 {
			for at := range max(n, 1) {
				x, want := make([]float32, n), float32(math.Inf(-1))
				for i := range x {
					x[i] = -5 - float32(i)
				}
				if n > 0 {
					x[at], want = -2, -2
				}
				if got := s.largest(x); got != want {
					t.Fatalf("%s: the largest of %v is %v", s.level, x, got)
				}
			}
		}
	}
}

func TestMask(t *testing.T) {
	for _, c := range []struct {
		mask            Mask
		row, keys, seen int
	}{
		{Mask{}, 0, 5, 5},
		{Mask{Shift: -9}, 0, 5, 5},
		{Mask{Causal: true}, 0, 5, 1},
		{Mask{Causal: true}, 3, 5, 4},
		{Mask{Causal: true}, 9, 5, 5},
		{Mask{Causal: true, Shift: 2}, 0, 5, 3},
		{Mask{Causal: true, Shift: -2}, 1, 5, 0},
		{Mask{Causal: true, Shift: -2}, 2, 5, 1},
	} {
		if got := c.mask.seen(c.row, c.keys); got != c.seen {
			t.Errorf("%+v: query %d sees %d of %d keys, not %d", c.mask, c.row, got, c.keys, c.seen)
		}
	}
}

// sameSoftmax compares a row with the softmax of x in float64.
func sameSoftmax(t *testing.T, got, x []float32, seen int, scale float64) {
	t.Helper()
	want, top := make([]float64, seen), math.Inf(-1)
	for i := range want {
		want[i] = float64(x[i])
		top = max(top, want[i]*scale)
	}
	referenceSoftmax(want, scale)
	for i, p := range want {
		away := math.Abs(float64(x[i])*scale - top)
		bound := p*(0x1p-20+away*0x1p-22+float64(seen)*0x1p-28) + 0x1p-126
		if !(math.Abs(float64(got[i])-p) <= bound) {
			t.Fatalf("%d values, scale %v: the softmax of %v is %v, not %v within %.2g", seen, scale, x[i], got[i], p, bound)
		}
	}
	for i, v := range got[seen:] {
		if v != 0 {
			t.Fatalf("value %d is masked and %v", seen+i, v)
		}
	}
}

func TestSoftmax(t *testing.T) {
	everyPool(t, func(t *testing.T, p *Pool) {
		r := numbers(4)
		for _, cols := range []int{1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 127, 255, 1000, 4099} {
			for _, spread := range []float64{0, 1, 50, 1e6, 1e30} {
				for _, scale := range []float32{1, 0.125, 3.7, 0, -0.5} {
					for _, mask := range []Mask{{}, {Causal: true}, {Causal: true, Shift: cols - 5}, {Causal: true, Shift: -3}} {
						const rows = 5
						x := normal(r, rows*(cols+1), spread)
						got := append([]float32(nil), x...)
						if err := p.Softmax(Split(got, 1, 1, rows, cols, cols+1), mask, scale); err != nil {
							t.Fatal(err)
						}
						for i := range rows {
							sameSoftmax(t, got[i*(cols+1):][:cols], x[i*(cols+1):][:cols], mask.seen(i, cols), float64(scale))
							if got[i*(cols+1)+cols] != x[i*(cols+1)+cols] {
								t.Fatal("the value behind a row is written over")
							}
						}
					}
				}
			}
		}
	})
}

func TestSoftmaxOfOddRows(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	everyPool(t, func(t *testing.T, p *Pool) {
		for _, c := range []struct {
			row  []float32
			want []float32 // NaN is NaN everywhere
		}{
			{[]float32{-inf, -inf, -inf}, []float32{0, 0, 0}},
			{[]float32{-inf, 5, -inf}, []float32{0, 1, 0}},
			{[]float32{math.MaxFloat32, -math.MaxFloat32}, []float32{1, 0}},
			{[]float32{-math.MaxFloat32, -math.MaxFloat32}, []float32{0.5, 0.5}},
			{[]float32{nan, 1, 2}, []float32{nan}},
			{[]float32{nan, -inf, -inf}, []float32{nan}},
			{[]float32{inf, 1, 2}, []float32{nan}},
		} {
			got := append([]float32(nil), c.row...)
			if err := p.Softmax(Matrix(got, 1, len(got)), Mask{}, 1); err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if want := c.want[min(i, len(c.want)-1)]; got[i] != want && !(isNaN(got[i]) && isNaN(want)) {
					t.Errorf("the softmax of %v is %v, not %v", c.row, got, c.want)
				}
			}
		}
	})
}
