package probe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// SamplePlan asks for fingerprints of what the program trains on; see py/saturate_probe/samples.py. Chance is pinned in
// such a run and its epochs are cut short, so its times mean nothing.
type SamplePlan struct {
	Seed    int64 `json:"seed"`
	Epoch   int   `json:"epoch"`   // batches of each epoch
	Batches int   `json:"batches"` // of the whole run
}

// Samples is what a program was seen to train on.
type Samples struct {
	Samples []Sample `json:"samples,omitempty"` // as the data set gives them, before batches are made
	Batches []Batch  `json:"batches,omitempty"` // as a loader hands them out, in order
	Inputs  []Input  `json:"inputs,omitempty"`  // as the model is called, and the targets of its loss, in order
}

// Sample is what a dataset gave.
type Sample struct {
	Index  any     `json:"index"` // a number, or what else the data set is asked for; nil of a stream
	Epoch  int     `json:"epoch"` // of all loaders together
	Fields []Field `json:"fields"`
}

// Batch is what a loader handed out.
type Batch struct {
	Epoch   int     `json:"epoch"`
	Number  int     `json:"batch"`
	Indexes any     `json:"indexes"` // that the loader asked for
	Stream  bool    `json:"stream"`
	Workers int     `json:"workers"`
	Fields  []Field `json:"fields"`
}

// Input is what the model, or its loss, was given.
type Input struct {
	Call   int     `json:"call"`
	Target bool    `json:"target"`
	Fields []Field `json:"fields"`
}

// Field is the fingerprint of one array, number or text.
type Field struct {
	Name   string    `json:"field"`
	Hash   string    `json:"hash"`               // of type, shape and bytes
	Bare   string    `json:"unpadded,omitempty"` // the hash without labels that the loss leaves out; "" where there are none
	Type   string    `json:"dtype"`
	Shape  []int     `json:"shape,omitempty"`
	Value  string    `json:"value,omitempty"` // of a small one
	Mean   *float64  `json:"mean,omitempty"`  // nil where it is not made of numbers
	Std    float64   `json:"std,omitempty"`
	Min    float64   `json:"min,omitempty"`
	Max    float64   `json:"max,omitempty"`
	Bad    int       `json:"bad,omitempty"`    // values that are not finite
	Sketch []float64 `json:"sketch,omitempty"` // differs by about as much as the values do
}

func (s *Samples) add(kind string, line []byte) (err error) {
	switch kind {
	case "sample":
		err = into(&s.Samples, line)
	case "batch":
		err = into(&s.Batches, line)
	case "input":
		err = into(&s.Inputs, line)
	}
	return err
}

func into[T any](list *[]T, line []byte) error {
	var one T
	if err := json.Unmarshal(line, &one); err != nil {
		return err
	}
	*list = append(*list, one)
	return nil
}

// samples gathers what the processes told. Batches and inputs are those of the process that trains.
func (f *follower) samples() Samples {
	var all Samples
	main := f.main
	for _, t := range f.tellers {
		all.Samples = append(all.Samples, t.seen.Samples...)
		if main == nil || f.main == nil && len(t.seen.Batches) > len(main.seen.Batches) {
			main = t
		}
	}
	if main != nil {
		all.Batches, all.Inputs = main.seen.Batches, main.seen.Inputs
	}
	slices.SortStableFunc(all.Samples, func(a, b Sample) int {
		return cmp.Or(cmp.Compare(a.Epoch, b.Epoch), strings.Compare(fmt.Sprint(a.Index), fmt.Sprint(b.Index)))
	})
	return all
}

// Whole is one fingerprint of several fields: a label belongs to its input.
func Whole(fields []Field) string {
	var b strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&b, "%s=%s;", f.Name, f.Hash)
	}
	return b.String()
}

// Near reports whether two arrays hold the same numbers except for rounding: within a share of their size. Whole numbers and
// texts must be the same; their types may differ.
func (f Field) Near(other Field, tolerance float64) bool {
	switch {
	case f.Hash == other.Hash:
		return true
	case f.Mean == nil || other.Mean == nil || f.Bad != other.Bad || !slices.Equal(f.Shape, other.Shape) ||
		len(f.Sketch) != len(other.Sketch):
		return false
	}
	size := math.Hypot(*f.Mean, f.Std)
	allowed := tolerance * size
	if !f.fraction() || !other.fraction() {
		allowed = 1e-9 * size // the sums alone are rounded
	}
	const spread = 5 // a sketch of eight sums strays so many standard deviations in less than one case of 10^5
	for i, sum := range f.Sketch {
		if math.Abs(sum-other.Sketch[i]) > spread*allowed {
			return false
		}
	}
	return math.Abs(*f.Mean-*other.Mean) <= spread*allowed && math.Abs(f.Std-other.Std) <= spread*allowed
}

// SamePadded reports whether two arrays of labels are the same but for trailing ones that the loss leaves out. The loss is
// often given all rows as one: there they may stand anywhere.
func (f Field) SamePadded(other Field, target bool) bool {
	return (target || len(f.Shape) > 1) && len(f.Shape) == len(other.Shape) && cmp.Or(f.Bare, f.Hash) == cmp.Or(other.Bare, other.Hash)
}

// fraction reports whether the values are rounded ones.
func (f Field) fraction() bool { return strings.Contains(f.Type, "float") }

// String shows a value, or what is known of an array.
func (f Field) String() string {
	shape := strings.Trim(strings.ReplaceAll(fmt.Sprint(f.Shape), " ", "×"), "[]")
	switch {
	case f.Value != "" && len(f.Shape) == 0:
		return f.Value
	case f.Value != "":
		return fmt.Sprintf("%s[%s] %s", f.Type, shape, f.Value)
	case f.Mean == nil:
		return fmt.Sprintf("%s[%s] #%.6s", f.Type, shape, f.Hash)
	}
	return fmt.Sprintf("%s[%s] mean %.4g, std %.4g, #%.6s", f.Type, shape, *f.Mean, f.Std, f.Hash)
}
