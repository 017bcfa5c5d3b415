package stat

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// scipyTable is testdata/scipy_table.json, printed by scipy_table.py beside it.
type scipyTable struct {
	Scipy   string `json:"scipy"`
	Summary []struct {
		Values      []float64  `json:"values"`
		Median      float64    `json:"median"`
		Mean        float64    `json:"mean"`
		SD          float64    `json:"sd"`
		P5          float64    `json:"p5"`
		P95         float64    `json:"p95"`
		Interval    [2]float64 `json:"interval"`
		BinomialCDF []float64  `json:"binomial_cdf"`
		Outliers
	} `json:"summary"`
	Unpaired []struct {
		Before        []float64   `json:"before"`
		After         []float64   `json:"after"`
		P             float64     `json:"p"`
		Method        string      `json:"method"`
		Ratio         float64     `json:"ratio"`
		Shift         float64     `json:"shift"`
		ShiftInterval *[2]float64 `json:"shift_interval"`
	} `json:"unpaired"`
	SignFlip []struct {
		Differences []float64 `json:"differences"`
		P           float64   `json:"p"`
		PLess       float64   `json:"p_less"`
		PGreater    float64   `json:"p_greater"`
	} `json:"sign_flip"`
	HodgesLehmann []struct {
		Differences []float64  `json:"differences"`
		Confidence  float64    `json:"confidence"`
		Value       float64    `json:"value"`
		Interval    [2]float64 `json:"interval"`
	} `json:"hodges_lehmann"`
	Equivalence []struct {
		Differences []float64 `json:"differences"`
		Margin      float64   `json:"margin"`
		PLower      float64   `json:"p_lower"`
		PUpper      float64   `json:"p_upper"`
	} `json:"equivalence"`
	Holm []struct {
		P        []float64 `json:"p"`
		Adjusted []float64 `json:"adjusted"`
	} `json:"holm"`
	Detectable []struct {
		Differences []float64 `json:"differences"`
		Pairs       int       `json:"pairs"`
		Noise       float64   `json:"noise"`
		Effect      float64   `json:"effect"`
		Power       float64   `json:"power"`
	} `json:"detectable"`
	WarmUp []struct {
		Values []float64 `json:"values"`
		D      int       `json:"d"`
	} `json:"warm_up"`
}

func readScipyTable(t *testing.T) scipyTable {
	t.Helper()
	data, err := os.ReadFile("testdata/scipy_table.json")
	if err != nil {
		t.Fatal(err)
	}
	var table scipyTable
	if err := json.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	return table
}

func TestScipyTableIsFresh(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: the committed table is not recomputed")
	}
	cmd := exec.Command(python, "testdata/scipy_table.py")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	var now scipyTable
	if err := json.Unmarshal(out, &now); err != nil {
		t.Fatal(err)
	}
	then := readScipyTable(t)
	if now.Scipy != then.Scipy {
		t.Logf("the table was printed by scipy %s, this is %s", then.Scipy, now.Scipy)
		now.Scipy = then.Scipy
	}
	if diff := cmp.Diff(then, now, cmpopts.EquateApprox(1e-9, 1e-12)); diff != "" {
		t.Errorf("testdata/scipy_table.json is not what scipy_table.py prints (- committed, + printed):\n%s", diff)
	}
}

func TestSummaryAgainstScipy(t *testing.T) {
	for i, want := range readScipyTable(t).Summary {
		got := Summarize(Series{Values: want.Values})
		near(t, i, "median", got.Median, want.Median)
		near(t, i, "mean", got.Mean, want.Mean)
		near(t, i, "sd", got.SD, want.SD)
		near(t, i, "p5", got.P5, want.P5)
		near(t, i, "p95", got.P95, want.P95)
		if got.Outliers != want.Outliers {
			t.Errorf("case %d: outliers %+v, want %+v", i, got.Outliers, want.Outliers)
		}

		// benchmath takes the shortest interval of order statistics that reaches the level, scipy the
		// shortest symmetric one: ours may be narrower, but must reach the level by scipy's binomial.
		if float64(got.Interval.Lo) < want.Interval[0] || float64(got.Interval.Hi) > want.Interval[1] {
			t.Errorf("case %d: interval %v is wider than scipy's %v", i, got.Interval, want.Interval)
		}
		sorted := slices.Sorted(slices.Values(want.Values))
		lo := slices.Index(sorted, float64(got.Interval.Lo)) + 1
		hi := slices.Index(sorted, float64(got.Interval.Hi)) + 1
		covered := want.BinomialCDF[hi-1] - want.BinomialCDF[lo-1]
		if covered < Confidence-0.002 { // above 30 samples benchmath approximates
			t.Errorf("case %d: interval %v covers %.4f", i, got.Interval, covered)
		}
	}
}

