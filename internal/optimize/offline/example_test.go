package offline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The example, as it is and repaired, in turn: the same losses to the last bit, and how long a step waits for data.
func TestExampleWaitsLess(t *testing.T) {
	if os.Getenv("SATURATE_ACCEPT") == "" {
		t.Skip("SATURATE_ACCEPT is not set: this trains the example five times")
	}
	wait, err := filepath.Abs("../../../examples/data_wait.py")
	if err != nil {
		t.Fatal(err)
	}
	before := copied(t, "../../../examples/whisper-tts")
	after := copied(t, before)
	r, refused := repaired(t, after, "python", "train.py", "--size", "tiny")
	if len(refused) > 0 || len(r.Findings) < 2 {
		t.Fatalf("settled %d findings, refused %v", len(r.Findings), refused)
	}
	apply(t, r)
	programs := []program{{Dir: after, Argv: r.Prepare[0].Words[1:]}}
	for range 2 {
		for _, dir := range []string{before, after} {
			programs = append(programs, program{Dir: dir, Argv: []string{wait, "train.py", "--size", "tiny", "--log-steps", "steps.jsonl"}})
		}
	}
	for i, run := range runAll(t, programs) {
		if run.Code != 0 {
			t.Fatalf("%v ended with %d:\n%s", programs[i].Argv, run.Code, run.Output)
		}
		if i > 0 {
			out := strings.Split(strings.TrimSpace(run.Output), "\n")
			t.Logf("%s: %s", map[bool]string{true: "before", false: "after "}[programs[i].Dir == before], out[len(out)-1])
		}
	}
	losses := func(dir string) string {
		var list []string
		for _, line := range lines(t, filepath.Join(dir, "steps.jsonl")) {
			list = append(list, line[strings.Index(line, `"loss"`):])
		}
		return strings.Join(list, "\n")
	}
	if losses(before) != losses(after) {
		t.Error("the losses differ")
	}
}
