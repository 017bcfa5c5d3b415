package whatif

// Record is a prediction beside what was measured after the repair.
type Record struct {
	Repairs     []string `json:"repairs"`
	PredictedNS int64    `json:"predicted_ns"`
	IntervalNS  [2]int64 `json:"interval_ns"`
	MeasuredNS  int64    `json:"measured_ns"`
	LowNS       int64    `json:"measured_low_ns"` // between which the runs varied
	HighNS      int64    `json:"measured_high_ns"`
}

// NewRecord puts a prediction beside the measured steps of several runs; false where there was no figure, or nothing was measured.
func NewRecord(p Prediction, measuredNS ...int64) (Record, bool) {
	if !p.Known() || len(measuredNS) == 0 {
		return Record{}, false
	}
	r := Record{Repairs: p.Repairs, PredictedNS: p.StepNS, IntervalNS: p.IntervalNS, MeasuredNS: int64(mean(measuredNS)), LowNS: measuredNS[0], HighNS: measuredNS[0]}
	for _, ns := range measuredNS {
		r.LowNS, r.HighNS = min(r.LowNS, ns), max(r.HighNS, ns)
	}
	return r, true
}

// Error is the part by which the prediction is off, beyond the spread of the runs: 0 within it, positive where the step was predicted too long.
func (r Record) Error() float64 {
	nearest := min(max(r.PredictedNS, r.LowNS), r.HighNS)
	if nearest <= 0 {
		return 0
	}
	return float64(r.PredictedNS)/float64(nearest) - 1
}
