package instrument

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"saturate/internal/trace"
	"saturate/internal/trace/open"
)

var (
	all       = []string{"DataLoading", "Forward", "Backward", "Optimizer"}
	programs  = []string{"epochs.py", "function.py", "short.py", "no_newline.py", "crlf.py", "accelerated.py", "hf_trainer.py", "hf_at_once.py", "lightning_trainer.py", "lightning_at_once.py"}
	kindsOf   = map[string]string{"hf_trainer.py": "transformers", "hf_at_once.py": "transformers", "lightning_trainer.py": "lightning", "lightning_at_once.py": "lightning"}
	stepsOf   = map[string]int{"short.py": 2, "no_newline.py": 2} // of four steps two are warm-up
	allRanges = 8                                                 // of ten steps two are warm-up
)

func written(t *testing.T, path string) Result {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Write(context.Background(), path, text)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return result
}

// copies puts the programs into a folder of their own.
func copies(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range programs {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, name+".d"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".d", name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTwiceIsOnceAndRemoveIsWhole(t *testing.T) {
	dir := copies(t)
	for _, name := range programs {
		path := filepath.Join(dir, name+".d", name)
		before, _ := os.ReadFile(path)
		once := written(t, path)
		kind := kindsOf[name]
		if kind == "" {
			kind = "loop"
		}
		if once.Kind != kind || !slices.Equal(sorted(once.Ranges), sorted(all)) || len(once.Notes) > 0 {
			t.Errorf("%s: %s %v %v", name, once.Kind, once.Ranges, once.Notes)
		}
		has := func(text []byte) bool { return !bytes.Equal(Remove(text), text) }
		if !has(once.Text) || has(before) {
			t.Errorf("%s: Has is wrong", name)
		}
		twice, err := Write(context.Background(), path, once.Text)
		if err != nil || !bytes.Equal(once.Text, twice.Text) {
			t.Errorf("%s: twice is not once: %v", name, err)
		}
		if back := Remove(once.Text); !bytes.Equal(back, before) {
			t.Errorf("%s: not as it was:\n%q\nwas\n%q", name, back, before)
		}
		// The user edits lines of their own: the same edits are left when the measuring goes.
		for _, edit := range []func([]byte) []byte{
			func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("torch.randn"), []byte("torch.rand")) },
			func(b []byte) []byte { return append([]byte("# mine\n"), b...) },
			func(b []byte) []byte {
				return bytes.Replace(b, []byte("import torch"), []byte("import os\nimport torch"), 1)
			},
		} {
			if kindsOf[name] == "transformers" || name == "crlf.py" {
				continue
			}
			edited := edit(before)
			if got := Remove(edit(once.Text)); !bytes.Equal(got, edited) && bytes.Count(edit(once.Text), []byte("import os")) < 2 {
				t.Errorf("%s: the user's edit is not kept:\n%s", name, got)
			}
		}
	}
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":   {"print(1)\n", "no transformers or Lightning trainer found"},
		"broken":    {"import torch\nfor x in y\n    pass\n", "is not valid Python"},
		"one line":  {"import torch\nm = torch.nn.Linear(1, 1)\no = torch.optim.SGD(m.parameters(), lr=1)\nfor x in []: l = m(x).mean(); l.backward(); o.step()\n", "not marked"},
		"Latin-1":   {"# -*- coding: latin-1 -*-\nx = '\xe4'\n", "not UTF-8"},
		"elsewhere": {"import torch\n\n\ndef step(model, x, optimizer):\n    loss = model(x).mean()\n    loss.backward()\n    optimizer.step()\n", ""},
	} {
		path := filepath.Join(t.TempDir(), "train.py")
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		result, err := Write(context.Background(), path, []byte(c.text))
		said := strings.Join(result.Notes, " ")
		if err != nil {
			said += err.Error()
		}
		if !strings.Contains(said, c.want) || said == "" {
			t.Errorf("%s: %q", name, said)
		}
	}
}

// TestRun runs every instrumented program on the CPU, in one Python, and looks for the ranges in the traces.
func TestRun(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set")
	}
	dir := copies(t)
	for _, name := range programs {
		path := filepath.Join(dir, name+".d", name)
		if err := os.WriteFile(path, written(t, path).Text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	driver := `
import json, os, runpy, sys, importlib.util
told = {}
for name in json.loads(sys.argv[1]):
    wants = {"accelerated.py": "accelerate", "hf_trainer.py": "transformers", "hf_at_once.py": "transformers",
             "lightning_trainer.py": "lightning", "lightning_at_once.py": "lightning"}.get(name, "torch")
    if importlib.util.find_spec(wants) is None:
        told[name] = "skip " + wants
        continue
    os.chdir(os.path.join(sys.argv[2], name + ".d"))
    sys.argv[0] = name
    scope = runpy.run_path(name, run_name="__main__")
    scope["_saturate"].finish()
    told[name] = "ok"
print("\n" + json.dumps(told))
`
	names, _ := json.Marshal(programs)
	cmd := exec.Command(python, "-c", driver, string(names), dir)
	cmd.Env = append(os.Environ(), "CUDA_VISIBLE_DEVICES=", "HF_HUB_OFFLINE=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var told map[string]string
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &told); err != nil {
		t.Fatal(err)
	}
	for _, name := range programs {
		if lack, skipped := strings.CutPrefix(told[name], "skip "); skipped {
			t.Logf("%s is not run: there is no %s", name, lack)
			continue
		}
		files, _ := filepath.Glob(filepath.Join(dir, name+".d", "log", "*.pt.trace.json"))
		if len(files) != 1 {
			t.Errorf("%s left %v", name, files)
			continue
		}
		found := rangesIn(t, files[0])
		want := allRanges
		if n, ok := stepsOf[name]; ok {
			want = n
		}
		for _, r := range all {
			// Of a batch that is passed over, or steps that accumulate, some ranges have fewer.
			if n := found[r]; n < want/2 || n > want+1 {
				t.Errorf("%s: %s is in the trace %d times, want about %d (%v)", name, r, n, want, found)
			}
		}
	}
}

func rangesIn(t *testing.T, path string) map[string]int {
	t.Helper()
	traces, err := open.Read(context.Background(), []string{path}, open.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tr, found := traces[0], map[string]int{}
	for id := range tr.OfKind(trace.Annotation) {
		found[tr.Name(id)]++
	}
	return found
}
