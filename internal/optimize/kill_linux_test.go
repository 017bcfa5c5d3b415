package optimize

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"saturate/internal/probe"
	"saturate/internal/run"
	"saturate/internal/verify"
)

// TestKilledAtRandom kills the protocol at random moments. The same call goes on each time, comes to the end that an
// undisturbed one comes to, and leaves nothing but its state folder, which holds what an undisturbed one holds.
func TestKilledAtRandom(t *testing.T) {
	if dir := os.Getenv("SATURATE_KILLED"); dir != "" {
		protocolIn(t, dir)
		return
	}
	rounds, kills := 1, 4
	if os.Getenv("SATURATE_ACCEPT") != "" {
		rounds = 20
	}
	begin := func(dir string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestKilledAtRandom$")
		cmd.Env = append(os.Environ(), "SATURATE_KILLED="+dir)
		return cmd
	}
	whole := newProject(t)
	began := time.Now()
	if out, err := begin(whole).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lasts := time.Since(began)
	random := rand.New(rand.NewPCG(20, 26))
	met := 0
	for range rounds {
		killed := newProject(t)
		before := listing(t, killed, true)
		for i := range kills {
			cmd := begin(killed)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(random.Int64N(int64(lasts/2))) >> (2 * (i % 2))) // the machine may be quicker by now
			_ = cmd.Process.Kill()
			if cmd.Wait() != nil {
				met++
			}
			if after := listing(t, killed, true); !maps.Equal(before, after) {
				t.Fatalf("the user's folder was %v and is %v", before, after)
			}
		}
		if out, err := begin(killed).CombinedOutput(); err != nil {
			t.Fatalf("it does not go on: %v: %s", err, out)
		}
		sameEnd(t, killed, whole)
	}
	t.Logf("%d of %d kills met it within %v", met, rounds*kills, lasts)
	if met == 0 {
		t.Error("no kill met it")
	}
}

// sameEnd compares what a killed protocol came to with what an undisturbed one did.
func sameEnd(t *testing.T, killed, whole string) {
	t.Helper()
	for _, name := range []string{"diff", "decisions"} {
		want, err := os.ReadFile(filepath.Join(whole, name))
		got, failed := os.ReadFile(filepath.Join(killed, name))
		if err = errors.Join(err, failed); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v, is\n%s\nwant\n%s", name, err, got, want)
		}
	}
	left, wanted := listing(t, killed, false), listing(t, whole, false)
	for name := range left {
		_, ok := wanted[name]
		// How many pairs a rung takes depends on what was drawn.
		if pairs := strings.Contains(name, "/blocks/") || strings.Contains(name, "/runs/"); !ok && !pairs || strings.HasSuffix(name, "-tmp") {
			t.Errorf("left lying: %s", name)
		}
	}
	for name := range wanted {
		if _, ok := left[name]; !ok && !strings.Contains(name, "/blocks/") && !strings.Contains(name, "/runs/") {
			t.Errorf("missing: %s", name)
		}
	}
}

// newProject makes a folder with a project in it, and a place for the state beside that.
func newProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "job"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"train.py": slowProgram, "data.py": clips, "notes.txt": "mine\n"} {
		if err := os.WriteFile(filepath.Join(dir, "job", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// protocolIn runs the protocol as the killed process does.
func protocolIn(t *testing.T, dir string) {
	w := newWorld(1, effect{shows: "num_workers", seconds: 0.5, loss: 1}, effect{shows: "fused=True", seconds: 0.8, loss: 1}, effect{shows: ".compile(", crash: true})
	result, err := Run(t.Context(), Options{
		Dir: filepath.Join(dir, "job"), Command: []string{"python", "train.py"}, State: filepath.Join(dir, "state"), Steps: 30,
		Profile: w.profile, Prepare: func(context.Context, probe.Home, []string) error { return nil },
		Execute: func(ctx context.Context, trial verify.Trial) (run.Run, error) {
			// What a program leaves in its copy.
			if err := os.WriteFile(filepath.Join(trial.Dir, "checkpoint.pt"), []byte("1"), 0o644); err != nil {
				return run.Run{}, err
			}
			time.Sleep(time.Millisecond)
			return w.execute(ctx, trial)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	decided, err := json.Marshal(decisions(result))
	for name, data := range map[string][]byte{"diff": []byte(result.Diff), "decisions": decided} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// listing is what there is in the project's folder and beside it, or in the state folder: names, and contents with
// times for the user's.
func listing(t *testing.T, dir string, users bool) map[string]string {
	t.Helper()
	list := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if inState := name == "state" || strings.HasPrefix(name, "state/"); inState == users {
			if inState {
				return fs.SkipDir
			}
			return nil
		}
		if !users || d.IsDir() || name == "diff" || name == "decisions" {
			list[name] = ""
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		list[name] = info.ModTime().String() + info.Mode().String() + string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(list, "diff")
	delete(list, "decisions")
	return list
}
