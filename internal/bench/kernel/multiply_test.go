package kernel

import (
	"math"
	"testing"
)

// sameProduct compares C with A·B in float64 within the classical bound for sums of products, and
// expects everything between the rows of C to be as it was.
func sameProduct(t *testing.T, c, a, b Stack, transposed bool) {
	t.Helper()
	want, sizes := make([]float64, c.Cols), make([]float64, c.Cols)
	absolute := func(s Stack) Stack {
		data := make([]float32, len(s.Data))
		for i, v := range s.Data {
			data[i] = float32(math.Abs(float64(v)))
		}
		s.Data = data
		return s
	}
	aa, bb := absolute(a), absolute(b)
	touched := make([]bool, len(c.Data))
	for batch := range c.Batch {
		for head := range c.Heads {
			for row := range c.Rows {
				referenceProduct(want, a, b, transposed, batch, head, row)
				referenceProduct(sizes, aa, bb, transposed, batch, head, row)
				from := batch*c.BatchStep + head*c.HeadStep + row*c.RowStep
				for i, got := range c.Data[from:][:c.Cols] {
					touched[from+i] = true
					bound := float64(a.Cols+2)*eps*sizes[i] + 1e-38
					if !(math.Abs(float64(got)-want[i]) <= bound) {
						t.Fatalf("%s times %s, transposed %v: C[%d,%d,%d,%d] is %v, not %v within %.2g",
							a.size(), b.size(), transposed, batch, head, row, i, got, want[i], bound)
					}
				}
			}
		}
	}
	for i, v := range c.Data {
		if !touched[i] && v != guard {
			t.Fatalf("%s times %s, transposed %v: the value at %d between the rows of C is written over", a.size(), b.size(), transposed, i)
		}
	}
}

func TestProduct(t *testing.T) {
	everyPool(t, func(t *testing.T, p *Pool) {
		r := numbers(1)
		sizes := [][3]int{
			{1, 1, 1},
			{1, 1, 7},
			{1, 7, 1},
			{7, 1, 1},
			{2, 3, 4},
			{12, 32, 8},
			{13, 33, 9},
			{11, 31, 5},
			{5, 16, 3},
			{6, 17, 3},
			{24, 64, 64},
			{1, 4, 2},
			{4, 5, 6},
			{3, 97, 321},
			{97, 53, 641},
			{193, 130, 31},
			{29, 1025, 3},
			{385, 64, 100},
			{64, 2049, 7},
		}
		for i := 1; i <= 33; i++ {
			sizes = append(sizes, [3]int{i, 34 - i, 2 * i}, [3]int{(i-1)%13 + 1, i, 5})
		}
		for _, n := range sizes {
			rows, cols, depth := n[0], n[1], n[2]
			a := Split(normal(r, 3*rows*depth+5, 1), 1, 1, rows, depth, depth+3)
			for _, transposed := range []bool{false, true} {
				b := Split(normal(r, (depth+1)*(cols+2)*2, 1), 1, 1, depth, cols, cols+1)
				if transposed {
					b = Split(b.Data, 1, 1, cols, depth, depth+1)
				}
				c := Split(guarded(rows*(cols+2)+9), 1, 1, rows, cols, cols+2)
				if len(a.Data) < rows*(depth+3) {
					a.Data = normal(r, rows*(depth+3), 1)
				}
				if err := p.multiply(c, a, b, transposed); err != nil {
					t.Fatal(err)
				}
				sameProduct(t, c, a, b, transposed)
			}
		}
	})
}

// TestProductOfHeads multiplies heads where a projection leaves them, and shares one matrix.
func TestProductOfHeads(t *testing.T) {
	everyPool(t, func(t *testing.T, p *Pool) {
		r := numbers(2)
		const batch, heads, queries, keys, width = 2, 3, 37, 41, 19
		joint := normal(r, batch*keys*3*heads*width, 1)
		q := Split(joint, batch, heads, queries, width, 3*heads*width)
		q.BatchStep = keys * 3 * heads * width
		k := Split(joint[heads*width:], batch, heads, keys, width, 3*heads*width)
		scores := Dense(guarded(batch*heads*queries*keys), batch, heads, queries, keys)
		if err := p.MultiplyTransposed(scores, q, k); err != nil {
			t.Fatal(err)
		}
		sameProduct(t, scores, q, k, true)
		v := Split(joint[2*heads*width:], batch, heads, keys, width, 3*heads*width)
		out := Split(guarded(batch*queries*heads*width), batch, heads, queries, width, heads*width)
		if err := p.Multiply(out, scores, v); err != nil {
			t.Fatal(err)
		}
		sameProduct(t, out, scores, v, false)
		shared := Matrix(normal(r, keys*5, 1), keys, 5)
		small := Dense(guarded(batch*heads*queries*5), batch, heads, queries, 5)
		if err := p.Multiply(small, scores, shared); err != nil {
			t.Fatal(err)
		}
		sameProduct(t, small, scores, shared, false)
	})
}

// TestProductThatCancels has sums that are tiny beside their terms, and terms of every size.
func TestProductThatCancels(t *testing.T) {
	everyPool(t, func(t *testing.T, p *Pool) {
		r := numbers(3)
		const rows, cols, depth = 14, 35, 700
		a, b := Matrix(normal(r, rows*depth, 1), rows, depth), Matrix(normal(r, depth*cols, 1), depth, cols)
		for i := range rows {
			for k := 0; k+1 < depth; k += 2 {
				big := float32(math.Ldexp(1+r.Float64(), r.IntN(80)-40))
				a.Data[i*depth+k], a.Data[i*depth+k+1] = big, -big
			}
		}
		for k := 0; k+1 < depth; k += 2 {
			copy(b.Data[(k+1)*cols:][:cols], b.Data[k*cols:][:cols])
		}
		c := Matrix(guarded(rows*cols), rows, cols)
		if err := p.Multiply(c, a, b); err != nil {
			t.Fatal(err)
		}
		sameProduct(t, c, a, b, false)
	})
}

// TestProductOfNaN: padding and rows beside it do not see a NaN.
func TestProductOfNaN(t *testing.T) {
	everyPool(t, func(t *testing.T, p *Pool) {
		a, b := Matrix(make([]float32, 13*9), 13, 9), Matrix(make([]float32, 9*33), 9, 33)
		a.Data[12*9+8] = float32(math.NaN())
		c := Matrix(guarded(13*33), 13, 33)
		if err := p.Multiply(c, a, b); err != nil {
			t.Fatal(err)
		}
		for i, v := range c.Data {
			if isNaN(v) != (i >= 12*33) {
				t.Fatalf("value %d is %v", i, v)
			}
		}
	})
}
