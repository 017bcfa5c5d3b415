package run

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestImportSteps(t *testing.T) {
	const text = "\ufeff" + `{"step": 3, "s": 0.5, "loss": NaN, "tags": ["a NaN \" NaN"], "parts": [{"name": "data", "s": 0.25}]}
{"s": 0.25, "samples": 16, "loss": -Infinity, "more": {"x": [1]}}

{"step": 10.0, "s": Infinity, "loss": null}
Epoch 1
{"step": 11}
{"step": 1.5, "s": 1}
[1]
{"step": 12, "s": "1"}
{"step": 13, "s": 1e999}
{"step": 14, "s": 0.125}
{"step": 15, "s": 0.1`
	steps, notes, err := ImportSteps(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []Step{
		{Index: 3, Seconds: 0.5, Loss: number(math.NaN()), Tags: []string{`a NaN " NaN`}, Parts: []Part{{"data", 0.25}}},
		{Index: 4, Seconds: 0.25, Samples: 16, Loss: number(math.Inf(-1))},
		{Index: 10, Seconds: math.Inf(1)},
		{Index: 14, Seconds: 0.125},
	}
	if diff := cmp.Diff(want, steps, sameNumbers); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
	wantNotes := []string{"skipped line 5: not a JSON step", `skipped line 6: it has no field "s"`, "skipped line 7: step 1.5", "skipped 3 more lines", "skipped line 12: it is truncated"}
	for i := range max(len(notes), len(wantNotes)) {
		if i >= len(notes) || i >= len(wantNotes) || !strings.HasPrefix(notes[i], wantNotes[i]) {
			t.Fatalf("notes %q, want %q", notes, wantNotes)
		}
	}
}

func TestImportStepsEdges(t *testing.T) {
	if steps, notes, err := ImportSteps(strings.NewReader("")); len(steps) != 0 || len(notes) != 0 || err != nil {
		t.Errorf("nothing: %v, %v, %v", steps, notes, err)
	}
	long := `{"s":1,"x":"` + strings.Repeat("x", 3*longestLine) + "\"}\n{\"s\":2}\n"
	if steps, notes, err := ImportSteps(strings.NewReader(long)); len(steps) != 1 || steps[0].Seconds != 2 || len(notes) != 1 || !strings.Contains(notes[0], "longer than") || err != nil {
		t.Errorf("a long line: %v, %v, %v", steps, notes, err)
	}
	broken := io.MultiReader(strings.NewReader("{\"s\":1}\n{\"s\""), iotest.ErrReader(errors.New("disk failed")))
	if steps, _, err := ImportSteps(broken); len(steps) != 1 || err == nil || !strings.Contains(err.Error(), "line 2: disk failed") {
		t.Errorf("a broken reader: %v, %v", steps, err)
	}
}

func TestStepJSON(t *testing.T) {
	data, err := json.Marshal(Step{Index: 7, Seconds: 0.5})
	if err != nil || string(data) != `{"step":7,"s":0.5}` {
		t.Errorf("%s, %v", data, err)
	}
	data, err = json.Marshal(Step{Index: 1 << 40, Seconds: math.NaN(), Samples: 2, Loss: number(0), Parts: []Part{{"data", 0}}, Tags: []string{"warmup"}})
	if want := `{"step":1099511627776,"s":"NaN","parts":[{"name":"data","s":0}],"samples":2,"loss":0,"tags":["warmup"]}`; err != nil || string(data) != want {
		t.Errorf("%s, %v; want %s", data, err, want)
	}
}

func TestSteady(t *testing.T) {
	var steps []Step
	add := func(n int, seconds float64, tags ...string) {
		for range n {
			steps = append(steps, Step{Index: len(steps), Seconds: seconds, Samples: 8, Tags: tags})
		}
	}
	add(1, 30, "warmup", "first-of-epoch")
	add(2, 5) // warm-up that nobody tagged
	add(20, 0.5)
	add(1, 9, "checkpoint")
	add(10, 0.5, "logged")
	add(1, math.NaN())
	add(1, -1)
	add(2, 4, "evaluation")
	s := Steady(steps)
	if len(s.Steps) != 30 {
		t.Errorf("%d steps are steady, want 30", len(s.Steps))
	}
	want := []Apart{
		{Reason: "warmup", Steps: 1, Seconds: 30, Samples: 8},
		{Reason: "evaluation", Steps: 2, Seconds: 8, Samples: 16},
		{Reason: "checkpoint", Steps: 1, Seconds: 9, Samples: 8},
		{Reason: "invalid", Steps: 2},
		{Reason: "detected warm-up", Steps: 2, Seconds: 10, Samples: 16},
	}
	if diff := cmp.Diff(want, s.Apart); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "2 steps have no valid time") {
		t.Errorf("notes %q", s.Notes)
	}
	// 30 ordinary steps of half a second, two evaluations and a checkpoint; the warm-up does not come again.
	if seconds, samples, n := s.Whole(); n != 33 || seconds != (15+8+9)/33. || samples != 8 {
		t.Errorf("a step of training takes %v s for %v samples, mean of %d", seconds, samples, n)
	}
	if times := s.StepTimes(); times.Unit != "s/it" || len(times.Values) != 30 || times.Values[0] != 0.5 {
		t.Errorf("%+v", times)
	}
	if speed := s.SamplesPerSecond(); speed.Unit != "samples/s" || len(speed.Values) != 30 || speed.Values[0] != 16 {
		t.Errorf("%+v", speed)
	}
	s.Steps[3].Samples = 0
	if speed := s.SamplesPerSecond(); len(speed.Values) != 0 {
		t.Errorf("samples of some steps only: %+v", speed)
	}
}

