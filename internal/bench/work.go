package bench

// Shape is the size of an attention or of a layer.
type Shape struct {
	Batch  int `json:"batch"`   // batch size
	Seq    int `json:"seq"`     // sequence length
	DModel int `json:"d_model"` // width of the model
	Heads  int `json:"heads"`   // attention heads
}

// Work is what a part has to do at least: multiplications and additions counted apart, and every operand
// read or written once, as if caches were perfect.
type Work struct {
	FLOPs float64 `json:"flops"` // floating-point operations
	Bytes float64 `json:"bytes"` // read and written at least
}

// Intensity is FLOPs for each byte moved.
func (w Work) Intensity() float64 {
	if w.Bytes == 0 {
		return 0
	}
	return w.FLOPs / w.Bytes
}

func (w Work) plus(o Work) Work { return Work{w.FLOPs + o.FLOPs, w.Bytes + o.Bytes} }

// Component is one part of attention.
type Component struct {
	Name  string // in JSON and in the protocol of the executors
	Title string
	work  func(s sizes) Work
	// matrix is set where the part reads or writes the scores of all pairs of positions, which fused attention never
	// stores.
	matrix bool
}

// sizes are a Shape as the formulas want it: b batch, s length, d width, h heads, k width of a head, e bytes of an
// element.
type sizes struct{ b, s, d, h, k, e float64 }

func (s Shape) sizes(element int) sizes {
	return sizes{
		float64(s.Batch), float64(s.Seq), float64(s.DModel), float64(s.Heads),
		float64(s.DModel) / float64(max(s.Heads, 1)), float64(element),
	}
}

// softmaxFLOPs are those of one score: scaled, compared, subtracted, its exponential, divided.
const softmaxFLOPs = 5

// Components are the parts of attention in their order.
var Components = []Component{
	{Name: "qkv_projection", Title: "QKV projection", work: func(z sizes) Work {
		return Work{6 * z.b * z.s * z.d * z.d, z.e * (z.b*z.s*z.d + 3*z.d*z.d + 3*z.b*z.s*z.d)}
	}},
	{Name: "scores", Title: "Score computation", matrix: true, work: func(z sizes) Work {
		return Work{2 * z.b * z.h * z.s * z.s * z.k, z.e * z.b * z.h * (2*z.s*z.k + z.s*z.s)}
	}},
	{Name: "softmax", Title: "Softmax", matrix: true, work: func(z sizes) Work {
		return Work{softmaxFLOPs * z.b * z.h * z.s * z.s, 2 * z.e * z.b * z.h * z.s * z.s}
	}},
	{Name: "weighted_sum", Title: "Weighted sum", matrix: true, work: func(z sizes) Work {
		return Work{2 * z.b * z.h * z.s * z.s * z.k, z.e * z.b * z.h * (z.s*z.s + 2*z.s*z.k)}
	}},
	{Name: "output_projection", Title: "Output projection", work: func(z sizes) Work {
		return Work{2 * z.b * z.s * z.d * z.d, z.e * (2*z.b*z.s*z.d + z.d*z.d)}
	}},
}

// Work of a part at a size, with elements of so many bytes.
func (c Component) Work(s Shape, element int) Work { return c.work(s.sizes(element)) }

// componentOf finds a part by its name.
func componentOf(name string) (Component, bool) {
	for _, c := range Components {
		if c.Name == name {
			return c, true
		}
	}
	return Component{}, false
}

// fusedWork is that of scores, softmax and weighted sum in one: the scores stay inside.
func fusedWork(s Shape, element int) Work {
	z := s.sizes(element)
	return Work{4*z.b*z.h*z.s*z.s*z.k + softmaxFLOPs*z.b*z.h*z.s*z.s, z.e * z.b * z.h * z.k * 4 * z.s}
}

// matrixWork is that of the same three parts apart.
func matrixWork(s Shape, element int) (w Work) {
	for _, c := range Components {
		if c.matrix {
			w = w.plus(c.Work(s, element))
		}
	}
	return w
}
