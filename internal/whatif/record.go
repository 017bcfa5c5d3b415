package whatif

// Record is a prediction beside what was measured after the repair.
type Record struct {
	Repairs     []string `json:"repairs"`          // as `analyze --what-if` takes them
	PredictedNS int64    `json:"predicted_ns"`     // the mean step
	IntervalNS  [2]int64 `json:"interval_ns"`      // between which it was expected
	MeasuredNS  int64    `json:"measured_ns"`      // the step after the repair
	LowNS       int64    `json:"measured_low_ns"`  // the lower end of what the runs leave open
	HighNS      int64    `json:"measured_high_ns"` // the upper end
}

// Error is the part by which the prediction is off, beyond the spread of the runs: 0 within it, positive where the step
// was predicted too long.
func (r Record) Error() float64 {
	nearest := min(max(r.PredictedNS, r.LowNS), r.HighNS)
	if nearest <= 0 {
		return 0
	}
	return float64(r.PredictedNS)/float64(nearest) - 1
}
