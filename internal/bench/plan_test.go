package bench

import (
	"strings"
	"testing"
	"time"
)

func somePlan() Plan {
	return Plan{
		Task: Attention, Frameworks: []string{"go"}, DTypes: []string{"fp32"}, Batch: []int{1}, Seq: []int{16}, DModel: []int{8}, Heads: []int{2},
		Levels: []int{0, 1, 2, 3}, Device: "auto", Effort: Effort{Iterations: 6, Time: time.Second, Warm: true, Seed: 1},
	}
}

func TestPlansThatMakeNoSense(t *testing.T) {
	for _, test := range []struct {
		change func(*Plan)
		says   string
	}{
		{func(p *Plan) { p.DModel, p.Heads = []int{512}, []int{7} }, "7 heads do not divide a model width of 512; use 1, 2, 4, 8 heads"},
		{func(p *Plan) { p.DTypes = []string{"bf61"} }, `unknown data type "bf61"; use fp32, tf32, bf16, fp16; did you mean "bf16"?`},
		{func(p *Plan) { p.Frameworks = []string{"tensorflow"} }, `unknown framework "tensorflow"`},
		{func(p *Plan) { p.Iterations = 0 }, "--iterations must be at least 6"},
		{func(p *Plan) { p.Seq = []int{16, -1} }, "--seq must be 1 to 16777216, not -1"},
		{func(p *Plan) { p.Batch = []int{1 << 40} }, "--batch must be 1 to"},
		{func(p *Plan) { p.Heads = nil }, "--heads needs a number"},
		{func(p *Plan) { p.Levels = []int{4} }, "--level must be 0 to 3, not 4"},
		{func(p *Plan) { p.Device = "tpu" }, `unknown device "tpu"; use auto, cpu`},
		{func(p *Plan) { p.Warm = false }, "--cache must be cold, warm or both"},
		{func(p *Plan) { p.Frameworks = nil }, "at least one --framework"},
		{func(p *Plan) { p.Time = -1 }, "--time must be greater than 0"},
		{func(p *Plan) {
			p.Seq = nil
			for i := range 1200 {
				p.Seq = append(p.Seq, i+1)
			}
		}, "this plan has 1200 cases"},
	} {
		p := somePlan()
		test.change(&p)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%v, want %q", err, test.says)
		}
	}
}

func TestPlanSpellsNames(t *testing.T) {
	p := somePlan()
	p.Frameworks, p.DTypes, p.Seq = []string{"PyTorch", "Go", "torch"}, []string{"bfloat16", "float32", "fp32"}, []int{32, 16, 32}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range p.Cases() {
		got = append(got, c.key())
	}
	want := 8 // two frameworks, two types, two lengths: each once
	if len(got) != want || got[0] != "framework=go/dtype=bf16/batch=1/seq=32/d_model=8/heads=2" {
		t.Errorf("%d cases, want %d: %v", len(got), want, got)
	}
}

func TestPredictedMemory(t *testing.T) {
	need := needOf(Shape{Batch: 8, Seq: 8192, DModel: 512, Heads: 8}, 4)
	near(t, "the scores", need.Scores, 8*8*8192*8192*4, 0)
	if text := tooLarge("x needs", 34e9, 20e9); text != "x needs 31.7 GiB of memory, but 18.6 GiB is free; choose a smaller --batch or --seq" {
		t.Error(text)
	}
	for _, fits := range []string{tooLarge("x", 17e9, 20e9), tooLarge("x", 1e12, 0)} {
		if fits != "" {
			t.Error(fits)
		}
	}
	if text := tooLarge("x needs", 1e18, 0); text != "x needs 888 PiB of memory; choose a smaller --batch or --seq" {
		t.Error(text)
	}
	if need := needOf(Shape{Batch: largestSize, Seq: largestSize, DModel: largestSize, Heads: largestSize}, 4); tooLarge("x", need.Scores, 1<<40) == "" {
		t.Error("sizes that no integer holds fit")
	}
}
