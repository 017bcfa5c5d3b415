package probe

import (
	"slices"
	"strings"
	"testing"

	"saturate/internal/finding"
	"saturate/internal/run"
)

// steps of which each has an evaluation, and some a checkpoint.
func interrupted() Outcome {
	var o Outcome
	for i := range 50 {
		s := run.Step{Index: i + 1, Seconds: 1, Parts: []run.Part{{Name: "data", Seconds: 0.02}, {Name: "forward", Seconds: 0.1}, {Name: "evaluation", Seconds: 0.84}}, Tags: []string{"evaluation"}}
		if i%10 == 9 {
			s.Seconds += 2
			s.Parts = append(s.Parts, run.Part{Name: "checkpoint", Seconds: 2})
			s.Tags = append(s.Tags, "checkpoint")
		}
		o.Run.Steps = append(o.Run.Steps, s)
	}
	o.Facts.Loaders = []Loader{{Batches: 50}}
	o.Run.Functions = []run.Function{
		{Function: "decode", Path: "data.py", Line: 7, Share: 0.6, Own: 0.6, Inside: "evaluation"},
		{Function: "evaluate", Path: "train.py", Line: 31, Share: 1, Own: 0.1, Inside: "evaluation", Entry: true},
	}
	return o
}

func TestEvaluationIsNotTheLoopsWait(t *testing.T) {
	o := interrupted()
	e := Explain(o.Run.Steps, false)
	found := Findings(o, e)
	if e.Bottleneck != "evaluation" || slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Code == "PRF101" }) {
		t.Errorf("the bottleneck is %s, findings %+v", e.Bottleneck, found)
	}
	at := slices.IndexFunc(found, func(f finding.Finding) bool { return f.Code == "PRF107" })
	if at < 0 {
		t.Fatalf("no PRF107 among %+v", found)
	}
	if want := "evaluation takes 70% of training: 840 ms each, in 49 of 49 steps (evaluate, train.py:31)"; found[at].Message != want {
		t.Errorf("it says %q, want %q", found[at].Message, want)
	}
	if ev := found[at].Evidence; len(ev) != 1 || ev[0].Text != "60% of that is decode, data.py:7" {
		t.Errorf("evidence is %+v", ev)
	}
	at = slices.IndexFunc(found, func(f finding.Finding) bool { return f.Code == "PRF108" })
	if at < 0 || !strings.HasPrefix(found[at].Message, "saving checkpoints takes 17% of training: 2 s each, in 5 of 49 steps") {
		t.Errorf("no PRF108, or in other words: %+v", found)
	}
	if slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Code == "PRF109" }) {
		t.Error("PRF109 without any logging")
	}
}

func TestAdvisedWorkersFitTheMachine(t *testing.T) {
	for _, c := range []struct {
		needed, cores int
		want          string
	}{
		{3, 8, "num_workers=3 would keep up"},
		{6, 2, "num_workers=2 uses all 2 cores of this machine, but 6 workers would be needed"},
		{2, 1, "This machine has 1 core"},
	} {
		if got := advisedWorkers(c.needed, run.Machine{Cores: 64, UsableCores: c.cores}); !strings.HasPrefix(got, c.want) {
			t.Errorf("%d on %d cores: %q", c.needed, c.cores, got)
		}
	}
	if got := advisedWorkers(5, run.Machine{}); !strings.HasPrefix(got, "num_workers=5 would keep up") {
		t.Errorf("on an unknown machine: %q", got)
	}
}
