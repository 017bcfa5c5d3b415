package probe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	_ "saturate/internal/rule" // what findings point to
	"saturate/internal/run"
)

// like makes steady steps of the same parts.
func like(total float64, parts ...run.Part) []run.Step {
	steps := []run.Step{{Index: 1, Seconds: 9, Tags: []string{"warmup"}}}
	for i := range 30 {
		steps = append(steps, run.Step{Index: i + 2, Seconds: total, Parts: parts})
	}
	return steps
}

// withApart puts steps of a kind after every fifth one.
func withApart(steps []run.Step, tag string, total float64, parts ...run.Part) []run.Step {
	var all []run.Step
	for i, s := range steps {
		if all = append(all, s); i%5 == 0 && i > 0 {
			all = append(all, run.Step{Seconds: total, Parts: parts, Tags: []string{tag}})
		}
	}
	return all
}

func part(name string, s float64) run.Part { return run.Part{Name: name, Seconds: s} }

func TestExplain(t *testing.T) {
	model := []run.Part{part("forward", 0.05), part("backward", 0.08), part("optimizer", 0.01)}
	tests := []struct {
		name, bottleneck, sentence string
		onGPU                      bool
		steps                      []run.Step
	}{
		{
			"starved", "data_loading", "The GPU waited for data 87% of the time: 1.01 of 1.16 s per step on average.", true,
			like(1.16, append([]run.Part{part("data", 1.01)}, model...)...),
		},
		{
			"on a CPU", "data_loading", "The program waited for data 20% of the time: 8.0 of 40.0 ms per step on average.", false,
			like(0.04, part("data", 0.008), part("forward", 0.03)),
		},
		{
			"well fed", "compute", "The model itself takes the time: forward, backward and optimizer are 93% of a step, 0.140 of 0.150 s on average; waiting for data takes 4.0%.", true,
			like(0.1500001, append([]run.Part{part("data", 0.006)}, model...)...),
		},
		{
			"busy elsewhere", "host_python", "The GPU waited for other code in the loop 53% of the time: 0.160 of 0.300 s per step on average.", true,
			like(0.3, model...),
		},
		{"copies", "transfer", "The GPU waited for copies from the host 50% of the time: 0.100 of 0.200 s per step on average.", true, like(0.2, part("h2d", 0.1), part("forward", 0.09))},
		{
			"short epochs", "epoch_start", "The first steps of epochs took 62% of the time of training: 6 of 36 steps, 24.0 of 39.0 s; 21.5 s of that went to waiting for data.", true,
			withApart(like(0.5, part("data", 0.02), part("forward", 0.48)), "first-of-epoch", 4, part("data", 3.6), part("forward", 0.4)),
		},
		{
			"much evaluation", "evaluation", "Steps with an evaluation, or other passes without training, took 38% of the time of training: 6 of 36 steps, 9.0 of 24.0 s.", false,
			withApart(like(0.5, part("forward", 0.5)), "evaluation", 1.5, part("evaluation", 1), part("forward", 0.5)),
		},
		{
			"starved in every step and more at the start of epochs", "data_loading", "The GPU waited for data 80% of the time: 0.400 of 0.500 s per step on average.", true,
			withApart(like(0.5, part("data", 0.4), part("forward", 0.1)), "first-of-epoch", 2, part("data", 1.9), part("forward", 0.1)),
		},
		{"a checkpoint in every step", "checkpoint", "Saving checkpoints took 75% of the time: 0.90 of 1.20 s per step on average.", false, like(1.2, part("forward", 0.3), part("checkpoint", 0.9))},
		{"no steps", "none", "No steady step was measured.", true, nil},
		{"no ordinary step", "none", "Only 1 step was measured; run more steps to judge the speed.", true, like(1)[:1]},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := Explain(tt.steps, tt.onGPU)
			if e.Bottleneck != tt.bottleneck || e.Sentence != tt.sentence {
				t.Errorf("%s: %s\nwant %s: %s", e.Bottleneck, e.Sentence, tt.bottleneck, tt.sentence)
			}
		})
	}
}

