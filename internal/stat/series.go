// Package stat turns raw samples into statements with known uncertainty.
//
//	Series ─> Summarize ─> Summary                      one series: median with its interval, spread, outliers
//	two Series ─> Compare ─> Comparison                 unpaired: Mann-Whitney, ratio of medians
//	log-ratios of pairs ─> SignFlip, HodgesLehmann      paired: is there an effect, how large is it
//	                    ─> Equivalence                  paired: is there none that matters
//	those of A/A pairs ─> PairNoise ─> Detectable       what the set-up can see at all
//	many P values ─> Holm                               honest P values when many were tried
//	steps ─> WarmUp, Winsorized                         where a series of steps becomes steady, and its level then
//
// The median, its interval and the Mann-Whitney test come from golang.org/x/perf/benchmath,
// so that benchstat, given the same samples by WriteBenchmark, says the same.
//
// Results carry warnings, and a warning says what to do. Only what cannot be computed at all is an error.
package stat

import (
	"encoding/json"
	"math"
)

const (
	// Confidence is the level of every interval unless a caller asks for another.
	Confidence = 0.95
	// Alpha is the P value up to which a difference is called significant.
	Alpha = 0.05
)

// Series is raw values with a name and a unit. Statistics are always derived from it, never stored alone.
type Series struct {
	Name   string    `json:"name"`
	Unit   string    `json:"unit"`
	Values []float64 `json:"values"`
}

// jsonSeries is a Series as it stands in JSON, where NaN and the infinities are strings.
type jsonSeries struct {
	Name   string   `json:"name"`
	Unit   string   `json:"unit"`
	Values []Number `json:"values"`
}

// MarshalJSON writes the series so that NaN and infinite values survive.
func (s Series) MarshalJSON() ([]byte, error) {
	out := jsonSeries{s.Name, s.Unit, make([]Number, len(s.Values))}
	for i, v := range s.Values {
		out.Values[i] = Number(v)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Series) UnmarshalJSON(data []byte) error {
	var in jsonSeries
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*s = Series{in.Name, in.Unit, make([]float64, len(in.Values))}
	for i, v := range in.Values {
		s.Values[i] = float64(v)
	}
	return nil
}

// finite returns a copy of the values without NaN and the infinities, in their order.
func finite(values []float64) []float64 {
	kept := make([]float64, 0, len(values))
	for _, v := range values {
		if isFinite(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
