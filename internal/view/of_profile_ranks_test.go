package view

import (
	"encoding/json"
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

// The report of a Run of several ranks answers as profile did: it names the rank that the first one waits for.
func TestRunOfSlowRank(t *testing.T) {
	root := t.TempDir()
	steps := func(data float64) (list []run.Step) {
		for i := range 20 {
			list = append(list, run.Step{Index: i + 1, Seconds: 0.2, Samples: 4, Parts: []run.Part{
				{Name: "data", Seconds: data}, {Name: "forward", Seconds: 0.15 - data}, {Name: run.Other, Seconds: 0.05},
			}})
		}
		return list
	}
	rec, err := run.Create(root, "train", run.Options{Command: []string{"torchrun", "train.py"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps(0.001) {
		if err := rec.Step(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := rec.Save(probe.FactsFile, "facts", []byte(`{"ranks": [{"rank": 4, "world": 8}, {"rank": 6, "world": 8}]}`)); err != nil {
		t.Fatal(err)
	}
	var lines []byte
	for _, s := range steps(0.14) {
		line, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(append(lines, line...), '\n')
	}
	if err := rec.Save("ranks/6.jsonl", "steps", lines); err != nil {
		t.Fatal(err)
	}
	done, err := rec.Finish(0)
	if err != nil {
		t.Fatal(err)
	}
	one, err := run.Read(done.Dir)
	if err != nil {
		t.Fatal(err)
	}
	r := WithRanks(OfRuns([]run.Run{one}), probe.ReadOutcome(one))
	if !strings.HasPrefix(r.Summary[0], "Rank 4 waits for rank 6, 139 ms a step. Rank 6: ") {
		t.Errorf("the answer is %q", r.Summary)
	}
	if last := r.Summary[len(r.Summary)-1]; last != "Of an average step of the first rank: 74% forward, 25% other." {
		t.Errorf("the parts are %q", last)
	}
	for _, f := range r.Figures {
		if f.Name == "waiting for data" && (f.Value != "70%" || f.Note != "of an average step of rank 6") {
			t.Errorf("the figure is %+v", f)
		}
	}
	if r.Blocks[1].Heading != "Ranks" || len(r.Blocks[1].Table.Rows) != 2 || r.Blocks[1].Table.Rows[1][0] != "6" {
		t.Errorf("the ranks are %+v", r.Blocks[1])
	}
}