func TestSteadyEdges(t *testing.T) {
	if s := Steady(nil); len(s.Steps) != 0 || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "no steady steps") {
		t.Errorf("no steps: %+v", s)
	}
	var drifting []Step
	for i := range 20 {
		drifting = append(drifting, Step{Seconds: 20 - float64(i)})
	}
	if s := Steady(drifting); len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "still changing") {
		t.Errorf("drifting: %+v", s)
	}
	var saving []Step
	for i := range 20 {
		saving = append(saving, Step{Index: i, Seconds: 1, Tags: []string{"checkpoint"}})
	}
	saving[0].Tags = []string{"warmup"}
	if s := Steady(saving); len(s.Steps) != 19 || len(s.Apart) != 1 {
		t.Errorf("a checkpoint in every step is what a step is: %d steady, apart %+v", len(s.Steps), s.Apart)
	}
}

// TestSeveralKindsAtOnce: at the end of an epoch the model is saved, evaluated, and fed anew, and the longest of these
// is to blame.
// An evaluation before training says nothing of how often it comes; the first step of an epoch does.
func TestOnceAtStart(t *testing.T) {
	for name, c := range map[string]struct {
		at   []int
		tag  string
		want int
	}{
		"once before training": {[]int{2}, "evaluation", 0},
		"again later":          {[]int{2, 12}, "evaluation", 2},
		"once, later":          {[]int{12}, "checkpoint", 1},
		"epochs":               {[]int{3}, "first-of-epoch", 1},
	} {
		var steps []Step
		for i := 1; i <= 20; i++ {
			step := Step{Index: i, Seconds: 1}
			if slices.Contains(c.at, i) {
				step.Tags, step.Seconds = []string{c.tag}, 9
			}
			steps = append(steps, step)
		}
		if got := len(Steady(steps).Again); got != c.want {
			t.Errorf("%s: %d come again, want %d", name, got, c.want)
		}
	}
}

func TestSeveralKindsAtOnce(t *testing.T) {
	part := func(name string, s float64) Part { return Part{Name: name, Seconds: s} }
	tests := []struct {
		want  string
		tags  []string
		parts []Part
	}{
		{"evaluation", []string{"checkpoint", "evaluation", "first-of-epoch"}, []Part{part("data", 1), part("evaluation", 8), part("checkpoint", 0.1)}},
		{"first-of-epoch", []string{"checkpoint", "evaluation", "first-of-epoch"}, []Part{part("data", 8), part("evaluation", 1), part("checkpoint", 2)}},
		{"checkpoint", []string{"checkpoint", "evaluation", "first-of-epoch"}, []Part{part("data", 1), part("evaluation", 1), part("checkpoint", 9)}},
		{"first-of-epoch", []string{"checkpoint", "first-of-epoch"}, []Part{part("data", 9), part("checkpoint", 0.1)}},
		{"checkpoint", []string{"checkpoint", "first-of-epoch"}, nil},
		{"profiled", []string{"checkpoint", "profiled"}, []Part{part("checkpoint", 9)}},
		{"checkpoint", []string{"checkpoint", "recompilation"}, []Part{part("checkpoint", 9)}},
	}
	for _, test := range tests {
		steps := []Step{{Seconds: 10, Tags: test.tags, Parts: test.parts}}
		for range 10 {
			steps = append(steps, Step{Seconds: 1})
		}
		if s := Steady(steps); len(s.Apart) != 1 || s.Apart[0].Reason != test.want {
			t.Errorf("a step with %v and parts %v is one of %+v, want %s", test.tags, test.parts, s.Apart, test.want)
		}
	}
}

func TestParts(t *testing.T) {
	steps := []Step{
		{Seconds: 1, Parts: []Part{{"data", 0.5}, {"forward", 0.25}}},
		{Seconds: 1.5, Parts: []Part{{"data", 0.5}, {"forward", 0.25}, {"optimizer", 0.125}, {"other", 7}}},
		{Seconds: 2, Parts: []Part{{"h2d", 0.25}, {"data", 1}, {"data", 0.5}, {"forward", 1}}}, // they overlap
		{Seconds: 1},
	}
	var got []string
	for _, s := range Parts(steps) {
		data, _ := json.Marshal(s)
		got = append(got, string(data))
	}
	want := []string{
		`{"name":"h2d","unit":"s/it","values":[0,0,0.25,0]}`,
		`{"name":"data","unit":"s/it","values":[0.5,0.5,1.5,0]}`,
		`{"name":"forward","unit":"s/it","values":[0.25,0.25,1,0]}`,
		`{"name":"optimizer","unit":"s/it","values":[0,0.125,0,0]}`,
		`{"name":"other","unit":"s/it","values":[0.25,0.625,0,1]}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
	means := MeanParts(steps)
	if diff := cmp.Diff([]Part{{"h2d", 0.0625}, {"data", 0.625}, {"forward", 0.375}, {"optimizer", 0.03125}, {"other", 0.46875}}, means); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
	if Parts(nil) != nil || Parts([]Step{{Seconds: 1}}) != nil || MeanParts(nil) != nil {
		t.Error("parts out of nothing")
	}
}
