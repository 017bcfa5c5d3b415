package audio

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

var ratePairs = [][2]int{
	{48000, 16000},
	{44100, 16000},
	{32000, 16000},
	{24000, 16000},
	{22050, 16000},
	{8000, 16000},
	{16000, 48000},
	{11025, 16000},
	{48001, 16000},
	{96000, 16000},
	{44100, 48000},
	{44056, 16000},
	{32001, 16000},
	{768000, 16001},
	{22254, 16000},
	{16000, 44101},
}

// torchaudio is its default resampler in closed form: a sinc under a Hann window of six zeros, rolled off at 0.99.
func torchaudio(in []float32, from, to int) []float32 {
	g := gcd(from, to)
	from, to = from/g, to/g
	cut := 0.99 * float64(min(from, to))
	width := int(math.Ceil(6 * float64(from) / cut))
	out := make([]float32, (len(in)*to+from-1)/from)
	for j := range out {
		start := j/to*from - width
		sum := 0.0
		for k := range 2*width + from {
			if at := start + k; at >= 0 && at < len(in) {
				t := min(max((float64(k-width)/float64(from)-float64(j%to)/float64(to))*cut, -6), 6)
				window := math.Cos(t * math.Pi / 12)
				sum += float64(in[at]) * sinc(t) * window * window * cut / float64(from)
			}
		}
		out[j] = float32(sum)
	}
	return out
}

// Against torchaudio: the same sound at the same time in the middle of the band, and both edges better kept.
func TestResamplerAgainstTorchaudio(t *testing.T) {
	theirs := func(in []float32, from, to int) ([]float32, error) { return torchaudio(in, from, to), nil }
	for _, p := range [][2]int{{48000, 16000}, {44100, 16000}} {
		ours, err := Resample(signal(p[0], 1, 0.3), p[0], p[1])
		if err != nil {
			t.Fatal(err)
		}
		if d := largestDifference(ours, torchaudio(signal(p[0], 1, 0.3), p[0], p[1])); d > 2e-3 {
			t.Errorf("%v: largest difference to torchaudio %g", p, d)
		}
		gain, _ := tone(t, Resample, p[0], p[1], passbandEdge*8000)
		theirGain, _ := tone(t, theirs, p[0], p[1], passbandEdge*8000)
		_, alias := tone(t, Resample, p[0], p[1], 8200)
		_, theirAlias := tone(t, theirs, p[0], p[1], 8200)
		t.Logf("%v: at %.0f Hz %.5f dB, torchaudio %.2f dB; alias of 8200 Hz %.1f dB, torchaudio %.1f dB", p, passbandEdge*8000, gain, theirGain, alias, theirAlias)
		if math.Abs(theirGain+2.82) > 0.02 || math.Abs(theirAlias+8.07) > 0.02 {
			t.Errorf("%v: the closed form gives %.2f dB and %.1f dB; torchaudio itself was measured at -2.82 dB and -8.07 dB", p, theirGain, theirAlias)
		}
		if math.Abs(gain) > math.Abs(theirGain) || alias > theirAlias {
			t.Errorf("%v: worse than torchaudio", p)
		}
	}
}

// tone sends a tone through a resampler and splits what comes out, away from the ends, into
// the tone itself (as a gain in dB) and everything else (in dB below the tone that went in).
func tone(t *testing.T, resample func([]float32, int, int) ([]float32, error), from, to int, hz float64) (gain, rest float64) {
	t.Helper()
	in := make([]float32, from/2)
	for i := range in {
		in[i] = float32(math.Sin(2 * math.Pi * hz * float64(i) / float64(from)))
	}
	out, err := resample(in, from, to)
	if err != nil {
		t.Fatal(err)
	}
	edge := to / 10
	var ss, cc, sc, ys, yc, yy float64
	for i := edge; i < len(out)-edge; i++ {
		s, c := math.Sincos(2 * math.Pi * hz * float64(i) / float64(to))
		y := float64(out[i])
		ss, cc, sc, ys, yc, yy = ss+s*s, cc+c*c, sc+s*c, ys+y*s, yc+y*c, yy+y*y
	}
	n := float64(len(out) - 2*edge)
	if hz >= float64(min(from, to))/2 {
		return math.Inf(-1), 10 * math.Log10(2*yy/n+1e-30) // nothing of it may be there
	}
	det := ss*cc - sc*sc
	a, b := (ys*cc-yc*sc)/det, (yc*ss-ys*sc)/det
	left := 0.0
	for i := edge; i < len(out)-edge; i++ {
		s, c := math.Sincos(2 * math.Pi * hz * float64(i) / float64(to))
		d := float64(out[i]) - a*s - b*c
		left += d * d
	}
	return 20 * math.Log10(math.Hypot(a, b)), 10 * math.Log10(2*left/n+1e-30)
}

