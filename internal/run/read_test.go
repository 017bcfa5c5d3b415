package run

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const wholeManifest = `{"schema":"saturate/run/1","id":"0b5c","name":"demo","state":"complete","started":"2026-03-04T05:06:07Z","wall_s":1,"step_count":2,"environment":{"machine":{"os":"x","arch":"y","cores":1,"usable_cores":1}}}`

const twoSteps = "{\"step\":0,\"s\":0.5}\n{\"step\":1,\"s\":0.25}\n"

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReadDamaged(t *testing.T) {
	for _, test := range []struct {
		name     string
		manifest string // "-" means that there is none
		steps    string
		state    State
		count    int
		note     string // "" means that there is none
	}{
		{"whole", wholeManifest, twoSteps, Complete, 2, ""},
		{"no manifest", "-", twoSteps, Damaged, 2, "run.json is missing"},
		{"empty manifest", "", "-", Damaged, 0, "run.json is damaged"},
		{"half a manifest", wholeManifest[:100], twoSteps, Damaged, 2, "run.json is damaged"},
		{"two manifests", wholeManifest + wholeManifest, twoSteps, Damaged, 2, "run.json is damaged"},
		{"not JSON", "\x00\x01\xff", twoSteps, Damaged, 2, "run.json is damaged"},
		{"null", "null", "", Damaged, 0, "not written by saturate"},
		{"a list", "[]", "", Damaged, 0, "run.json is damaged"},
		{"foreign", `{"name":"tensorboard","schema":7}`, "", Damaged, 0, "run.json is damaged"},
		{"foreign schema", `{"schema":"other/1"}`, "", Damaged, 0, `its schema is "other/1"`},
		{"newer", strings.Replace(wholeManifest, "run/1", "run/2", 1), twoSteps, Damaged, 2, "this version reads saturate/run/1"},
		{"unknown state", strings.Replace(wholeManifest, "complete", "done", 1), twoSteps, Damaged, 2, `unknown state "done"`},
		{"running", strings.Replace(wholeManifest, "complete", "running", 1), twoSteps, Killed, 2, "it was killed"},
		{"bad date", strings.Replace(wholeManifest, "2026-03-04T05:06:07Z", "yesterday", 1), twoSteps, Damaged, 2, "run.json is damaged"},
		{"steps missing", wholeManifest, "-", Damaged, 0, "cannot read steps.jsonl"},
		{"a step too few", wholeManifest, twoSteps[:20], Damaged, 1, "has 1 step, but 2 were recorded"},
		{"half a last line", strings.Replace(wholeManifest, "complete", "running", 1), twoSteps + `{"step":2,"s":0.`, Killed, 2, "steps.jsonl: skipped line 3: it is truncated"},
		{"a last line without newline", wholeManifest, strings.TrimSuffix(twoSteps, "\n"), Complete, 2, ""},
		{"rubbish between", wholeManifest, "{\"step\":0,\"s\":0.5}\nEpoch 1\n{\"step\":1,\"s\":0.25}\n", Complete, 2, "steps.jsonl: skipped line 2"},
		{"outside artefact", strings.Replace(wholeManifest, `"name"`, `"artefacts":[{"path":"../../secret","kind":"log"}],"name"`, 1), twoSteps, Complete, 2, "is outside"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "demo_2026-03-04_00000000", "0b5c")
			files := map[string]string{"other.txt": ""}
			if test.manifest != "-" {
				files[manifestName] = test.manifest
			}
			if test.steps != "-" {
				files[stepsName] = test.steps
			}
			writeFiles(t, dir, files)
			r, err := Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			notes := strings.Join(r.Notes, "\n")
			if r.State != test.state || len(r.Steps) != test.count || !strings.Contains(notes, test.note) || (test.note == "") != (notes == "") {
				t.Errorf("state %s, %d steps, notes %q; want %s, %d, %q", r.State, len(r.Steps), notes, test.state, test.count, test.note)
			}
			if r.ID != "0b5c" || r.Name == "" || r.Dir != dir || len(r.Artefacts) != 0 {
				t.Errorf("id %q, name %q, folder %q, artefacts %v", r.ID, r.Name, r.Dir, r.Artefacts)
			}
		})
	}
}

func TestReadNothing(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	if _, err := Read(missing); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("%v", err)
	}
	writeFiles(t, filepath.Dir(missing), map[string]string{"file": ""})
	if _, err := Read(filepath.Join(filepath.Dir(missing), "file")); err == nil || !strings.Contains(err.Error(), "not a run's folder") {
		t.Errorf("%v", err)
	}
}

