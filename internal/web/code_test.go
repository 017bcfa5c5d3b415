package web

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/finding"
	"saturate/internal/patch"
	"saturate/internal/report"
	"saturate/internal/run"
)

// TestCodeOfRun: the page shows the lines and the patch behind a Run, and reads code only below the folder that it may.
func TestCodeOfRun(t *testing.T) {
	project, runs := t.TempDir(), t.TempDir()
	source := "import torch\nloader = DataLoader(\n    data,\n)\n"
	if err := os.WriteFile(filepath.Join(project, "train.py"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	rec, err := run.Create(runs, "train", run.Options{Environment: run.Environment{Directory: project}})
	if err != nil {
		t.Fatal(err)
	}
	one, err := rec.Finish(0)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	scan := func(_ context.Context, dir string) (report.Report, error) {
		asked++
		at := strings.Index(source, "    data")
		return report.Report{Findings: []finding.Finding{{
			Code: "SAT201", Message: "batches are loaded in the training process", Where: &finding.Location{Path: "train.py", Line: 2, Column: 10, Start: 22, End: 32, Excerpt: "loader = DataLoader("},
			Fixes: []patch.Patch{{Title: "load in worker processes", Safety: patch.Safe, Edits: []patch.Edit{{Path: "train.py", Start: at, End: at, Text: "    num_workers=4,\n"}}}},
		}}}, nil
	}
	for _, c := range []struct {
		name, code string
		want       bool
	}{{"the folder itself", project, true}, {"a folder above", filepath.Dir(project), true}, {"another folder", runs, false}, {"no folder", "", false}} {
		s := testServer(t, Options{Folders: []string{runs}, Code: c.code, Scan: scan})
		asked = 0
		_, _, body := send(s, request(s, "GET", "/api/run/"+one.ID+"/code", "", openSession(t, s)...))
		var page codePage
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			t.Fatalf("%s: %v: %s", c.name, err, body)
		}
		if !c.want {
			if asked > 0 || len(page.Findings) > 0 || !strings.Contains(page.Note, project) {
				t.Errorf("%s: code was read, or nothing says why not: %s", c.name, body)
			}
			continue
		}
		if len(page.Findings) != 1 || !strings.Contains(page.Findings[0].Shown[0].Diff, "@@ -1,4 +1,5 @@\n import torch\n loader = DataLoader(\n+    num_workers=4,\n     data,\n )\n") || page.Findings[0].Source != "loader = DataLoader(" {
			t.Errorf("%s: %s", c.name, body)
		}
	}
}