// The promises of filter.go, measured with tones from one end to the other.
func TestResamplerQuality(t *testing.T) {
	for _, p := range ratePairs {
		from, to := p[0], p[1]
		t.Run(fmt.Sprintf("%d to %d", from, to), func(t *testing.T) {
			nyquist := float64(min(from, to)) / 2
			ripple, images, aliases := 0.0, math.Inf(-1), math.Inf(-1)
			for _, share := range []float64{0.003, 0.1, 0.3, 0.5, 0.7, 0.85, 0.9, passbandEdge} {
				gain, rest := tone(t, Resample, from, to, share*nyquist)
				ripple, images = max(ripple, math.Abs(gain)), max(images, rest)
			}
			for _, share := range []float64{stopbandEdge + 0.0005, 1.02, 1.05, 1.1, 1.3, 1.7, 1.99, 2.01, 2.5} {
				if hz := share * nyquist; hz < float64(from)/2 {
					_, rest := tone(t, Resample, from, to, hz)
					aliases = max(aliases, rest)
				}
			}
			t.Logf("ripple %.6f dB, images %.1f dB, aliases %.1f dB", ripple, images, aliases)
			if ripple > passbandDB {
				t.Errorf("passband ripple %.5f dB, promised %.3f", ripple, passbandDB)
			}
			if images > -rejectionDB || aliases > -rejectionDB {
				t.Errorf("images %.1f dB, aliases %.1f dB, promised %.0f", images, aliases, -rejectionDB)
			}
		})
	}
}

// Output j is the input at time j/to: no delay, and the length that soxr and torchaudio give.
func TestResamplerLengthAndTime(t *testing.T) {
	for _, p := range ratePairs {
		for _, n := range []int{0, 1, 2, 3, 441, 1000, 4801} {
			out, err := Resample(make([]float32, n), p[0], p[1])
			want := int(math.Ceil(float64(n) * float64(p[1]) / float64(p[0])))
			if err != nil || len(out) != want {
				t.Errorf("%d samples from %d to %d Hz: %d, want %d (%v)", n, p[0], p[1], len(out), want, err)
			}
		}
	}
}

// However the stream is cut into pieces, the samples are the same, bit for bit.
func TestResamplerStreams(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	in := make([]float32, 20000)
	for i := range in {
		in[i] = float32(random.NormFloat64())
	}
	for _, p := range ratePairs {
		whole, err := Resample(in, p[0], p[1])
		if err != nil {
			t.Fatal(err)
		}
		r, err := newResampler(p[0], p[1])
		if err != nil {
			t.Fatal(err)
		}
		for round := range 2 { // the second time with a used resampler
			var pieces []float32
			buf := make([]float32, 700)
			for at := 0; at < len(in); {
				at += r.Write(in[at:min(len(in), at+1+random.IntN(900))])
				for {
					n := r.Read(buf[:1+random.IntN(len(buf))])
					pieces = append(pieces, buf[:n]...)
					if n == 0 {
						break
					}
				}
			}
			r.Flush()
			for n := r.Read(buf); n > 0; n = r.Read(buf) {
				pieces = append(pieces, buf[:n]...)
			}
			if len(pieces) != len(whole) || largestDifference(pieces, whole) != 0 {
				t.Errorf("%v, round %d: %d samples, want %d; difference %g", p, round, len(pieces), len(whole), largestDifference(pieces, whole))
			}
			r.Reset()
		}
	}
}

// Silence before and behind a sound that begins and ends suddenly changes nothing: the filter reaches over both ends.
func TestResamplerEnds(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for _, p := range ratePairs {
		in := make([]float32, 3*p[0]) // a second of silence, of sound, of silence
		for i := p[0]; i < 2*p[0]; i++ {
			in[i] = float32(random.NormFloat64())
		}
		long, err := Resample(in, p[0], p[1])
		if err != nil {
			t.Fatal(err)
		}
		short, err := Resample(in[p[0]:2*p[0]], p[0], p[1])
		if err != nil {
			t.Fatal(err)
		}
		if d := largestDifference(long[p[1]:2*p[1]], short); len(short) != p[1] || d > 2e-6 {
			t.Errorf("%v: %d samples, difference %g", p, len(short), d)
		}
	}
}

func TestResamplerRefuses(t *testing.T) {
	for _, p := range [][2]int{{0, 16000}, {16000, 0}, {-1, 1}, {1, 16000}, {768001, 16000}} {
		if _, err := newResampler(p[0], p[1]); err == nil {
			t.Errorf("%v is taken", p)
		}
	}
}

