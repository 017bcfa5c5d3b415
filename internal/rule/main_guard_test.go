package rule

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A script that starts workers needs a main guard where processes are spawned. A notebook has none to write.
func TestMainGuardOfWorkers(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("testdata", "num-workers-zero", "script", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	cell := `{"cells": [{"cell_type": "code", "source": ["from torch.utils.data import DataLoader\n", "from clips import Clips\n", "from loop import fit\n",` +
		`"train_loader = DataLoader(Clips('train'), batch_size=16)\n", "fit(train_loader, None)"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`
	for name, tt := range map[string]struct {
		text  string
		guard bool
	}{"main.py": {read("main.py"), true}, "main.ipynb": {cell, false}} {
		r := scan(t, Selection{Select: []string{"SAT201"}}, map[string]string{name: tt.text, "clips.py": read("clips.py"), "loop.py": read("loop.py")})
		if len(r.Findings) != 1 || len(r.Findings[0].Fixes) == 0 {
			t.Fatalf("%s: %+v", name, r.Findings)
		}
		if title := r.Findings[0].Fixes[0].Title; strings.Contains(title, "main guard") != tt.guard {
			t.Errorf("%s: %s", name, title)
		}
	}
}
