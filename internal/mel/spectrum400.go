package mel

// spectrum400 is the 400-point transform of the assembly, in Go: see dft.go of the generator.
type spectrum400 struct {
	window [5][80]float64
}

func newSpectrum400(w Window) *spectrum400 {
	s := new(spectrum400)
	for i, v := range windowInOrder(w) {
		s.window[i/80][i%80] = v
	}
	return s
}

// windowInOrder gives the window of 400 samples in the order in which the first stage uses it:
// columns n2 of 16 samples (25·n1 + 16·n2) mod 400.
func windowInOrder(w Window) []float64 {
	values := w.values(400)
	var out []float64
	for n2 := range 25 {
		for n1 := range 16 {
			out = append(out, values[(25*n1+16*n2)%400])
		}
	}
	return out
}

func (s *spectrum400) size() int { return 400 }

func (s *spectrum400) place(k int) int32 { return int32(powerSlots[k]) }

func (s *spectrum400) powers(a, b, powerA, powerB []float64) {
	s.one((*[400]float64)(a), (*[400]float64)(powerA))
	s.one((*[400]float64)(b), (*[400]float64)(powerB))
}

func (s *spectrum400) one(frame, work *[400]float64) {
	var part [5]*[80]float64
	for q := range part {
		part[q] = (*[80]float64)(frame[80*q:])
	}
	for a := range 5 {
		realRows, complexRows, window := (*[30]float64)(work[5*a:]), (*[360]float64)(work[10*a:]), &s.window[a]
		p0, p1, p2, p3, p4 := part[0], part[1], part[2], part[3], part[4]
		dft16Column0(p0, p1, p2, p3, p4, realRows, complexRows, window)
		dft16Column1(p0, p1, p2, p3, p4, realRows, complexRows, window)
		dft16Column2(p0, p1, p2, p3, p4, realRows, complexRows, window)
		dft16Column3(p0, p1, p2, p3, p4, realRows, complexRows, window)
		dft16Column4(p0, p1, p2, p3, p4, realRows, complexRows, window)
		part = [5]*[80]float64{p1, p2, p3, p4, p0}
	}
	dft25Real((*[25]float64)(work[0:]))
	dft25Real((*[25]float64)(work[25:]))
	for k := 1; k < 8; k++ {
		dft25((*[50]float64)(work[50*k:]))
	}
}