func TestFindingsWithoutATrace(t *testing.T) {
	starved := like(0.5, part("data", 0.4), part("forward", 0.08))
	of := func(loader Loader, steps []run.Step) []string {
		var codes []string
		for _, f := range Findings(Outcome{Run: run.Run{Steps: steps}, Facts: Facts{Loaders: []Loader{loader}, GPUs: []GPU{{}}}}, Explain(steps, true)) {
			codes = append(codes, f.Code)
		}
		return codes
	}
	for _, tt := range []struct {
		name   string
		loader Loader
		steps  []run.Step
		want   string
	}{
		{"no workers", Loader{}, starved, "[PRF101]"},
		{"too few workers", Loader{Workers: 2}, starved, "[PRF102]"},
		{"other code", Loader{Workers: 2}, like(0.5, part("forward", 0.1)), "[PRF104]"},
		{"pageable copies", Loader{Workers: 2}, like(0.5, part("h2d", 0.04), part("forward", 0.46)), "[PRF103]"},
		{"cold epochs", Loader{Workers: 2}, withApart(like(0.5, part("forward", 0.5)), "first-of-epoch", 2, part("data", 1.5), part("forward", 0.5)), "[PRF106]"},
		{"warm epochs", Loader{Workers: 2}, withApart(like(0.5, part("forward", 0.5)), "first-of-epoch", 0.6, part("data", 0.1), part("forward", 0.5)), "[]"},
		{"pinned copies", Loader{Workers: 2, PinMemory: true}, like(0.5, part("h2d", 0.04), part("forward", 0.46)), "[]"},
	} {
		if got := of(tt.loader, tt.steps); fmt.Sprint(got) != tt.want {
			t.Errorf("%s: findings %v, want %s", tt.name, got, tt.want)
		}
	}
	for persistent, want := range map[bool]string{false: "persistent_workers=True keeps", true: "Prepare samples before training"} {
		steps := withApart(like(0.5, part("forward", 0.5)), "first-of-epoch", 2, part("data", 1.5), part("forward", 0.5))
		found := Findings(Outcome{Run: run.Run{Steps: steps}, Facts: Facts{Loaders: []Loader{{Workers: 2, PersistentWorkers: persistent}}}}, Explain(steps, true))
		if !strings.HasPrefix(found[0].Advice, want) || !strings.Contains(found[0].Message, "takes 2 s, 1.50 s of it waiting for data; other steps take 500 ms") {
			t.Errorf("persistent workers %v: %s: %s", persistent, found[0].Message, found[0].Advice)
		}
	}
	for wait, want := range map[float64]string{0.0005: "A batch takes 500 µs, and a worker process takes as long", 0.01: "num_workers="} {
		steps := like(2*wait, part("data", wait), part("forward", wait))
		found := Findings(Outcome{Run: run.Run{Steps: steps}, Facts: Facts{Loaders: []Loader{{}}}}, Explain(steps, true))
		if len(found) != 1 || !strings.HasPrefix(found[0].Advice, want) {
			t.Errorf("a batch of %g s: %+v", wait, found)
		}
	}
	for each, want := range map[float64]string{0.2: "2 worker processes do not keep up: a sample takes 200 ms", 0.01: "batches from 2 worker processes arrive late: preparing the batches of a step takes 20.0 ms, and a step without the wait takes 100 ms"} {
		steps := slices.Clone(starved)
		for i := range steps {
			steps[i].Samples = 4
		}
		o := Outcome{Run: run.Run{Steps: steps}, Facts: Facts{Loaders: []Loader{{Workers: 2}}}}
		o.Workers.Made = Made{Samples: 100, Seconds: 100 * each}
		if found := Findings(o, Explain(steps, true)); len(found) != 1 || !strings.HasPrefix(found[0].Message, want) || strings.Contains(found[0].Advice, "would keep up") != (each == 0.2) {
			t.Errorf("samples of %g s: %+v", each, found)
		}
	}
	for computing, want := range map[float64]string{0: "all of it waiting", 0.54: "54% of it computing, the rest waiting", 0.998: "all of it computing"} {
		made := &Made{Samples: 10, Seconds: 10, CPUSeconds: 10 * computing}
		found := Findings(Outcome{Run: run.Run{Steps: starved}, Facts: Facts{Loaders: []Loader{{}}, InProcess: made}}, Explain(starved, true))
		if !strings.HasSuffix(found[0].Message, ": 1 s per sample, "+want) {
			t.Errorf("%s; want %s", found[0].Message, want)
		}
	}
	if found := Findings(Outcome{}, Explain(nil, true)); len(found) > 0 {
		t.Errorf("nothing was measured, but %+v found", found)
	}
	if n := neededWorkers(0.4, 0.5, 0); n != 4 {
		t.Errorf("%d workers would do what one process does in 0.4 s within 0.1 s, want 4", n)
	}
	if n := neededWorkers(0.25, 0.5, 2); n != 4 {
		t.Errorf("%d workers instead of two that take twice as long as they should, want 4", n)
	}
}
