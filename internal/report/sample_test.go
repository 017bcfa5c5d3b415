package report

import (
	"math"
	"math/rand/v2"

	"saturate/internal/finding"
	"saturate/internal/patch"
	"saturate/internal/report/plot"
)

// steps are believable step times: noise around a median, some stragglers, a slow start.
func steps(seed uint64, n int, median, spread float64) []float64 {
	random := rand.New(rand.NewPCG(seed, 7))
	values := make([]float64, n)
	for i := range values {
		values[i] = median * (1 + spread*random.NormFloat64())
		if random.IntN(25) == 0 {
			values[i] *= 1.2
		}
	}
	return values
}

// parts names the phases of a step.
func parts(seconds ...float64) (parts []plot.Part) {
	for i, name := range []string{"data", "h2d", "forward", "backward", "optimizer", "other"} {
		parts = append(parts, plot.Part{Name: name, Value: seconds[i]})
	}
	return parts
}

// sample is a report that uses everything a report can hold.
func sample() Report {
	before, after := steps(1, 50, 1.42, 0.02), steps(2, 50, 0.613, 0.03)
	loader := "    loader = DataLoader(train, batch_size=16, shuffle=True)"
	lossLine := "        total += loss.item()"
	gaps := make([]float64, 0, 400)
	random := rand.New(rand.NewPCG(3, 7))
	for range 400 {
		gaps = append(gaps, 40e-6*math.Exp(2.1*random.NormFloat64()))
	}
	ladder := plot.Waterfall{
		Heading: "What each repair saves", Axis: "time per step", Unit: "s", From: "before", To: "after", Start: 1.42,
		Changes: []plot.Change{
			{Name: "features computed once, offline", Delta: -0.61, Note: "−0.63…−0.59 s"},
			{Name: "four loader workers, pinned memory", Delta: -0.152, Note: "−0.17…−0.14 s"},
			{Name: "bf16 autocast", Delta: 0.021, Note: "dropped: slower here", Dropped: true},
			{Name: "no .item() in the loop", Delta: -0.045, Note: "−0.05…−0.04 s"},
		},
	}
	return Report{
		Command: "verify",
		Title:   "whisper-tts: before and after",
		Summary: []string{
			"FASTER: 2.32× (95% interval 2.26–2.37×): 1.42 s/it → 613 ms/it",
			"8 interleaved pairs, p = 0.008. Loss unchanged.",
			"The GPU was busy 31% of the time and is busy 78% now.",
		},
		Tone: Good,
		Figures: []Figure{
			{"time per step", "613 ms", "was 1.42 s"},
			{"samples per second", "26.1", "was 11.3"},
			{"GPU busy", "78%", "was 31%"},
			{"data wait", "9%", "was 61%"},
		},
		Warnings: []string{
			"The two sides ran with different drivers (`570.86` and `570.124`): part of the difference may come from there.",
			"3 of 100 steps were more than three interquartile ranges slow.",
		},
		Blocks: []Block{
			{Heading: "Before and after", Table: &Table{
				Columns: []Column{{"metric", false}, {"before", true}, {"after", true}, {"change", true}, {"95% interval", true}, {"p", true}, {"n", true}},
				Rows: [][]string{
					{"time per step", "1.420 s", "0.613 s", "−56.8%", "−57.6%…−55.9%", "0.008", "8+8"},
					{"samples per second", "11.3", "26.1", "+131.0%", "+126%…+137%", "0.008", "8+8"},
					{"peak GPU memory", "9.81 GB", "9.84 GB", "~", "−0.4%…+0.9%", "0.41", "8+8"},
				},
				Foot: "~ means not significant at 5%. Process medians, Mann-Whitney test.",
			}},
			{Heading: "Every step", Plot: plot.Strip{
				Heading: "Every step", Axis: "time per step", Unit: "s", Noun: "step", Confidence: 0.95,
				Series: []plot.Series{{Name: "before", Values: before, Low: 1.405, High: 1.43}, {Name: "after", Values: after, Low: 0.606, High: 0.622}},
			}},
			{Plot: plot.Trend{
				Heading: "In the order of the steps", Axis: "time per step", Unit: "s", Noun: "step",
				Series: []plot.Series{{Name: "before", Values: append([]float64{9.8, 2.9}, before...)}, {Name: "after", Values: append([]float64{7.1, 0.7}, after...)}},
				Bands:  []plot.Band{{Name: "warm-up", From: 0, To: 1}},
			}},
			{Heading: "Where a step goes", Plot: plot.Stack{
				Heading: "Where a step goes", Axis: "time per step", Unit: "s",
				Bars: []plot.Bar{
					{Name: "before", Parts: parts(0.866, 0.021, 0.176, 0.284, 0.052, 0.021)},
					{Name: "after", Parts: parts(0.055, 0.006, 0.181, 0.297, 0.056, 0.018)},
				},
			}},
			{Heading: "What each repair saves", Plot: ladder},
			{Heading: "Gaps between kernels", Plot: plot.Histogram{
				Heading: "Gaps between kernels", Axis: "length of a gap", Unit: "s", Noun: "gap", Values: gaps, Log: true,
			}},
			{Text: "Most gaps are short. The long ones come right after `next(loader)`: the host waits for data there."},
			{Heading: "The patch", Detail: true, Code: "--- a/train.py\n+++ b/train.py\n@@ -39,3 +39,3 @@\n     train = SpeechDataset(texts)\n-    loader = DataLoader(train, batch_size=16, shuffle=True)\n+    loader = DataLoader(train, batch_size=16, shuffle=True, num_workers=4, pin_memory=True)\n     for step, batch in enumerate(loader):\n"},
			{Heading: "Environment", Detail: true, Table: &Table{
				Columns: []Column{{"", false}, {"before", false}, {"after", false}},
				Rows: [][]string{
					{"GPU", "NVIDIA H200", "NVIDIA H200"},
					{"driver", "570.86", "570.124"},
					{"command", "python train.py --size small --steps 50", "python train.py --size small --steps 50"},
				},
			}},
		},
		Findings: []finding.Finding{
			{
				Code: "SAT201", Name: "loader-in-main-process", Severity: finding.Error, Confidence: 0.95,
				Where: &finding.Location{
					Path: "train.py", Start: 1015, End: 1025, Line: 41, Column: 14, EndLine: 41, EndColumn: 24, Excerpt: loader,
				},
				Message:  "batches are made in the training process, one at a time",
				Why:      "With `num_workers=0` the GPU waits while Python reads and transforms each batch.",
				Evidence: []finding.Evidence{{Text: "the GPU was idle for 0.87 s of each step while `next(loader)` ran", Interval: &finding.Interval{StartNS: 1_204_000_000, EndNS: 2_071_000_000}}},
				Estimate: &finding.Estimate{SecondsPerStep: 0.65, SpeedupLow: 1.5, SpeedupHigh: 1.9, Basis: "measured in this trace"},
				Fixes: []patch.Patch{{Title: "load with four workers from pinned memory", Safety: patch.Safe, Edits: []patch.Edit{
					{Path: "train.py", Start: 1002 + len(loader) - 1, End: 1002 + len(loader) - 1, Text: ", num_workers=4, pin_memory=True"},
				}}},
			},
			{
				Code: "SAT301", Name: "item-in-loop", Severity: finding.Warning, Confidence: 0.9,
				Where: &finding.Location{
					Path: "train.py", Start: 1500, End: 1511, Line: 58, Column: 18, EndLine: 58, EndColumn: 29, Excerpt: lossLine,
				},
				Message:  "the loop waits for the GPU in every step",
				Why:      "`.item()` copies one number to the host and stops until all queued kernels are done.",
				Estimate: &finding.Estimate{SpeedupLow: 1, SpeedupHigh: 1.1, Basis: "PyTorch tuning guide"},
				Advice:   "Add up the loss on the GPU and read it every 50 steps.",
			},
			{
				Code: "TRC104", Name: "small-kernels", Severity: finding.Advice, Confidence: 0.6,
				When:    &finding.Interval{StartNS: 2_100_000_000, EndNS: 2_400_000_000},
				Message: "half of the kernels run shorter than it takes to launch them",
				Why:     "Launching costs about 5 µs of host time each.",
			},
		},
		Next: []string{"saturate fix train.py --apply", "saturate verify --before HEAD~1 --after HEAD -- python train.py"},
	}
}

