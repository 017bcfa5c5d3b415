package dataset

// Cut is what was left out of files that are longer than a row.
type Cut struct {
	Files   int     `json:"files"`   // that are longer than a row
	Seconds float64 `json:"seconds"` // of audio that were left out
	// Unknown of the files did not say how long they are and were not read to the end: nothing of them is in Seconds.
	Unknown int `json:"unknown"`
}

// add counts a file that plays so long.
func (c *Cut) add(s shape, seconds float64) {
	switch leftOut := s.leftOut(seconds); {
	case leftOut == 0:
		return
	case leftOut*float64(s.params.SampleRate) < 3:
		c.Unknown++
	default:
		c.Seconds += leftOut
	}
	c.Files++
}

// leftOut is how many seconds of a file do not fit into its row. Of one whose length nobody knew before decoding it is
// the sample or two that were read to see that there is more.
func (s shape) leftOut(seconds float64) float64 {
	rate := float64(s.params.SampleRate)
	if s.ordered() || seconds*rate < float64(s.length)+0.5 {
		return 0
	}
	return seconds - float64(s.length)/rate
}
