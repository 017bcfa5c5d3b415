package mel

import "math"

// The Slaney scale is linear up to 1 kHz and logarithmic above.
const (
	hertzPerMel = 200.0 / 3
	breakHertz  = 1000.0
	breakMel    = breakHertz / hertzPerMel
)

var logStep = math.Log(6.4) / 27

func hertzToMel(f float64) float64 {
	if f < breakHertz {
		return f / hertzPerMel
	}
	return breakMel + math.Log(f/breakHertz)/logStep
}

func melToHertz(m float64) float64 {
	if m < breakMel {
		return m * hertzPerMel
	}
	return breakHertz * math.Exp(logStep*(m-breakMel))
}

// filter is a triangle over frequencies first, first+1, …, of area one.
type filter struct {
	first   int
	peak    int // weights before this index rise, the others fall
	weights []float32
}

// filters gives the Slaney bank; with Whisper's parameters it equals openai-whisper's asset bit
// for bit, which is why weights are rounded before and after they are normalised.
func (p Params) filters() []filter {
	edges := make([]float64, p.Mels+2)
	low, high := hertzToMel(p.FMin), hertzToMel(p.FMax)
	for i := range edges {
		edges[i] = melToHertz(low + (high-low)*float64(i)/float64(p.Mels+1))
	}
	bank := make([]filter, p.Mels)
	for m := range bank {
		from, top, to := edges[m], edges[m+1], edges[m+2]
		f := &bank[m]
		for k := 0; k <= p.NFFT/2; k++ {
			hertz := float64(k) * float64(p.SampleRate) / float64(p.NFFT)
			w := math.Min((hertz-from)/(top-from), (to-hertz)/(to-top))
			if !(w > 0) {
				continue
			}
			if f.weights == nil {
				f.first = k
			}
			if hertz < top {
				f.peak++
			}
			f.weights = append(f.weights, float32(float64(float32(w))*(2/(to-from))))
		}
	}
	return bank
}

// tap is one frequency in the segment between two neighboring edges of the bank: the rising side
// of one filter and the falling side of the one before. The assembly knows this layout.
type tap struct {
	at         int32 // where the engine keeps this frequency
	rise, fall float32
}

// segments gives the bank edge by edge: counts[s] taps lie between edges s and s+1. There filter
// s rises and filter s-1 falls, so that every frequency is read once.
func segments(bank []filter, place func(k int) int32) (counts []int32, taps []tap) {
	counts = make([]int32, len(bank)+1)
	for s := range counts {
		byFrequency := map[int]*tap{}
		var order []int
		of := func(k int) *tap {
			if byFrequency[k] == nil {
				byFrequency[k] = &tap{at: place(k)}
				order = append(order, k)
			}
			return byFrequency[k]
		}
		if s < len(bank) {
			for j, w := range bank[s].weights[:bank[s].peak] {
				of(bank[s].first + j).rise = w
			}
		}
		if s > 0 {
			f := bank[s-1]
			for j, w := range f.weights[f.peak:] {
				of(f.first + f.peak + j).fall = w
			}
		}
		for _, k := range order {
			taps = append(taps, *byFrequency[k])
		}
		counts[s] = int32(len(order))
	}
	return counts, taps
}
