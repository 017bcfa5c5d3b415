package audio

// kernel is a way to compute dot products. Lengths agree and are multiples of kernelTaps.
type kernel struct {
	name string
	// one is the dot product of in and row.
	one func(in, row []float32) float32
	// four are those of row with in, and with in from stride, 2·stride and 3·stride on. Each has
	// the bits that one would give.
	four func(in []float32, stride int, row []float32, out *[4]float32)
}

// plain is the reference for the vector code.
var plain = kernel{"plain", dotPlain, func(in []float32, stride int, row []float32, out *[4]float32) {
	for i := range out {
		out[i] = dotPlain(in[i*stride:i*stride+len(row)], row)
	}
}}

func dotPlain(in, row []float32) float32 {
	var s0, s1, s2, s3 float32
	row = row[:len(in)]
	for i := 0; i+4 <= len(in); i += 4 {
		s0 += in[i] * row[i]
		s1 += in[i+1] * row[i+1]
		s2 += in[i+2] * row[i+2]
		s3 += in[i+3] * row[i+3]
	}
	return (s0 + s1) + (s2 + s3)
}

// dots is the fastest kernel of this processor.
var dots = kernels()[0]
