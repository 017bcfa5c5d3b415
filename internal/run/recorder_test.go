package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"saturate/internal/stat"
)

// testClock is a clock that stands still until it is told.
type testClock struct {
	date    time.Time
	elapsed time.Duration
}

func newTestClock() *testClock {
	return &testClock{date: time.Date(2026, 3, 4, 23, 59, 0, 0, time.UTC)}
}

func (c *testClock) clock() Clock {
	return Clock{Now: func() time.Time { return c.date }, Elapsed: func() time.Duration { return c.elapsed }}
}

func (c *testClock) pass(d time.Duration) {
	c.date = c.date.Add(d)
	c.elapsed += d
}

// sameNumbers takes NaN for equal to itself.
var sameNumbers = cmp.Options{
	cmp.Comparer(func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }),
	cmp.Comparer(func(a, b Number) bool { return a == b || math.IsNaN(float64(a)) && math.IsNaN(float64(b)) }),
}

func number(f float64) *Number { n := Number(f); return &n }

func TestRecordAndRead(t *testing.T) {
	root, clock := t.TempDir(), newTestClock()
	env := Environment{
		Machine:   Machine{OS: "test", Arch: "amd64", Cores: 4},
		GPUs:      []GPU{{Name: "H200", Backend: "cuda", Driver: "570.1", MemoryBytes: 141 << 30}},
		Versions:  map[string]string{"torch": "2.15.0"},
		Git:       &Git{Commit: "abc", Dirty: true},
		Variables: map[string]string{"OMP_NUM_THREADS": "2"},
		Changes:   []byte("diff --git a b\n"),
	}
	recorder, err := Create(root, "whisper tts/ü", Options{Command: []string{"python", "train.py", "--hf-token", "hf_secret"}, Environment: env, Clock: clock.clock()})
	if err != nil {
		t.Fatal(err)
	}
	relative, _ := filepath.Rel(root, recorder.Dir())
	if pattern := `^whisper-tts_2026-03-04_[0-9a-f]{8}/[0-9a-f-]{36}$`; !regexp.MustCompile(pattern).MatchString(filepath.ToSlash(relative)) {
		t.Errorf("the folder is %s, want %s", relative, pattern)
	}

	running, err := Read(recorder.Dir())
	if err != nil || running.State != Running || len(running.Notes) != 1 || !strings.Contains(running.Notes[0], "still running") {
		t.Errorf("while it runs: %+v, %v", running, err)
	}

	steps := []Step{
		{Index: 0, Seconds: 2.5, Loss: number(3.25), Tags: []string{"warmup"}},
		{Index: 1, Seconds: 0.5, Samples: 16, Loss: number(math.NaN()), Parts: []Part{{"data", 0.3}, {"forward", 0.1}}},
		{Index: 2, Seconds: math.NaN(), Parts: []Part{{"data", math.Inf(1)}}},
	}
	for _, s := range steps {
		clock.pass(2 * time.Second)
		if err := recorder.Step(s); err != nil {
			t.Fatal(err)
		}
	}
	recorder.Add(stat.Series{Name: "gap", Unit: "s", Values: []float64{1, math.NaN()}})
	recorder.Note("step %d was slow", 1)
	if err := recorder.Save("logs/out.txt", "log", []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(recorder.Dir(), "trace.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Keep("trace.json", "trace"); err != nil {
		t.Fatal(err)
	}
	clock.pass(500 * time.Millisecond)
	got, err := recorder.Finish(0)
	if err != nil {
		t.Fatal(err)
	}

	zero := 0
	env.Changes = nil // they are an artefact now
	want := Run{
		Schema: Schema, ID: recorder.run.ID, Name: "whisper tts/ü", State: Complete,
		Command: []string{"python", "train.py", "--hf-token", "(masked)"},
		Started: time.Date(2026, 3, 4, 23, 59, 0, 0, time.UTC), WallSeconds: 6.5, ExitCode: &zero, Environment: env, StepCount: 3,
		Series:    []stat.Series{{Name: "gap", Unit: "s", Values: []float64{1, math.NaN()}}},
		Artefacts: []Artefact{{"changes.diff", "changes"}, {"logs/out.txt", "log"}, {"trace.json", "trace"}},
		Notes:     []string{"step 1 was slow"},
		Dir:       recorder.Dir(), Steps: steps,
	}
	if diff := cmp.Diff(want, got, sameNumbers); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
	if left, err := filepath.Glob(filepath.Join(recorder.Dir(), ".*")); err != nil || len(left) != 0 {
		t.Errorf("temporary files are left: %v", left)
	}
	changes, err := os.ReadFile(filepath.Join(recorder.Dir(), "changes.diff"))
	if err != nil || string(changes) != "diff --git a b\n" {
		t.Errorf("changes.diff: %q, %v", changes, err)
	}

	if err := recorder.Step(Step{Index: 9, Seconds: 1}); err == nil || !strings.Contains(err.Error(), "cannot add step 9") {
		t.Errorf("a step after the end: %v", err)
	}
	if _, err := recorder.Finish(0); err == nil {
		t.Error("finished twice")
	}
}

func TestFinishWithFailure(t *testing.T) {
	recorder, err := Create(t.TempDir(), "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := recorder.Finish(137)
	if err != nil || got.State != Failed || *got.ExitCode != 137 || got.Name != "run" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestReplaceSteps(t *testing.T) {
	recorder, err := Create(t.TempDir(), "x", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if err := recorder.Step(Step{Index: i + 1, Seconds: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := recorder.Replace([]Step{{Index: 1, Seconds: 2}}); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Step(Step{Index: 2, Seconds: 2}); err != nil {
		t.Fatal(err)
	}
	got, err := recorder.Finish(0)
	if err != nil || got.StepCount != 2 || len(got.Steps) != 2 || got.Steps[0].Seconds != 2 || got.Steps[1].Index != 2 {
		t.Errorf("%d steps are told, %+v are read (%v)", got.StepCount, got.Steps, err)
	}
	if recorder.Replace(nil) == nil {
		t.Error("a finished run got other steps")
	}
}

func TestDiscard(t *testing.T) {
	root := t.TempDir()
	var recorders []*Recorder
	for range 2 {
		recorder, err := Create(root, "x", Options{})
		if err != nil {
			t.Fatal(err)
		}
		recorders = append(recorders, recorder)
	}
	for i, want := range []int{1, 0} {
		recorders[i].Discard()
		if left, _ := filepath.Glob(filepath.Join(root, "*", "*")); len(left) != want {
			t.Errorf("%v are left, want %d runs", left, want)
		}
	}
	if left, _ := os.ReadDir(root); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// The folder's hash tells experiments apart, and nothing else does.
func TestHash(t *testing.T) {
	folder := func(opt Options) string {
		opt.Clock = newTestClock().clock()
		recorder, err := Create(t.TempDir(), "x", opt)
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Base(filepath.Dir(recorder.Dir()))
	}
	base := Options{Command: []string{"python", "train.py"}, Config: []byte("a"), Environment: Environment{Git: &Git{Commit: "1"}}}
	command, config, commit, machine := base, base, base, base
	command.Command = []string{"python", "train.py", "--fast"}
	config.Config = []byte("b")
	commit.Environment = Environment{Git: &Git{Commit: "2"}}
	machine.Environment.Machine.CPU = "another"
	want := folder(base)
	for name, same := range map[string]Options{"run": base, "machine": machine} {
		if folder(same) != want {
			t.Errorf("another %s of the same experiment has another folder", name)
		}
	}
	for name, other := range map[string]Options{"command": command, "config": config, "commit": commit} {
		if folder(other) == want {
			t.Errorf("another %s has the same folder", name)
		}
	}
}

func TestClockJumps(t *testing.T) {
	clock := newTestClock()
	recorder, err := Create(t.TempDir(), "x", Options{Clock: clock.clock()})
	if err != nil {
		t.Fatal(err)
	}
	step := func(i int) {
		clock.pass(time.Second)
		if err := recorder.Step(Step{Index: i, Seconds: 1}); err != nil {
			t.Fatal(err)
		}
	}
	step(0)
	clock.date = clock.date.Add(-time.Hour)
	step(1)
	step(2)
	clock.date = clock.date.Add(10 * time.Minute)
	got, err := recorder.Finish(0)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"the clock was set back by 1h0m0s; durations do not depend on it (before step 1 ended)",
		"the clock was set forward by 10m0s, or the machine slept; durations do not depend on it (after the last step)",
	}
	if diff := cmp.Diff(want, got.Notes); diff != "" || got.WallSeconds != 3 {
		t.Errorf("%g s; %s", got.WallSeconds, diff)
	}
}

func TestSystemClock(t *testing.T) {
	clock := systemClock()
	watch := startWatch(clock)
	if jump := watch.jump(); jump != "" {
		t.Error(jump)
	}
	if now := clock.Now(); strings.Contains(now.String(), "m=") {
		t.Errorf("%v carries a monotonic reading", now)
	}
}

func TestCreateFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Create(filepath.Join(file, "runs"), "x", Options{})
	if err == nil || !strings.Contains(err.Error(), "cannot start a run in "+file) || !strings.Contains(err.Error(), "SATURATE_RUNS") {
		t.Errorf("%v", err)
	}
}

func TestArtefactsStayInside(t *testing.T) {
	recorder, err := Create(t.TempDir(), "x", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../x", "/etc/passwd", "a/../../x", ""} {
		if err := recorder.Save(path, "log", nil); err == nil {
			t.Errorf("%q was saved", path)
		}
		if err := recorder.Keep(path, "log"); err == nil {
			t.Errorf("%q was kept", path)
		}
	}
	if err := recorder.Keep("missing.json", "trace"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	for range 2 { // saved twice, listed once
		if err := recorder.Save("a.txt", "log", []byte("a")); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := recorder.Finish(0); err != nil || len(got.Artefacts) != 1 {
		t.Errorf("%v, %v", got.Artefacts, err)
	}
}

func TestNotesAreBounded(t *testing.T) {
	recorder, err := Create(t.TempDir(), "x", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		recorder.Note("%d", i)
	}
	if got, err := recorder.Finish(0); err != nil || len(got.Notes) != mostNotes+1 {
		t.Errorf("%d notes, %v", len(got.Notes), err)
	}
}

// A reader that looks all the time never sees anything but a whole Run.
func TestReaderNeverSeesHalf(t *testing.T) {
	root := t.TempDir()
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				runs, err := List(root)
				if err != nil {
					t.Error(err)
					return
				}
				for _, r := range runs {
					if r, err = Read(r.Dir); err != nil || r.State == Damaged {
						t.Errorf("%+v, %v", r, err)
						return
					}
				}
			}
		})
	}
	for range 12 {
		recorder, err := Create(root, "x", Options{Environment: Environment{Variables: map[string]string{"PADDING": strings.Repeat("x", 100_000)}}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			if err := recorder.Step(Step{Index: i, Seconds: 1}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := recorder.Finish(0); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	readers.Wait()
}

func TestRunWriteBenchmark(t *testing.T) {
	r := Run{Environment: Environment{Machine: Machine{CPU: "c"}, GPUs: []GPU{{Name: "g"}}}, Series: []stat.Series{{Name: "gap", Unit: "s", Values: []float64{3}}}}
	for i := range 3 {
		r.Steps = append(r.Steps, Step{Index: i, Seconds: 0.5, Samples: 8})
	}
	var out bytes.Buffer
	if err := r.WriteBenchmark(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"cpu: c\n", "gpu: g\n", "\nBenchmarkStep 1 0.5 sec/it\n", "\nBenchmarkSpeed 1 16 samples/s\n", "\nBenchmarkGap 1 3 sec\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}

func TestManifestHasSchemaFirst(t *testing.T) {
	data, err := json.Marshal(Run{Schema: Schema})
	if err != nil || !strings.HasPrefix(string(data), `{"schema":"saturate/run/1",`) {
		t.Errorf("%s, %v", data, err)
	}
}