// The vector code equals exact sums up to the order of additions.
func TestVectorCode(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	numbers := func(n int) []float32 {
		list := make([]float32, n)
		for i := range list {
			list[i] = float32(random.NormFloat64())
		}
		return list
	}
	near := func(name string, got float32, n int, product func(i int) float64) {
		exact, size := 0.0, 0.0
		for i := range n {
			exact, size = exact+product(i), size+math.Abs(product(i))
		}
		if math.Abs(float64(got)-exact) > 1e-6*size {
			t.Errorf("%s, %d values: %g, want %g", name, n, got, exact)
		}
	}
	for _, shift := range []int{0, 1, 3} { // memory is not aligned
		for _, n := range []int{32, 64, 96, 448} {
			f := &filter{taps: n, phases: 2, margin: 5, rows: numbers(3*(n+10) + shift)[shift:]}
			window, places := numbers(n + 9 + shift)[shift:], []place{{0, 1, 0}, {4, 0, 0.3}, {9, 1, 0.9}}
			for _, k := range kernels() {
				out := make([]float32, len(places))
				k.between(out, window, f, places)
				for i, p := range places {
					part := float64(p.part)
					near(k.name+", between", out[i], n, func(i int) float64 {
						return float64(window[p.at+i]) * ((1-part)*float64(f.row(p.row)[i]) + part*float64(f.row(p.row + 1)[i]))
					})
				}
			}
		}
		in := numbers(3*50 + 12 + shift)[shift:]
		for _, k := range kernels() {
			columns := make([]float32, 12*stretches+shift)[shift:]
			k.lay(columns, in, 50, 12)
			for i, got := range columns {
				want := float32(0)
				if c := i % stretches; c < 4 {
					want = in[c*50+i/stretches]
				}
				if got != want {
					t.Fatalf("%s: place %d holds %g, want %g", k.name, i, got, want)
				}
			}
		}
		for _, n := range []int{4, 8, 12, 460} {
			matrix, a, b := numbers(n*stretches + shift)[shift:], numbers(n + shift)[shift:], numbers(n + shift)[shift:]
			for _, k := range kernels() {
				var out [2 * stretches]float32
				k.add(matrix, a, b, n, &out)
				for c := range stretches {
					near(k.name+", first", out[c], n, func(i int) float64 { return float64(a[i]) * float64(matrix[i*stretches+c]) })
					near(k.name+", second", out[stretches+c], n, func(i int) float64 { return float64(b[i]) * float64(matrix[i*stretches+c]) })
				}
			}
		}
	}
}

// Every output is the filter's at its time, from the first to the last; ratios with odd and even numbers of phases, few
// and many.
func TestResamplerIsItsFilter(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, p := range append([][2]int{{3, 1}, {1, 3}, {25, 8}, {2997, 1000}, {7, 5}}, ratePairs...) {
		g := gcd(p[0], p[1])
		from, to := p[0]/g, p[1]/g
		f := filterFor(from, to)
		if f.phases < to {
			continue // between two rows
		}
		in := make([]float32, 5000+random.IntN(40000))
		for i := range in {
			in[i] = float32(random.NormFloat64())
		}
		out, err := Resample(in, p[0], p[1])
		if err != nil {
			t.Fatal(err)
		}
		for j := 0; j < len(out); j += 1 + random.IntN(9) {
			sum, first := 0.0, j*from/to-f.taps/2+1
			for k, h := range f.row(j * from % to) {
				if i := first + k; i >= 0 && i < len(in) {
					sum += float64(h) * float64(in[i])
				}
			}
			if math.Abs(sum-float64(out[j])) > 1e-5 {
				t.Fatalf("%v: output %d of %d is %g, want %g", p, j, len(out), out[j], sum)
			}
		}
	}
}

func BenchmarkResample(b *testing.B) {
	for _, p := range [][2]int{{48000, 16000}, {44100, 16000}, {24000, 16000}, {22050, 16000}, {48001, 16000}, {44056, 16000}, {22254, 16000}} {
		in := make([]float32, 10*p[0])
		for _, k := range kernels() {
			b.Run(fmt.Sprintf("%d-%d/%s", p[0], p[1], k.name), func(b *testing.B) {
				old := fastest
				fastest = k
				defer func() { fastest = old }()
				for b.Loop() {
					if _, err := Resample(in, p[0], p[1]); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(10*float64(b.N)/b.Elapsed().Seconds(), "audio-s/s")
			})
		}
	}
}
