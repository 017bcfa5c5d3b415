package view

import (
	"strings"
	"testing"

	"saturate/internal/probe"
	"saturate/internal/run"
)

// Of a job of several ranks, each finding is told once and names the ranks that have it, and the table of a step is
// that of the rank which the first one waits for.
func TestOfProfileOfSlowRank(t *testing.T) {
	steps := func(data float64) (list []run.Step) {
		for i := range 20 {
			list = append(list, run.Step{Index: i + 1, Seconds: 0.2, Samples: 4, Parts: []run.Part{
				{Name: "data", Seconds: data}, {Name: "forward", Seconds: 0.15 - data}, {Name: run.Other, Seconds: 0.05},
			}})
		}
		return list
	}
	o := probe.Outcome{Run: run.Run{ID: "0b1c2d3e", Name: "train", State: run.Complete, Steps: steps(0.001)}}
	o.Facts.World = 3
	o.Facts.Loaders = []probe.Loader{{Dataset: "Samples", Batches: 20}}
	o.Ranks = []probe.Rank{{Rank: 0, World: 3, Steps: steps(0.001)}, {Rank: 1, World: 3, Steps: steps(0.14)}, {Rank: 2, World: 3, Steps: steps(0.002)}}
	r := OfProfile(o, nil)
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Name+": "+f.Message)
	}
	text := strings.Join(got, "\n")
	if !strings.Contains(text, ": rank 1: the training process prepares batches itself while the model waits") {
		t.Errorf("no finding names rank 1:\n%s", text)
	}
	if !strings.Contains(text, ": 25% of a step is not data") || strings.Count(text, "25% of a step is not data") != 1 {
		t.Errorf("what all ranks have must be told once and without their names:\n%s", text)
	}
	where := r.Blocks[0].Table
	if !strings.HasSuffix(where.Foot, "This is rank 1, which rank 0 waits for.") || where.Rows[0][2] != "70%" {
		t.Errorf("the step is %v: %s", where.Rows[0], where.Foot)
	}
	for _, f := range r.Figures {
		if f.Name == "waiting for data" && (f.Value != "70%" || f.Note != "of an average step of rank 1") {
			t.Errorf("the figure is %+v", f)
		}
	}
}
