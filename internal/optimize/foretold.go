package optimize

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"saturate/internal/files"
	"saturate/internal/whatif"
)

// PredictionsFile holds predictions and measurements side by side, a line for each fix that was tried; it is in
// Result.State.
const PredictionsFile = "predictions.jsonl"

// Foretold holds the prediction for a fix and the measurement of it.
type Foretold struct {
	Fix      string        `json:"fix"`       // the candidate
	BeforeNS int64         `json:"before_ns"` // the step without it
	Record   whatif.Record `json:"record"`    // predicted and measured
	Error    float64       `json:"error"`     // share by which the prediction is off, beyond what the runs leave open
}

// Foretold lists the fixes that were predicted and measured, in the order of the ladder.
func (r Result) Foretold() (list []Foretold) {
	ns := func(s float64) int64 { return int64(math.Round(s * 1e9)) }
	for _, rung := range r.Ladder {
		f, before, after := rung.Predicted, float64(rung.Before), float64(rung.After)
		if f == nil || rung.Pairs == 0 || !rung.Before.Finite() || !rung.After.Finite() {
			continue
		}
		low, high := after, after
		if rung.Interval.Lo.Finite() && rung.Interval.Hi.Finite() {
			low, high = min(after, before*float64(rung.Interval.Lo)), max(after, before*float64(rung.Interval.Hi))
		}
		record := whatif.Record{
			Repairs: []string{f.Question}, PredictedNS: ns(f.Seconds), IntervalNS: [2]int64{ns(f.Low), ns(f.High)},
			MeasuredNS: ns(after), LowNS: ns(low), HighNS: ns(high),
		}
		list = append(list, Foretold{Fix: rung.ID, BeforeNS: ns(before), Record: record, Error: record.Error()})
	}
	return list
}

// MedianError is the middle of the predictions' errors against the measured medians, without their signs.
func MedianError(list []Foretold) float64 {
	var errors []float64
	for _, f := range list {
		errors = append(errors, math.Abs(float64(f.Record.PredictedNS)/float64(max(1, f.Record.MeasuredNS))-1))
	}
	if len(errors) == 0 {
		return math.NaN()
	}
	slices.Sort(errors)
	return (errors[(len(errors)-1)/2] + errors[len(errors)/2]) / 2
}

// KeepPredictions writes PredictionsFile and returns its path, or nothing if no fix was both predicted and measured.
func (r Result) KeepPredictions() (path string, err error) {
	list := r.Foretold()
	if len(list) == 0 || r.State == "" {
		return "", nil
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	for _, f := range list {
		if err := e.Encode(f); err != nil {
			return "", err
		}
	}
	path = filepath.Join(r.State, PredictionsFile)
	if err := files.Write(path, text.Bytes()); err != nil {
		return "", fmt.Errorf("cannot save the predictions: %w", err)
	}
	return path, nil
}
