package stat

import "math"

// Outliers counts values beyond Tukey's fences: mild ones lie more than 1.5 interquartile
// ranges outside the quartiles, severe ones more than 3. They are counted, never dropped.
type Outliers struct {
	LowSevere  int `json:"low_severe"`  // far below
	LowMild    int `json:"low_mild"`    // below
	HighMild   int `json:"high_mild"`   // above
	HighSevere int `json:"high_severe"` // far above
}

// Severe is how many values lie beyond the outer fences.
func (o Outliers) Severe() int { return o.LowSevere + o.HighSevere }

// Total is how many values lie beyond the inner fences.
func (o Outliers) Total() int { return o.Severe() + o.LowMild + o.HighMild }

// classify counts the outliers of sorted values.
func classify(sorted []float64) Outliers {
	q1, q3 := quantile(sorted, 0.25), quantile(sorted, 0.75)
	iqr := q3 - q1
	var o Outliers
	for _, v := range sorted {
		switch {
		case v < q1-3*iqr:
			o.LowSevere++
		case v < q1-1.5*iqr:
			o.LowMild++
		case v > q3+3*iqr:
			o.HighSevere++
		case v > q3+1.5*iqr:
			o.HighMild++
		}
	}
	return o
}

// quantile interpolates linearly between the order statistics, as numpy.percentile does.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	position := q * float64(len(sorted)-1)
	below := int(position)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (position-float64(below))*(sorted[above]-sorted[below])
}
