package mel

import "math"

// Reference computes the features in float64 by the definition, a frequency at a time: slow, and
// what everything else is measured against. The clip is cut, or padded with silence, to length
// samples; the result is bands by frames. Samples that are NaN or infinite count as silence.
func Reference(p Params, samples []float64, length int) ([]float64, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	frames, bank, window := p.Frames(length), p.filters(), p.Window.values(p.NFFT)
	clip := make([]float64, max(0, length))
	for i := range min(len(samples), len(clip)) {
		if v := samples[i]; !math.IsNaN(v) && !math.IsInf(v, 0) {
			clip[i] = max(-mostSample, min(mostSample, v))
		}
	}
	cos, sin := make([]float64, p.NFFT), make([]float64, p.NFFT)
	for i := range cos {
		sin[i], cos[i] = math.Sincos(2 * math.Pi * float64(i) / float64(p.NFFT))
	}
	out := make([]float64, p.Mels*frames)
	x, spectrum := make([]float64, p.NFFT), make([]float64, p.NFFT/2+1)
	peak := math.Inf(-1)
	for f := range frames {
		for i := range x {
			x[i] = window[i] * clip[mirror(f*p.Hop-p.NFFT/2+i, len(clip))]
		}
		for k := range spectrum {
			re, im, turn := 0.0, 0.0, 0
			for _, v := range x {
				re += v * cos[turn]
				im -= v * sin[turn]
				if turn += k; turn >= p.NFFT {
					turn -= p.NFFT
				}
			}
			spectrum[k] = math.Pow(re*re+im*im, p.Power/2)
		}
		for m, band := range bank {
			energy := 0.0
			for j, w := range band.weights {
				energy += float64(w) * spectrum[band.first+j]
			}
			v := math.Log10(math.Max(energy, leastEnergy))
			peak = math.Max(peak, v)
			out[m*frames+f] = v
		}
	}
	factor, offset := p.affine()
	for i, v := range out {
		if p.Scaling == WhisperScale {
			v = math.Max(v, peak-floorBelowPeak)
		}
		out[i] = factor*v + offset
	}
	return out, nil
}

// mirror gives the sample that stands at position i when a clip of n samples is continued by
// reflection at its first and last sample, as often as needed.
func mirror(i, n int) int {
	if n == 1 {
		return 0
	}
	period := 2 * (n - 1)
	i = ((i % period) + period) % period
	return min(i, period-i)
}
