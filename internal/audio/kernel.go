package audio

// kernel is a way to compute a resampler's sums.
type kernel struct {
	name string
	// between gives the filtered window at some places, at least one, from left to right; the filter's taps are a multiple
	// of kernelTaps.
	between func(out, window []float32, f *filter, places []place)
	// lay makes four columns of a matrix of in, and of in from stride, 2·stride and 3·stride on; rows is a multiple of
	// 4.
	lay func(columns, in []float32, stride, rows int)
	// add gives, for each of a matrix's columns, the sums of n rows times the numbers of a, and behind them those of b; n
	// is a multiple of tapsAtOnce.
	add func(matrix, a, b []float32, n int, out *[2 * stretches]float32)
}

// fastest is the kernel for this processor, plain the reference for the vector code.
var (
	fastest = kernels()[0]
	plain   = kernel{"plain", betweenPlain, layPlain, addPlain}
)

// place is where the filter is laid: on the samples from at on, between a row, not the last, and the next one, part of
// the way.
type place struct {
	at, row int
	part    float32
}

func betweenPlain(out, window []float32, f *filter, places []place) {
	for i, p := range places {
		in := window[p.at:][:f.taps]
		a, b := f.row(p.row)[:len(in)], f.row(p.row + 1)[:len(in)]
		var s0, s1, t0, t1 float32
		for k := 0; k+2 <= len(in); k += 2 {
			s0, t0 = s0+in[k]*a[k], t0+in[k]*b[k]
			s1, t1 = s1+in[k+1]*a[k+1], t1+in[k+1]*b[k+1]
		}
		out[i] = s0 + s1 + p.part*(t0+t1-(s0+s1))
	}
}

func layPlain(columns, in []float32, stride, rows int) {
	a, b, c, d := in[:rows], in[stride:][:rows], in[2*stride:][:rows], in[3*stride:][:rows]
	for j := range rows {
		row := (*[4]float32)(columns[j*stretches:])
		row[0], row[1], row[2], row[3] = a[j], b[j], c[j], d[j]
	}
}

func addPlain(matrix, a, b []float32, n int, out *[2 * stretches]float32) {
	a, b, matrix = a[:n], b[:n], matrix[:n*stretches]
	for k := 0; k < stretches; k += 4 {
		var s0, s1, s2, s3, t0, t1, t2, t3 float32
		for i, x := range a {
			row, y := (*[4]float32)(matrix[i*stretches+k:]), b[i]
			s0, s1, s2, s3 = s0+x*row[0], s1+x*row[1], s2+x*row[2], s3+x*row[3]
			t0, t1, t2, t3 = t0+y*row[0], t1+y*row[1], t2+y*row[2], t3+y*row[3]
		}
		out[k], out[k+1], out[k+2], out[k+3] = s0, s1, s2, s3
		out[stretches+k], out[stretches+k+1], out[stretches+k+2], out[stretches+k+3] = t0, t1, t2, t3
	}
}
