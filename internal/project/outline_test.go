package project

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestOutlines: of a large project, what training reaches is read in full, over re-exports and attributes of modules;
// the rest is counted and let go.
func TestOutlines(t *testing.T) {
	dir := t.TempDir()
	sources := map[string]string{
		"train.py":            "import pkg.tools as tools\nfrom pkg import Net\nfrom parts.blocks import Block\nloss = Net()(tools.read())\nfor x in y:\n    loss.backward()\n",
		"pkg/__init__.py":     "from .models import *\nfrom .unused import other\n",
		"pkg/models.py":       "try:\n    from .net import Net\nexcept ImportError:\n    Net = None\n",
		"pkg/net.py":          "from .layer import Layer\nclass Net(Layer):\n    def forward(self, x):\n        return x\n",
		"pkg/layer.py":        "class Layer:\n    def __call__(self, x):\n        return x\n",
		"pkg/tools.py":        "from . import deep\ndef read():\n    return deep.load()\n",
		"pkg/deep.py":         "def load():\n    return open('x')\n",
		"lib/parts/blocks.py": "class Block:\n    pass\n",
		"old/parts/blocks.py": "class Other:\n    pass\n",
		"pkg/unused.py":       "def other():\n    return 1\n",
		"pkg/broken.py":       "def f(:\n",
		"tests/test_it.py":    "def test():\n    loss.backward()\n",
	}
	for i := range mostInFull {
		sources[fmt.Sprintf("filler/m%d.py", i)] = "def f():\n    return 1\n"
	}
	lines := 0
	for name, text := range sources {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, c := range text {
			if c == '\n' {
				lines++
			}
		}
	}
	p, err := Load(context.Background(), []string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var full []string
	for _, m := range p.Modules {
		if !m.Outline {
			full = append(full, filepath.ToSlash(p.relative(m.Path)))
		}
	}
	want := []string{"lib/parts/blocks.py", "pkg/broken.py", "pkg/deep.py", "pkg/layer.py", "pkg/models.py", "pkg/net.py", "pkg/tools.py", "train.py"}
	if slices.Sort(full); !slices.Equal(full, want) {
		t.Errorf("read in full: %v, want %v", full, want)
	}
	if p.Lines() != lines {
		t.Errorf("%d lines, want %d", p.Lines(), lines)
	}
	for _, m := range p.Modules {
		if m.Name == "pkg.net" && (len(m.Classes) != 1 || !m.Classes[0].Derives("pkg.layer.Layer")) {
			t.Errorf("the base of Net is not followed")
		}
	}
	if len(p.Warnings) != 1 {
		t.Errorf("warnings %v, want one about broken.py", p.Warnings)
	}
}

// TestOutlinesOfEachOther: modules that import from each other are filled in at the same time, each with names that the
// others define.
func TestOutlinesOfEachOther(t *testing.T) {
	dir := t.TempDir()
	const modules, names = mostInFull + 20, 150
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	train := "loss.backward()\n"
	for i := range modules {
		text := ""
		for k := range names {
			text += fmt.Sprintf("from m%d import f%d as g%d\ndef f%d():\n    return g%d()\n", (i+k+1)%modules, k, k, k, k)
		}
		write(fmt.Sprintf("m%d.py", i), text)
		train += fmt.Sprintf("from m%d import f0\n", i)
	}
	write("train.py", train)
	p, err := Load(t.Context(), []string{dir}, Options{Workers: 8})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range p.Modules {
		if m.Outline {
			t.Fatalf("%s was not read in full", m.Path)
		}
		for _, b := range m.imported {
			if !b.place.found() {
				t.Fatalf("%s: the import of %s leads nowhere", m.Path, b.Name)
			}
		}
	}
}
