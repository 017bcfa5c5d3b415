package view

import (
	"bytes"
	"strings"
	"testing"

	"saturate/internal/report"
	"saturate/internal/stat"
	"saturate/internal/tune"
	"saturate/internal/tune/setting"
	"saturate/internal/verify"
)

func tuneResult() tune.Result {
	effect := &tune.Effect{
		Verdict: verify.Faster, Ratio: 0.8, Interval: stat.Interval{Lo: 0.78, Hi: 0.82, Confidence: 0.97}, P: 0.008, Adjusted: 0.031, Pairs: 8,
		Before: 0.1, After: 0.08, Guard: verify.Passed, Warnings: []string{"all CPU cores were busy in 2 of 16 runs"},
	}
	return tune.Result{
		Command: []string{"python", "train.py"}, Backend: "cuda", Level: 2, Ran: true, Exit: 0, Steps: 50, Steady: 47, StepTime: 0.08,
		Lines: []tune.Line{
			{Name: "tf32", Requested: "torch.set_float32_matmul_precision(\"high\")", State: tune.InEffect, AtEnd: "high", Used: true, Numerics: setting.Changed, Effect: effect, Guard: verify.Passed, Together: true},
			{Name: "taken", Requested: "x = 1", State: tune.Overwritten, Applied: "1", AtEnd: "2", Problem: "the program sets it itself", Used: true, Numerics: setting.Same, Guard: verify.NotChecked},
			{Name: "dead", Requested: "y = 1", State: tune.NotInEffect, Applied: "0", Problem: "it reads back as 0", Used: true, Numerics: setting.Same, Guard: verify.NotChecked},
			{Name: "winner", Requested: "z = 1", State: tune.InEffect, Used: true, Numerics: setting.Same, Effect: effect, Guard: verify.Passed},
			{Name: "theirs", Requested: "fused=True", State: tune.ByProgram, AtEnd: "1 by the program itself", Problem: "the program does the same itself", Used: true, Numerics: setting.Rounding, Guard: verify.NotChecked},
			{Name: "unlucky", State: tune.NotLooked, Unmeasured: "only 6 candidates are measured", Numerics: setting.Same},
		},
		Left: []setting.Left{{Name: "a", Reason: "it needs torch >= 9"}, {Name: "b", Reason: "it needs torch >= 9"}, {Name: "c", Reason: "it is for mps; this is cuda", Elsewhere: true}},
		Dead: []tune.Dead{{Knob: "torch.backends.cudnn.workspace_limit", Value: "1", Instead: "use another"}},
		Base: effect, Confirmed: effect, Winner: []string{"winner"}, Fallback: []string{"the program crashes with bad: dropped"},
		Changes: []tune.Change{{Setting: "threads", Requested: "1", Read: "1", InEffect: new(bool)}, {Setting: "nope", Requested: "1", Problem: "there is no such setting"}},
	}
}

// TestOfTune holds what every reader has to be told, in every format.
func TestOfTune(t *testing.T) {
	r := OfTune(tuneResult(), nil)
	want := []string{
		"5 settings for cuda, level 2: 2 of 5 in effect when the program ended, as read back; 1 had nothing to act on.",
		"exit code 0 after 50 steps; a step takes 80.0 ms (median of 47 steady steps).",
		"by the program",
		"nothing to act on",
		"Fell back: the program crashes with bad: dropped.",
		"winner: confirmed on fresh runs",
		"torch.backends.cudnn.workspace_limit",
		"is not in effect: the program sets it itself",
		"is not in effect: it reads back as 0",
		"all CPU cores were busy in 2 of 16 runs",
		"overwritten: 1 became 2",
		"together −20.0% time",
		"changed, loss ok",
		"there is no such setting",
		"only 6 candidates are measured",
	}
	for _, format := range []string{"text", "markdown", "html", "json"} {
		var b bytes.Buffer
		if err := report.Render(&b, r, format, report.Options{}); err != nil {
			t.Fatal(err)
		}
		said := b.String()
		if format == "json" {
			for _, field := range []string{`"in_effect": "no longer"`, `"p_adjusted": 0.031`, `"dead_knobs": [`, `"fallback": [`, `"snippet": `} {
				if !strings.Contains(said, field) {
					t.Errorf("the JSON lacks %s", field)
				}
			}
			continue
		}
		if format != "text" {
			continue // their words are the same, between marks
		}
		for _, words := range want {
			if !strings.Contains(said, words) {
				t.Errorf("%s lacks %q:\n%s", format, words, said)
			}
		}
		if strings.Contains(said, "it is for mps") {
			t.Errorf("what is for other machines is not folded away:\n%s", said)
		}
		if !strings.Contains(said, "it needs torch >= 9") || strings.Count(said, "it needs torch >= 9") != 1 || !strings.Contains(said, "a, b") {
			t.Errorf("settings with the same reason do not share a line:\n%s", said)
		}
	}
}

// TestSeveralWinners: fresh runs have all of them or none, and no more than that is said.
func TestSeveralWinners(t *testing.T) {
	result := tuneResult()
	result.Winner = []string{"one", "two"}
	const measured = "−20.0% time (−22.0%…−18.0%); loss ok"
	for verdict, want := range map[verify.Verdict]string{
		verify.Faster:  "one and two together: confirmed on fresh runs: " + measured + "; their separate effects were not measured.",
		verify.TheSame: "one and two together: not confirmed on fresh runs, so not used: " + measured + ".",
	} {
		confirmed := *result.Confirmed
		confirmed.Verdict, result.Confirmed = verdict, &confirmed
		if said := strings.Join(OfTune(result, nil).Summary, "\n"); !strings.Contains(said, want) {
			t.Errorf("%s: %s\nwant %s", verdict, said, want)
		}
	}
}

// TestOfTuneThatRanBare: no settings is not a failure, and is said.
func TestOfTuneThatRanBare(t *testing.T) {
	r := OfTune(tune.Result{Command: []string{"sh"}, Level: 1, Ran: true, Notes: []string{"the program runs without settings: no Python"}}, nil)
	if r.Summary[0] != "The program ran without settings (level 1)." || len(r.Warnings) != 1 || r.Outcome != report.Done {
		t.Errorf("%q, %q, %v", r.Summary, r.Warnings, r.Outcome)
	}
	plain := OfTune(tune.Result{Backend: "cpu", Level: 2, Skipped: "the model has 9 parameters", Unfinished: "the budget was used up"}, nil)
	if text := strings.Join(plain.Summary, " "); !strings.Contains(text, "Nothing was measured: the model has 9 parameters.") || !strings.Contains(text, "Not finished: the budget") || plain.Tone != report.Unsure {
		t.Errorf("%q, %q", text, plain.Tone)
	}
}
