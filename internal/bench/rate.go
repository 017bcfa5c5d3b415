package bench

import "saturate/internal/stat"

// RateResult is how fast something was read or made.
type RateResult struct {
	Framework string        `json:"framework"` // go, torch or jax
	Name      string        `json:"name"`      // what was read or made
	Workers   int           `json:"workers"`   // worker processes or threads
	PerSecond stat.Number   `json:"items_per_s"`
	Interval  stat.Interval `json:"interval_items_per_s"`
	N         int           `json:"n"`                       // number of samples
	AudioPerS stat.Number   `json:"audio_s_per_s,omitempty"` // × real time
	BytesPerS stat.Number   `json:"b_per_s,omitempty"`
	FirstMS   *stat.Number  `json:"first_ms,omitempty"`
	Warnings  []string      `json:"warnings,omitempty"` // about the measurement
	Skipped   string        `json:"skipped,omitempty"`  // why it was not measured
}

func judgeRate(m MeasuredRate) RateResult {
	r := RateResult{
		Framework: m.Framework, Name: m.Name, Workers: m.Workers, Skipped: m.Skipped,
		FirstMS: medianOf(m.First),
	}
	items := stat.Summarize(m.series("items/s", m.Items))
	r.PerSecond, r.Interval, r.N = items.Median, items.Interval, items.N
	if items.N > 0 {
		r.Warnings = items.Warnings
	} else if r.Skipped == "" {
		r.Skipped = "not measured"
	}
	if len(m.Audio) > 0 {
		r.AudioPerS = stat.Summarize(m.series("s/s", m.Audio)).Median
	}
	if len(m.Bytes) > 0 {
		r.BytesPerS = stat.Summarize(m.series("B/s", m.Bytes)).Median
	}
	return r
}

// series is an amount a second, for each repeat.
func (m MeasuredRate) series(unit string, amounts []float64) stat.Series {
	s := stat.Series{Name: m.Framework + "/" + m.Name, Unit: unit}
	for i, a := range amounts {
		if i < len(m.Seconds) && m.Seconds[i] > 0 {
			s.Values = append(s.Values, a/m.Seconds[i])
		}
	}
	return s
}
