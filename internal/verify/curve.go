package verify

import (
	"math"
	"slices"
)

// curve is the loss of one run.
type curve struct {
	steps   []int
	samples []float64 // trained on up to and with each step
	loss    []float64
	side    Side
	seed    uint64
}

func curveOf(b Block, i int, p Plan) curve {
	c := curve{side: b.side(i)}
	if p.Before.seeded() {
		c.seed = b.Seed
	}
	var samples float64
	for _, s := range b.Outcomes[i].Steps {
		samples += s.Samples
		if s.Loss != nil {
			c.steps, c.samples, c.loss = append(c.steps, s.Index), append(c.samples, samples), append(c.loss, float64(*s.Loss))
		}
	}
	return c
}

func (c curve) notFinite() int {
	return slices.IndexFunc(c.loss, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// byStep are the losses by the numbers of their steps.
func (c curve) byStep() map[int]float64 {
	at := make(map[int]float64, len(c.steps))
	for i, step := range c.steps {
		at[step] = c.loss[i]
	}
	return at
}

// commonLosses are the losses of the steps that both runs tell.
func commonLosses(a, b curve) [][2]float64 {
	at := b.byStep()
	var out [][2]float64
	for i, step := range a.steps {
		if other, ok := at[step]; ok {
			out = append(out, [2]float64{a.loss[i], other})
		}
	}
	return out
}

// distance is how far b is from a, step by step, as a share of a's typical loss.
func distance(a, b curve) float64 {
	both := commonLosses(a, b)
	if len(both) == 0 {
		return math.NaN()
	}
	var squares float64
	for _, v := range both {
		squares += (v[1] - v[0]) * (v[1] - v[0])
	}
	return math.Sqrt(squares/float64(len(both))) / a.size()
}

// size is the typical magnitude of the loss, never 0.
func (c curve) size() float64 {
	var squares float64
	for _, v := range c.loss {
		squares += v * v
	}
	return max(math.Sqrt(squares/float64(max(len(c.loss), 1))), math.SmallestNonzeroFloat32)
}

// movement is how far the loss goes from its mean, with its fall and from batch to batch, as a share of its size.
func (c curve) movement() float64 {
	if len(c.loss) == 0 {
		return 0
	}
	var squares float64
	centre := mean(c.loss)
	for _, v := range c.loss {
		squares += (v - centre) * (v - centre)
	}
	return math.Sqrt(squares/float64(len(c.loss))) / c.size()
}

// end is the mean loss of the last quarter, up to a number of samples where one is given.
func (c curve) end(samples float64) float64 {
	n := len(c.loss)
	if samples > 0 {
		n, _ = slices.BinarySearch(c.samples, samples+0.5)
	}
	from := n - max(1, n/4)
	if samples > 0 {
		from, _ = slices.BinarySearch(c.samples[:n], 0.75*samples)
		from = min(from, n-1)
	}
	if n == 0 {
		return math.NaN()
	}
	return mean(c.loss[from:n])
}

func mean(values []float64) float64 { return sum(values) / float64(len(values)) }
