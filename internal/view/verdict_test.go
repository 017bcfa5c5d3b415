package view

import (
	"math"
	"strings"
	"testing"

	"saturate/internal/stat"
	"saturate/internal/verify"
)

func TestVerdictLines(t *testing.T) {
	measured := func(verdict verify.Verdict, before, after float64) verify.Result {
		ratio := after / before
		return verify.Result{
			Verdict: verdict, Ratio: Number(ratio), Interval: stat.Interval{Lo: Number(ratio * 0.9), Hi: Number(ratio * 1.1), Confidence: 0.95},
			P: 0.03125, Pairs: 6, Guard: verify.Guard{State: verify.Passed, Numerics: verify.Same, Margin: 0.01, Reason: "the losses agree"},
			Plan:  verify.Plan{Threshold: 0.01},
			Sides: map[verify.Side]verify.Speeds{verify.Before: {Median: Number(before)}, verify.After: {Median: Number(after)}},
		}
	}
	with := func(v verify.Result, change func(*verify.Result)) verify.Result {
		change(&v)
		return v
	}
	nan := Number(math.NaN())
	cases := []struct {
		name string
		v    verify.Result
		want string // lines
	}{
		{"faster", measured(verify.Faster, 1.08, 0.054), "FASTER: 20.0× (95% interval 18.2–22.2×): 1.08 s/it → 54.0 ms/it|6 interleaved pairs, p = 0.031. Loss unchanged."},
		{"slower", measured(verify.Slower, 0.1, 0.3), "SLOWER: 3.00× (95% interval 2.70–3.30×): 100 ms/it → 300 ms/it|6 interleaved pairs, p = 0.031. Loss unchanged."},
		{"same", with(measured(verify.TheSame, 0.1, 0.1), func(v *verify.Result) {
			v.Interval.Lo, v.Interval.Hi = 0.997, 1.004
		}), "SAME: within ±1% (95% interval −0.3%…+0.4%): 100 ms/it → 100 ms/it|6 interleaved pairs, p = 0.031. Loss unchanged."},
		{"too few pairs", with(measured(verify.Inconclusive, 0.3, 0.1), func(v *verify.Result) {
			v.Pairs, v.P, v.Interval = 1, 1, stat.Interval{Lo: nan, Hi: nan}
			v.Caveat = "more pairs would decide"
		}), "INCONCLUSIVE: 3.00× as fast: 300 ms/it → 100 ms/it|1 interleaved pair, p = 1.000. Loss unchanged.|More pairs would decide."},
		{"per sample", with(measured(verify.Faster, 0.1, 0.15), func(v *verify.Result) {
			v.Plan.Measure, v.Ratio, v.P = verify.PerSample, 0.5, 0.0001
			v.Sides[verify.Before], v.Sides[verify.After] = verify.Speeds{Median: 0.1, Speed: 80}, verify.Speeds{Median: 0.15, Speed: 160}
			v.Interval.Lo, v.Interval.Hi = 0.4, 0.6
		}), "FASTER: 2.00× (95% interval 1.67–2.50×): 80 samples/s → 160 samples/s|6 interleaved pairs, p < 0.001. Loss within the 1% margin."},
		{"loss not seen", with(measured(verify.Faster, 0.2, 0.1), func(v *verify.Result) {
			v.Guard.State, v.Guard.Reason = verify.NotChecked, "no loss was seen"
		}), "FASTER: 2.00× (95% interval 1.82–2.22×): 200 ms/it → 100 ms/it|6 interleaved pairs, p = 0.031.|Loss not checked: no loss was seen."},
		{"wrong results", with(measured(verify.Invalid, 0.2, 0.1), func(v *verify.Result) {
			v.Cause, v.Guard.State = verify.ByAccuracy, verify.Failed
			v.Caveat, v.Reason = "the results differ: the losses agree", "steps take less time, but the results differ"
		}), "INVALID: the results differ: the losses agree.|6 interleaved pairs, p = 0.031."},
		{"crash", verify.Result{Verdict: verify.Invalid, Reason: "after crashed", Ratio: nan}, "INVALID: after crashed."},
		{"nothing was finished", verify.Result{Verdict: verify.Inconclusive, Reason: "no pair was finished", Ratio: nan}, "INCONCLUSIVE: no pair was finished."},
	}
	for _, c := range cases {
		if got := strings.Join(verdictLines(c.v), "|"); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestVariantNames(t *testing.T) {
	command := []string{"python", "train.py", "--lr", "0.1"}
	cases := []struct {
		before, after verify.Variant
		want          string
	}{
		{verify.Variant{Name: "HEAD"}, verify.Variant{Name: "."}, "HEAD vs ."},
		{verify.Variant{Name: ".", Command: command}, verify.Variant{Name: ".", Command: command}, "baseline vs itself"},
		{verify.Variant{Name: ".", Command: command}, verify.Variant{Name: ".", Command: []string{"python", "train.py", "--lr", "0.02"}}, "baseline vs --lr 0.02"},
		{verify.Variant{Name: ".", Command: command}, verify.Variant{Name: ".", Command: append(command, "--compile")}, "baseline vs --compile"},
		{verify.Variant{Name: ".", Command: command}, verify.Variant{Name: ".", Command: command, Env: []string{"A=1"}}, "baseline vs A=1"},
		{verify.Variant{Name: ".", Env: []string{"A=1"}}, verify.Variant{Name: "."}, "A=1 vs without"},
	}
	for _, c := range cases {
		if got := variantNames(verify.Plan{Before: c.before, After: c.after}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