func TestCompareAgainstScipy(t *testing.T) {
	for i, want := range readScipyTable(t).Unpaired {
		got := Compare(Series{Values: want.Before}, Series{Values: want.After})
		near(t, i, "p", Number(got.P), want.P)
		near(t, i, "ratio", got.Ratio, want.Ratio)
		shift, err := hodgesLehmannShift(want.Before, want.After, Confidence)
		if err != nil {
			t.Fatal(err)
		}
		near(t, i, "shift", shift.Value, want.Shift)
		if shift.Exact != (want.Method == "exact") {
			t.Errorf("case %d: exact is %t, scipy's method %s", i, shift.Exact, want.Method)
		}
		if want.ShiftInterval != nil {
			near(t, i, "lower bound", shift.Interval.Lo, want.ShiftInterval[0])
			near(t, i, "upper bound", shift.Interval.Hi, want.ShiftInterval[1])
		}
		if got.Interval.Contains(1) == got.Significant() {
			t.Errorf("case %d: p = %g, but the interval of the ratio is %v", i, got.P, got.Interval)
		}
	}
}

func TestSignFlipAgainstScipy(t *testing.T) {
	for i, want := range readScipyTable(t).SignFlip {
		got, err := SignFlip(want.Differences)
		if err != nil {
			t.Fatal(err)
		}
		near(t, i, "p", Number(got.P), want.P)
		near(t, i, "p_less", Number(got.PLess), want.PLess)
		near(t, i, "p_greater", Number(got.PGreater), want.PGreater)
	}
}

func TestHodgesLehmannAgainstScipy(t *testing.T) {
	for i, want := range readScipyTable(t).HodgesLehmann {
		got, err := HodgesLehmann(want.Differences, want.Confidence)
		if err != nil {
			t.Fatal(err)
		}
		near(t, i, "value", got.Value, want.Value)
		near(t, i, "lower bound", got.Interval.Lo, want.Interval[0])
		near(t, i, "upper bound", got.Interval.Hi, want.Interval[1])
	}
}

func TestEquivalenceAgainstScipy(t *testing.T) {
	for i, want := range readScipyTable(t).Equivalence {
		got, err := Equivalence(want.Differences, want.Margin)
		if err != nil {
			t.Fatal(err)
		}
		near(t, i, "p_lower", Number(got.PLower), want.PLower)
		near(t, i, "p_upper", Number(got.PUpper), want.PUpper)
		if inside := got.Interval.Within(-want.Margin, want.Margin); inside != got.Equivalent {
			t.Errorf("case %d: equivalent is %t, but the interval is %v", i, got.Equivalent, got.Interval)
		}
	}
}

func TestHolmAgainstClosedTesting(t *testing.T) {
	for i, want := range readScipyTable(t).Holm {
		got, err := Holm(want.P)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Adjusted, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
			t.Errorf("case %d:\n%s", i, diff)
		}
	}
}

func TestDetectableAgainstScipy(t *testing.T) {
	for i, want := range readScipyTable(t).Detectable {
		noise := PairNoise(nil, want.Differences)
		near(t, i, "noise", noise.SD, want.Noise)
		effect := detectable(float64(noise.SD), want.Pairs)
		near(t, i, "effect", Number(effect), want.Effect)
		if math.Abs(want.Power-power) > 0.01 { // by the noncentral t distribution
			t.Errorf("case %d: the effect is found with probability %g, not %g", i, want.Power, power)
		}
		if pairs := PairsNeeded(effect*1.0001, float64(noise.SD)); pairs != want.Pairs {
			t.Errorf("case %d: PairsNeeded says %d, want %d", i, pairs, want.Pairs)
		}
	}
}

func TestWarmUpAgainstNumpy(t *testing.T) {
	for i, want := range readScipyTable(t).WarmUp {
		got, settled := WarmUp(want.Values)
		if got != want.D || settled != (got < len(want.Values)/2) {
			t.Errorf("case %d: %d (settled %t), want %d", i, got, settled, want.D)
		}
	}
}

func near(t *testing.T, i int, what string, got Number, want float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("case %d: %s is %.12g, want %.12g", i, what, float64(got), want)
	}
}
