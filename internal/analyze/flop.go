package analyze

import "saturate/internal/trace"

// flop counts the arithmetic of an operator from the shapes of its inputs; 0 where the
// shapes do not tell. A multiplication and an addition count as two.
func (v *view) flop(op trace.EventID) float64 {
	count := flopOf[v.t.Name(op)]
	in := v.t.Inputs(op)
	if count == nil || in == nil {
		return 0
	}
	return count(in.Dims)
}

var flopOf = map[string]func([][]int64) float64{
	"aten::mm":      func(d [][]int64) float64 { return product(d, 0, 1) },
	"aten::addmm":   func(d [][]int64) float64 { return product(d, 1, 2) },
	"aten::bmm":     func(d [][]int64) float64 { return product(d, 0, 1) },
	"aten::baddbmm": func(d [][]int64) float64 { return product(d, 1, 2) },
	// query × key and weights × value; the backward pass has five products instead of two
	"aten::_efficient_attention_forward":  func(d [][]int64) float64 { return attention(d, 0, 1, 4) },
	"aten::_flash_attention_forward":      func(d [][]int64) float64 { return attention(d, 0, 1, 4) },
	"aten::_cudnn_attention_forward":      func(d [][]int64) float64 { return attention(d, 0, 2, 4) },
	"aten::_efficient_attention_backward": func(d [][]int64) float64 { return attention(d, 1, 1, 10) },
	"aten::_flash_attention_backward":     func(d [][]int64) float64 { return attention(d, 1, 1, 10) },
	"aten::_cudnn_attention_backward":     func(d [][]int64) float64 { return attention(d, 1, 2, 10) },
}

// product is for (… × m × k) times (… × k × n).
func product(d [][]int64, a, b int) float64 {
	if len(d) <= b || len(d[a]) < 2 || len(d[a]) != len(d[b]) {
		return 0
	}
	x, y := d[a], d[b]
	n := len(x)
	if x[n-1] != y[n-2] {
		return 0
	}
	flop := 2 * float64(y[n-1])
	for _, size := range x {
		flop *= float64(size)
	}
	return flop
}

// attention is for a query of four dimensions, one of which is the length, and its key. A
// causal mask, which would halve the work, is not seen.
func attention(d [][]int64, query, length int, per float64) float64 {
	if len(d) <= query+1 || len(d[query]) != 4 || len(d[query+1]) != 4 {
		return 0
	}
	flop := per * float64(d[query+1][length])
	for _, size := range d[query] {
		flop *= float64(size)
	}
	return flop
}