func TestList(t *testing.T) {
	root := t.TempDir()
	older := strings.NewReplacer("0b5c", "older", "05:06:07", "01:00:00").Replace(wholeManifest)
	writeFiles(t, root, map[string]string{
		"demo_2026-03-04_00000000/0b5c/run.json":     wholeManifest,
		"demo_2026-03-04_00000000/older/run.json":    older,
		"demo_2026-03-04_00000000/half/run.json":     wholeManifest[:50],
		"demo_2026-03-04_00000000/.new/run.json":     "half",
		"Oct03_host/events.out.tfevents.1":           "foreign",
		"plain_2026-03-04_00000000/run.json":         strings.ReplaceAll(wholeManifest, "0b5c", "flat"),
		"README":                                     "a file is not a run",
		"demo_2026-03-04_00000000/noise/nothing.txt": "",
	})
	if err := os.Mkdir(filepath.Join(root, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "nowhere"), filepath.Join(root, "dangling")); err != nil {
		t.Fatal(err)
	}
	runs, err := List(root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range runs {
		line := r.ID + " " + string(r.State)
		if r.State == Damaged && len(r.Notes) == 0 {
			line += " without a note"
		}
		got = append(got, line)
	}
	const want = "0b5c complete, flat complete, older complete, Oct03_host damaged, half damaged, noise damaged"
	if strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}

	if runs, err := List(filepath.Join(root, "missing")); err != nil || len(runs) != 0 {
		t.Errorf("a missing root: %v, %v", runs, err)
	}
	if _, err := List(filepath.Join(root, "README")); err == nil {
		t.Error("a file as root: no error")
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	manifest := func(id, name, hour string) string {
		return strings.NewReplacer("0b5c", id, "demo", name, "05:06:07", hour+":00:00", `"step_count":2`, `"step_count":0`).Replace(wholeManifest)
	}
	writeFiles(t, root, map[string]string{
		"demo_2026-03-04_00000000/aaaa1111/run.json":  manifest("aaaa1111", "demo", "01"),
		"demo_2026-03-04_00000000/aaaa2222/run.json":  manifest("aaaa2222", "demo", "03"),
		"train_2026-03-04_00000000/bbbb3333/run.json": manifest("bbbb3333", "train", "02"),
		"train_2026-03-04_00000000/cccc4444/run.json": "half",
	})
	wd := t.TempDir()
	t.Chdir(wd)
	writeFiles(t, ".", map[string]string{"train/model.py": ""}) // the project's own folder of that name
	for _, test := range []struct{ selector, want string }{
		{"latest", "aaaa2222"},
		{"demo", "aaaa2222"},
		{"train", "bbbb3333"},
		{"aaaa1111", "aaaa1111"},
		{"aaaa1", "aaaa1111"},
		{"BBBB", "bbbb3333"},
		{"cccc", "cccc4444"},
		{"demo_2026-03-04_00000000", "aaaa2222"},
		{filepath.Join(root, "demo_2026-03-04_00000000"), "aaaa2222"},
		{filepath.Join(root, "demo_2026-03-04_00000000", "aaaa1111"), "aaaa1111"},
		{filepath.Join(root, "demo_2026-03-04_00000000", "aaaa1111", "run.json"), "aaaa1111"},
	} {
		if r, err := Find(root, test.selector); err != nil || r.ID != test.want {
			t.Errorf("%s: %s, %v; want %s", test.selector, r.ID, err, test.want)
		}
	}
	for _, test := range []struct{ root, selector, want string }{
		{root, "", "no run given"},
		{root, "aaaa", "2 runs in"},
		{root, "nothing", "it has demo, train"},
		{root, "b", "no run in"},
		{root, t.TempDir(), "is not a run: it has no run.json"},
		{root, ".." + string(filepath.Separator) + filepath.Base(wd), "is not a run: it has no run.json"},
		{root, "." + string(filepath.Separator) + "train", "./train is not a run"},
		{filepath.Join(root, "missing"), "latest", "no runs in"},
		{filepath.Join(root, "missing"), "demo", "it has no runs yet"},
	} {
		if _, err := Find(test.root, test.selector); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.selector, err, test.want)
		}
	}
}

// A killed program leaves a Run that can be read as far as it came.
// TestSeenOnlyOnceTaken: whoever looks while a Run begins never takes it for killed, nor makes it look so to others.
func TestSeenOnlyOnceTaken(t *testing.T) {
	root := t.TempDir()
	stop, looked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looked)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if r, err := Find(root, "latest"); err == nil && r.State == Killed {
				t.Errorf("%s looks killed as it begins", r.Name)
				return
			}
		}
	}()
	for i := range 100 {
		recorder, err := Create(root, fmt.Sprint("r", i), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := Read(recorder.Dir()); err != nil || r.State != Running {
			t.Fatalf("%s once it has begun: %v", r.State, err)
		}
		if _, err := recorder.Finish(0); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	<-looked
}

func TestKilled(t *testing.T) {
	if root := os.Getenv("RUN_TEST_RECORD"); root != "" {
		recorder, err := Create(root, "killed", Options{})
		for i := 0; err == nil; i++ {
			err = recorder.Step(Step{Index: i, Seconds: 0.001})
		}
		t.Fatal(err)
	}
	root := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	child.Env = append(os.Environ(), "RUN_TEST_RECORD="+root)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if r, err := Find(root, "latest"); err == nil && len(r.Steps) > 50 {
			if r.State != Running {
				t.Errorf("%s while it runs", r.State)
			}
			break
		} else if time.Now().After(deadline) {
			t.Errorf("no steps came: %v", err)
			break
		}
	}
	child.Process.Kill()
	child.Wait()
	r, err := Find(root, "latest")
	if err != nil || r.State != Killed || len(r.Steps) <= 50 || r.Steps[50].Index != 50 {
		t.Errorf("%s with %d steps, %v, %v", r.State, len(r.Steps), r.Notes, err)
	}
}
