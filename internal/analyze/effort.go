package analyze

import "saturate/internal/trace"

// effort is the least that an operator has to do: its arithmetic, where a multiplication and an
// addition count as two, and the elements it must read and write once each.
type effort struct {
	flop     float64
	elements float64
}

// effort is told by the shapes of an operator's inputs; nothing where they do not tell.
func (v *view) effort(op trace.EventID) effort {
	count := effortOf[v.t.Name(op)]
	in := v.t.Inputs(op)
	if count == nil || in == nil {
		return effort{}
	}
	return count(in.Dims)
}

var effortOf = map[string]func([][]int64) effort{
	"aten::mm":      func(d [][]int64) effort { return product(d, 0, 1) },
	"aten::addmm":   func(d [][]int64) effort { return product(d, 1, 2) },
	"aten::bmm":     func(d [][]int64) effort { return product(d, 0, 1) },
	"aten::baddbmm": func(d [][]int64) effort { return product(d, 1, 2) },
	// query × key and weights × value; the backward pass has five products instead of two, and twice as many tensors
	"aten::_efficient_attention_forward":  func(d [][]int64) effort { return attention(d, 0, 1, 4, 1) },
	"aten::_flash_attention_forward":      func(d [][]int64) effort { return attention(d, 0, 1, 4, 1) },
	"aten::_cudnn_attention_forward":      func(d [][]int64) effort { return attention(d, 0, 2, 4, 1) },
	"aten::_efficient_attention_backward": func(d [][]int64) effort { return attention(d, 1, 1, 10, 2) },
	"aten::_flash_attention_backward":     func(d [][]int64) effort { return attention(d, 1, 1, 10, 2) },
	"aten::_cudnn_attention_backward":     func(d [][]int64) effort { return attention(d, 1, 2, 10, 2) },
}

// product is for (… × m × k) times (… × k × n).
func product(d [][]int64, a, b int) effort {
	if len(d) <= b || len(d[a]) < 2 || len(d[a]) != len(d[b]) {
		return effort{}
	}
	x, y := d[a], d[b]
	n := len(x)
	if x[n-1] != y[n-2] {
		return effort{}
	}
	result := size(x[:n-1]) * float64(y[n-1])
	return effort{flop: 2 * size(x) * float64(y[n-1]), elements: size(x) + size(y) + result}
}

// attention is for a query of four dimensions, one of which is the length, and its key. A
// causal mask, which would halve the work, is not seen.
func attention(d [][]int64, query, length int, per, tensors float64) effort {
	if len(d) <= query+1 || len(d[query]) != 4 || len(d[query+1]) != 4 {
		return effort{}
	}
	q, k := size(d[query]), size(d[query+1])
	return effort{flop: per * q * float64(d[query+1][length]), elements: tensors * 2 * (q + k)}
}

func size(dims []int64) float64 {
	n := 1.0
	for _, d := range dims {
		n *= float64(d)
	}
	return n
}