// hostile are strings that a program under test may have anywhere.
var hostile = []string{
	`<script>alert(1)</script><img src=x onerror="alert(1)">`,
	"\x1b[2J\x1b]0;owned\x07 \x00\x7f \u009b31m back\bspace \r overwritten",
	"a\u202eevil\u2066txt.exe\u2069 \U000E0041\ufeff",
	"שלום עולם مرحبا بالعالم",
	"日本語のとても長いテキスト 👩‍💻 e\u0301",
	"| pipe | `tick` ``` fence *star* _under_ [link](http://example.com) @everyone #1 &amp; ~~~",
	"\xff\xfe broken \xc3( utf-8",
	"]]> --> </style></svg><svg onload=alert(1)>",
	"javascript:alert(1) {{.Version}} ${HOME} %s %n",
	"line\nbreak\ttab",
}

// hostileReport has a hostile string at every place that takes one.
func hostileReport(s string) Report {
	return Report{
		Command: "x", Title: s, Summary: []string{s, s}, Figures: []Figure{{s, s, s}}, Warnings: []string{s},
		Blocks: []Block{
			{Heading: s, Text: s},
			{Heading: s, Code: s + "\n+" + s + "\n-" + s},
			{Heading: s, Table: &Table{Columns: []Column{{s, false}, {s, true}}, Rows: [][]string{{s, s}, {s}, {s, s, s}}, Foot: s}},
			{Heading: s, Detail: true, Text: s},
			{Plot: plot.Strip{Heading: s, Axis: s, Unit: s, Noun: s, Series: []plot.Series{{Name: s, Values: []float64{1, 2, math.NaN()}}}}},
			{Plot: plot.Trend{Heading: s, Axis: s, Unit: s, Noun: s, Series: []plot.Series{{Name: s, Values: []float64{1, 2}}, {Name: s}}, Bands: []plot.Band{{Name: s}}}},
			{Plot: plot.Stack{Heading: s, Axis: s, Unit: s, Bars: []plot.Bar{{Name: s, Parts: []plot.Part{{Name: s, Value: 1}, {Name: "data", Value: 2}}}}}},
			{Plot: plot.Histogram{Heading: s, Axis: s, Unit: s, Noun: s, Values: []float64{1, 2, 3}}},
			{Plot: plot.Waterfall{Heading: s, Axis: s, Unit: s, From: s, To: s, Start: 1, Changes: []plot.Change{{Name: s, Delta: -0.5, Note: s}}}},
		},
		Findings: []finding.Finding{{
			Code: s, Name: s, Severity: finding.Severity(s), Message: s, Why: s, Advice: s,
			Where:    &finding.Location{Path: s, Line: 3, Column: 2, EndLine: 3, EndColumn: 5, Start: 1, End: 4, Excerpt: s},
			Evidence: []finding.Evidence{{Text: s, Location: &finding.Location{Path: s, Line: 1}}},
			Estimate: &finding.Estimate{SecondsPerStep: 1, Basis: s},
			Fixes:    []patch.Patch{{Title: s, Safety: patch.Safety(s), Edits: []patch.Edit{{Path: s, Start: 1, End: 2, Text: s}}}},
		}},
		Next: []string{s},
	}
}
