package mel

// Tables are the definition's numbers, for an engine that lives in a package of its own.
type Tables struct {
	Window  []float64 // NFFT values
	Filters []Filter  // one a band
	// A value is Factor·log10(energy) + Offset, of an energy of at least Least. The clip's values are
	// raised to Below under the largest one; Below is 0 where quiet values are left alone.
	Factor, Offset, Least, Below float64
}

// Filter sums frequencies First, First+1, …, each with its weight.
type Filter struct {
	First   int
	Weights []float32
}

// Tables gives the numbers of valid parameters.
func (p Params) Tables() Tables {
	t := Tables{Window: p.Window.values(p.NFFT), Least: leastEnergy}
	for _, f := range p.filters() {
		t.Filters = append(t.Filters, Filter{f.first, f.weights})
	}
	t.Factor, t.Offset = p.affine()
	if p.Scaling == WhisperScale {
		t.Below = floorBelowPeak * t.Factor
	}
	return t
}
