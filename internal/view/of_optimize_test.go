package view

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"saturate/internal/human"
	"saturate/internal/optimize"
	"saturate/internal/report"
	"saturate/internal/stat"
	"saturate/internal/verify"
)

// ladder is a protocol on its way, with every decision and reasons of any length.
func ladder() optimize.Result {
	rung := func(id, title string, d optimize.Decision, ratio float64, because string) optimize.Rung {
		r := optimize.Rung{Decision: d, Because: because, Before: 0.1, After: Number(0.1 * ratio), Ratio: Number(ratio), Pairs: 2}
		r.Candidate = optimize.Candidate{ID: id, Title: title, Codes: []string{"SAT411"}, Places: []string{"train.py:10", "data.py:7", "data.py:9"}, Reason: "compute takes 50% of a step; such a fix typically saves 20%"}
		return r
	}
	result := optimize.Result{
		Command: []string{"/opt/venv/bin/python", "train.py"}, Baseline: optimize.Baseline{SecondsPerStep: 0.1, Sentence: "0.1 s/it, 50% of it waiting for data"},
		Ladder: []optimize.Rung{
			rung("offline", "speech and features made once, before training", optimize.Kept, 0.5, "faster in 2 of 2 pairs"),
			rung("SAT411", "compile the model", optimize.Superseded, 0.8, "faster in 2 of 2 pairs; superseded by SAT411/2"),
			rung("SAT411/2", "compile the model into CUDA graphs", optimize.Kept, 0.9, "faster in 2 of 2 pairs"),
			rung("SAT406", "fuse the optimizer", optimize.Broken, 1, strings.Repeat("a long traceback ", 100)),
		},
	}
	for _, r := range result.Ladder {
		result.Candidates = append(result.Candidates, r.Candidate)
	}
	return result
}

func textOf(t *testing.T, r report.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Render(&b, r, "text", report.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestOptimizeIsNarrow(t *testing.T) {
	for _, planOnly := range []bool{false, true} {
		for line := range strings.Lines(textOf(t, OfOptimize(ladder(), planOnly))) {
			if line = strings.TrimSuffix(line, "\n"); human.Width(line) > 100 {
				t.Errorf("%d columns: %s", human.Width(line), line)
			}
		}
	}
}

func TestOptimizeAnswers(t *testing.T) {
	cases := []struct {
		name         string
		change       func(*optimize.Result)
		planOnly     bool
		want, unwant string
	}{
		{"unfinished", func(r *optimize.Result) { r.Unfinished = "the budget was used up" }, false, "Kept 2 of 4 fixes so far. Your files are unchanged.\nReport: report.html\n", "Patch:"},
		{"superseded", func(*optimize.Result) {}, false, "superseded", "git apply"},
		{"plan", func(*optimize.Result) {}, true, "4 fixes to try, the most promising first. Nothing was changed.", "kept"},
		{"nothing to try", func(r *optimize.Result) { r.Ladder, r.Candidates = nil, nil }, false, "Nothing here can be fixed automatically on this machine.", "kept"},
		{"undecided", func(r *optimize.Result) {
			r.Patch, r.Final = "optimize.patch", &verify.Result{Verdict: verify.Inconclusive, Reason: "fewer than 6 pairs cannot decide"}
		}, false, "Patch: optimize.patch; report: report.html\n", "card to share"},
		{"proven", func(r *optimize.Result) {
			r.Patch, r.Final = "optimize.patch", &verify.Result{Verdict: verify.Faster}
		}, false, "git apply optimize.patch", "so far"},
		{"pairs and medians differ, and are called so", func(r *optimize.Result) {
			r.Final = &verify.Result{Verdict: verify.Faster, Ratio: 1 / 3.2, Interval: stat.Interval{Lo: 0.25, Hi: 0.4, Confidence: 0.97}, P: 0.03125, Pairs: 6, Sides: map[verify.Side]verify.Speeds{
				verify.Before: {Median: 0.29}, verify.After: {Median: 0.0783},
			}}
		}, false, "FASTER: 3.20× (97% interval 2.50–4.00×): 290 ms/it → 78.3 ms/it\n6 interleaved pairs, p = 0.031.", "as fast"},
		{"what the patch imports", func(r *optimize.Result) {
			r.Dir, r.Prepare, r.Diff = "speech", []string{"python scripts/precompute_tts.py train.py"}, "+++ b/saturate_offline.py\n+from saturate_gpu.offline import kept\n"
		}, false, "Run once, after the patch is applied and before training, in speech\n  pip install saturate-gpu  # the patched program imports it\n  python scripts/", "so far"},
		{"a patch that imports nothing new", func(r *optimize.Result) {
			r.Prepare = []string{"python scripts/precompute_tts.py train.py"}
		}, false, "Run once, after the patch is applied and before training\n", "pip install"},
		{"invalid", func(r *optimize.Result) {
			r.Final = &verify.Result{Verdict: verify.Invalid, Reason: "after crashed", Ratio: Number(math.NaN())}
		}, false, "INVALID: after crashed.", "NaN"},
		{"not tried here", func(r *optimize.Result) {
			r.Elsewhere = []optimize.Candidate{{ID: "SAT401", Title: "bfloat16", Codes: []string{"SAT401"}, Reason: "acts on a GPU"}}
		}, false, "acts on a GPU", "They act"},
		{"the interpreter's path is left out", func(*optimize.Result) {}, false, "kept", "/opt/venv"},
	}
	for _, c := range cases {
		result := ladder()
		c.change(&result)
		text := textOf(t, OfOptimize(result, c.planOnly))
		if !strings.Contains(text, c.want) || strings.Contains(text, c.unwant) {
			t.Errorf("%s: want %q, not %q:\n%s", c.name, c.want, c.unwant, text)
		}
	}
}
