package probe

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"saturate/internal/files"
	"saturate/internal/run"
)

// told writes lines as processes of a program do, and gives what became of them.
func told(t *testing.T, files map[string]string) (*follower, []run.Step) {
	t.Helper()
	var steps []run.Step
	f := &follower{
		dir:     filepath.Join(t.TempDir(), "probe"),
		step:    func(s run.Step) error { steps = append(steps, s); return nil },
		replace: func(others []run.Step) error { steps = slices.Clone(others); return nil },
	}
	if err := f.begin(); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.finish(); err != nil {
		t.Fatal(err)
	}
	return f, steps
}

func step(mode string, n int) string {
	return fmt.Sprintf(`{"kind":"step","mode":%q,"step":%d,"s":0.5,"parts":[{"name":"data","s":0.1}]}`+"\n", mode, n)
}

func rank(n, world int) string {
	return fmt.Sprintf(`{"kind":"facts","rank":%d,"world":%d}`+"\n", n, world)
}

func TestEvaluationBeforeTraining(t *testing.T) {
	_, steps := told(t, map[string]string{"7.jsonl": rank(0, 1) + step("inference", 1) + step("inference", 2) + step("train", 1)})
	if len(steps) != 1 || steps[0].Parts[0].Name != "data" {
		t.Errorf("steps are %+v, want the one of training", steps)
	}
}

func TestInferenceAlone(t *testing.T) {
	f, steps := told(t, map[string]string{"7.jsonl": rank(0, 1) + step("inference", 1) + step("inference", 2)})
	if len(steps) != 2 || !f.inference() {
		t.Errorf("%d steps, inference %v; want 2", len(steps), f.inference())
	}
}

func TestRanksOfOneProgram(t *testing.T) {
	f, steps := told(t, map[string]string{
		"8.jsonl":  rank(1, 2) + step("train", 1) + step("train", 2) + step("train", 3),
		"9.jsonl":  rank(0, 2) + step("train", 1) + step("train", 2),
		"10.jsonl": rank(0, 1) + step("inference", 1), // something else that the program started
	})
	ranks := f.ranks()
	if len(steps) != 2 || len(ranks) != 2 || ranks[0].PID != 9 || ranks[1].PID != 8 || len(ranks[1].Steps) != 3 {
		t.Errorf("%d steps, ranks %+v", len(steps), ranks)
	}
}

// A process that trains first may have been a trial: the one that trains for long is the program.
func TestTrialBeforeTraining(t *testing.T) {
	note := `{"kind":"note","text":"a short trial"}` + "\n"
	training := func(n int) string {
		text := rank(0, 1)
		for i := range n {
			text += step("train", i+1)
		}
		return text
	}
	tests := []struct{ first, second, want int }{{3, 20, 20}, {20, 3, 20}, {10, 19, 10}, {1, 2, 2}}
	for _, tt := range tests {
		f, steps := told(t, map[string]string{"7.jsonl": training(tt.first), "8.jsonl": training(tt.second)})
		for i, s := range steps {
			if s.Index != i+1 {
				t.Errorf("%+v: step %d stands where step %d should", tt, s.Index, i+1)
			}
		}
		if len(steps) != tt.want || len(f.ranks()) != 1 || len(f.ranks()[0].Steps) != tt.want {
			t.Errorf("%+v: %d steps, ranks %+v", tt, len(steps), f.ranks())
		}
	}
	f, _ := told(t, map[string]string{"7.jsonl": note + training(2), "8.jsonl": training(9), processesFile: "{}\n"})
	if notes := f.allNotes(Plan{}); len(notes) != 1 || !strings.Contains(notes[0], "1 further process") {
		t.Errorf("notes are %q: what the trial said of itself is not about this run", notes)
	}
}

// TestNoRoom: where lines could not be written, nothing is said of what the program did not do.
func TestNoRoom(t *testing.T) {
	for _, lines := range []map[string]string{nil, {processesFile: "{}\n"}, {processesFile: "{}\n", "7.jsonl": rank(0, 1) + step("train", 1)}} {
		f, _ := told(t, lines)
		if err := f.noRoom(); err != nil {
			t.Errorf("nothing was lost: %v", err)
		}
		if err := os.Remove(filepath.Join(f.dir, roomFile)); err != nil {
			t.Fatal(err)
		}
		if notes := f.allNotes(Plan{Command: []string{"python"}}); !files.DiskFull(f.noRoom()) || !slices.Equal(notes, []string{f.noRoom().Error()}) {
			t.Errorf("%v: %q", lines, notes)
		}
	}
}

func TestCutLines(t *testing.T) {
	whole := rank(0, 1) + step("train", 1)
	f, steps := told(t, map[string]string{"7.jsonl": whole + `{"kind":"step","mode":"tr`, "8.jsonl": "not JSON\n\n", "other.txt": "x"})
	if len(steps) != 1 || len(f.ranks()) != 1 {
		t.Errorf("steps are %+v", steps)
	}
}

// FuzzLine: whatever stands in the files, a reader must not fall over it.
func FuzzLine(f *testing.F) {
	f.Add([]byte(step("train", 1)))
	f.Add([]byte(`{"kind":"facts","rank":0,"world":2,"loaders":[{"workers":2}],"gpus":[{"name":"x"}]}`))
	f.Add([]byte(`{"kind":"worker","id":1,"samples":3,"s":0.1}`))
	f.Add([]byte(`{"kind":"step","step":1,"s":"NaN","loss":"Infinity"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		fl := &follower{tellers: map[string]*teller{}, step: func(run.Step) error { return nil }, replace: func([]run.Step) error { return nil }}
		_ = fl.line("1.jsonl", line)
		fl.ranks()
		fl.workers()
		fl.allNotes(Plan{Command: []string{"python"}})
	})
}
