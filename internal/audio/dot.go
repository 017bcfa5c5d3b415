package audio

// kernel is a way to compute the dot product of in and row. Their lengths agree and are multiples of kernelTaps.
type kernel struct {
	name string
	one  func(in, row []float32) float32
}

// plain is the reference for the vector code.
var plain = kernel{"plain", dotPlain}

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
