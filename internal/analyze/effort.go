package analyze

import (
	"strconv"
	"strings"

	"saturate/internal/trace"
)

// effort is the least that an operator has to do: its arithmetic, where a multiplication and an
// addition count as two, and the elements it must read and write once each.
type effort struct {
	flop     float64
	elements float64
}

// effort follows from the shapes of an operator's inputs; it is zero if they do not determine it.
func (v *view) effort(op trace.EventID) effort {
	count := effortOf[v.t.Name(op)]
	in := v.t.Inputs(op)
	if count == nil || in == nil {
		return effort{}
	}
	return count(in)
}

var effortOf = map[string]func(*trace.Inputs) effort{
	"aten::mm":                   func(in *trace.Inputs) effort { return product(in.Dims, 0, 1) },
	"aten::addmm":                func(in *trace.Inputs) effort { return product(in.Dims, 1, 2) },
	"aten::bmm":                  func(in *trace.Inputs) effort { return product(in.Dims, 0, 1) },
	"aten::baddbmm":              func(in *trace.Inputs) effort { return product(in.Dims, 1, 2) },
	"aten::convolution":          func(in *trace.Inputs) effort { return convolution(in, 0, 1, 3) },
	"aten::convolution_backward": convolutionBackward,
	// query × key and weights × value; the backward pass has five products instead of two, and twice as many tensors
	"aten::_efficient_attention_forward":  func(in *trace.Inputs) effort { return attention(in, 0, 1, 9, 4, 1) },
	"aten::_flash_attention_forward":      func(in *trace.Inputs) effort { return attention(in, 0, 1, 8, 4, 1) },
	"aten::_cudnn_attention_forward":      func(in *trace.Inputs) effort { return attention(in, 0, 2, 10, 4, 1) },
	"aten::_efficient_attention_backward": func(in *trace.Inputs) effort { return attention(in, 1, 1, 14, 10, 2) },
	"aten::_flash_attention_backward":     func(in *trace.Inputs) effort { return attention(in, 1, 1, 11, 10, 2) },
	"aten::_cudnn_attention_backward":     func(in *trace.Inputs) effort { return attention(in, 1, 2, 14, 10, 2) },
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

// convolution is for an input (samples × channels × …), a weight (… × … × kernel), and the places of its
// settings: strides, padding, dilation, whether it is transposed, and, two further, groups.
func convolution(in *trace.Inputs, input, weight, settings int) effort {
	d, v := in.Dims, in.Values
	if len(d) <= weight || len(v) <= settings+5 || len(d[input]) < 3 || len(d[input]) != len(d[weight]) {
		return effort{}
	}
	x, w := d[input], d[weight]
	stride, padding, dilation := numbers(v[settings]), numbers(v[settings+1]), numbers(v[settings+2])
	groups := numbers(v[settings+5])
	if len(groups) != 1 || groups[0] < 1 || len(stride) == 0 || len(padding) == 0 || len(dilation) == 0 {
		return effort{}
	}
	at := func(list []int64, i int) int64 { return list[min(i, len(list)-1)] } // one number stands for all dimensions
	output := []int64{x[0], w[0]}
	for i := 2; i < len(x); i++ {
		s := at(stride, i-2)
		if s < 1 {
			return effort{}
		}
		output = append(output, (x[i]+2*at(padding, i-2)-at(dilation, i-2)*(w[i]-1)-1)/s+1)
	}
	if v[settings+3] == "True" { // each element of the input meets a kernel's part for each channel of the output
		return effort{flop: 2 * size(x) * size(w[1:]), elements: size(x) + size(w) + size(x[:1])*size(w[1:2])*float64(groups[0])*size(x[2:])*strides(stride, len(x)-2)}
	}
	return effort{flop: 2 * size(output) * size(w[1:]), elements: size(x) + size(w) + size(output)}
}

// strides is how many elements of the output of a transposed convolution stand for one of the input, about.
func strides(list []int64, dims int) float64 {
	n := 1.0
	for i := range dims {
		n *= float64(list[min(i, len(list)-1)])
	}
	return n
}

// convolutionBackward computes the gradients that its last setting asks for: of the input, of the weight, each as much
// work as the forward pass.
func convolutionBackward(in *trace.Inputs) effort {
	e := convolution(in, 1, 2, 4)
	if len(in.Values) <= 10 {
		return effort{}
	}
	wanted := strings.Split(strings.Trim(in.Values[10], "[]"), ", ")
	n := 0.0
	for _, w := range wanted[:min(2, len(wanted))] {
		if w == "True" {
			n++
		}
	}
	return effort{flop: n * e.flop, elements: n * e.elements}
}

// numbers reads "[1, 2]" or "1".
func numbers(text string) (list []int64) {
	for _, part := range strings.Split(strings.Trim(text, "[]"), ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil {
			return nil
		}
		list = append(list, n)
	}
	return list
}

// attention is for a query of four dimensions (one is the length) and its key. A causal mask, which the
// setting at that place asks for, halves the work.
func attention(in *trace.Inputs, query, length, causal int, per, tensors float64) effort {
	d := in.Dims
	if len(d) <= query+1 || len(d[query]) != 4 || len(d[query+1]) != 4 {
		return effort{}
	}
	q, k := size(d[query]), size(d[query+1])
	e := effort{flop: per * q * float64(d[query+1][length]), elements: tensors * 2 * (q + k)}
	if len(in.Values) > causal && (in.Values[causal] == "True" || in.Values[causal] == "1") {
		e.flop /= 2
	}
	return e
}

func size(dims []int64) float64 {
	n := 1.0
	for _, d := range dims {
		n *= float64(d)
	}
	return n
}
