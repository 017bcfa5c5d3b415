package offline

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/project"
	"saturate/internal/rule"
)

// Images are decoded, and resized by the first transforms of a Compose, once: training sees the same pixels in the same
// order, from a dataset of the project's own and from torchvision's, with the code imported and in the project's tree.
func TestImagesAreDecodedOnce(t *testing.T) {
	for _, vendor := range []bool{false, true} {
		dir := copied(t, "testdata/images")
		before := copied(t, "testdata/images")
		r, refused := imagesOf(t, dir, Options{Vendor: vendor, Command: []string{"python", "train.py"}})
		if len(r.Findings) != 2 || len(refused) > 0 {
			t.Fatalf("settles %d findings, refused %v", len(r.Findings), refused)
		}
		if r.Once != "images decoded once, before training" || len(r.Kept) != 2 {
			t.Errorf("%q, kept %v", r.Once, r.Kept)
		}
		apply(t, r)
		data, err := os.ReadFile(filepath.Join(dir, "data.py"))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			`saturate_offline.kept("images", lambda: saturate_offline.first(self.transform, Image.open(path).convert("RGB")), path, saturate_offline.leading(self.transform))`,
			"image = saturate_offline.rest(self.transform)(image)",
		} {
			if !strings.Contains(string(data), want) {
				t.Errorf("missing: %s\n%s", want, data)
			}
		}
		const present = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torchvision') is None)"
		if python := os.Getenv("SATURATE_TEST_PYTHON"); python == "" || exec.Command(python, "-c", present).Run() != nil {
			t.Skip("SATURATE_TEST_PYTHON has no torchvision: nothing was trained")
		}
		script := r.Prepare[0].Words[1]
		runs := runAll(t, []program{
			{Dir: before, Argv: []string{"photos.py"}},
			{Dir: before, Argv: []string{"train.py"}},
			{Dir: before, Argv: []string{"train.py", "folder"}},
			{Dir: dir, Argv: []string{"photos.py"}},
			{Dir: dir, Argv: []string{script, "train.py"}},
			{Dir: dir, Argv: []string{script, "train.py", "folder"}},
			{Dir: dir, Argv: []string{"train.py"}},
			{Dir: dir, Argv: []string{"train.py", "folder"}},
		}, "torchvision")
		for i, run := range runs {
			if run.Code != 0 {
				t.Fatalf("run %d ended with %d:\n%s", i, run.Code, run.Output)
			}
		}
		if runs[1].Output != runs[6].Output || runs[2].Output != runs[7].Output || runs[1].Output == "" {
			t.Errorf("before\n%s%safter\n%s%s", runs[1].Output, runs[2].Output, runs[6].Output, runs[7].Output)
		}
		for i, place := range []string{"images", "images_2"} {
			entries := lines(t, filepath.Join(dir, "offline", place, "manifest.jsonl"))
			if len(entries) != 12 || !strings.Contains(runs[4+i].Output, "12 entries") {
				t.Errorf("%d entries of %s:\n%s", len(entries), place, runs[4+i].Output)
			}
			if !strings.Contains(entries[0], `"mode": "RGB"`) || !strings.Contains(entries[0], "64]") {
				t.Errorf("not resized: %s", entries[0])
			}
		}
	}
}

func imagesOf(t *testing.T, dir string, opt Options) (Repair, []Refusal) {
	t.Helper()
	p, err := project.Load(context.Background(), []string{dir}, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := rule.OnSource(context.Background(), p, rule.Selection{Select: []string{"SAT128"}})
	if err != nil {
		t.Fatal(err)
	}
	return Offline(p, found.Findings, opt)
}
