package project

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBadInput puts every kind of bad file beside a good one: each gets a
// warning that names it, and the good one is read.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"good.py":       "import torch\nx = torch.zeros(3)\n",
		"broken.py":     "def f(:\n    pass\n\ndef g():\n    return 1\n",
		"binary.py":     "\x7fELF\x00\x01\x02",
		"bad_utf8.py":   "x = '\xff\xfe'\n",
		"latin.py":      "# -*- coding: latin-1 -*-\nx = '\xe9'\n",
		"empty.py":      "",
		"deep.py":       "x = " + strings.Repeat("(", 3000) + "1" + strings.Repeat(")", 3000) + "\n",
		"broken.ipynb":  `{"cells": [{"cell_type": "code", "source": ["x = 1\n"`,
		"none.ipynb":    `{"metadata": {}}`,
		"broken.yaml":   "a: [1, 2\nb: }",
		"broken.json":   `{"a": 1,, "b"}`,
		"broken.toml":   "[a\nb = 1",
		"data.json":     "[1, 2, 3]",
		"binary.yaml":   "a: \x00",
		"bomb.yaml":     bomb(),
		"fine.yaml":     "a: 1\n",
		"sub/inner.py":  "y = 2\n",
		"deep.json":     strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"scalar.yaml":   "just words\n",
		"tabs.yaml":     "a:\n\t- b\n",
		"nothing.yaml":  "",
		"several.yaml":  "a: 1\n---\nb: 2\n",
		"partly.yaml":   "a: 1\n---\nb: [2\n",
		"dotted.toml":   "a.b.c = 1\n[a.d]\ne = [1, {f = 2}]\n[[g]]\nh = 1\n[[g]]\nh = 2\n",
		"conflict.toml": "a = 1\na.b = 2\n[a]\n[[a]]\nx = 1\n",
	} {
		write(t, filepath.Join(dir, name), []byte(text))
	}
	write(t, filepath.Join(dir, "huge.py"), bytes.Repeat([]byte("x = 1\n"), 1<<20))
	for link, target := range map[string]string{"loop": dir, "sub/up": "..", "nowhere.py": "missing.py"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	p := load(t, dir)

	warned := map[string]string{}
	for _, w := range p.Warnings {
		rel := filepath.ToSlash(p.relative(w.Path))
		if _, ok := warned[rel]; ok {
			t.Errorf("%s has more than one warning", rel)
		}
		warned[rel] = w.Message
	}
	for name, part := range map[string]string{
		"broken.py": "line 1 is not valid Python", "binary.py": "binary", "bad_utf8.py": "not valid Python", "deep.py": "not valid Python",
		"broken.ipynb": "skipped", "none.ipynb": "no cells", "broken.yaml": "skipped", "broken.json": "line 1, column",
		"broken.toml": "skipped", "binary.yaml": "UTF-8", "bomb.yaml": "50,000", "huge.py": "the limit is 5,242,880",
		"partly.yaml": "document 2 and all later ones",
		"deep.json":   "nested more than 200 levels deep", "tabs.yaml": "skipped",
	} {
		if !strings.Contains(warned[name], part) {
			t.Errorf("%s: warning %q, want %q in it", name, warned[name], part)
		}
		delete(warned, name)
	}
	for name, message := range warned {
		t.Errorf("%s: unexpected warning %q", name, message)
	}
	var modules []string
	for _, m := range p.Modules {
		modules = append(modules, filepath.ToSlash(p.relative(m.Path)))
	}
	want := []string{"bad_utf8.py", "broken.py", "deep.py", "empty.py", "good.py", "latin.py", "sub/inner.py"}
	if !slices.Equal(modules, want) {
		t.Errorf("modules %v, want %v", modules, want)
	}
	for _, m := range p.Modules {
		if m.Encoded != strings.HasSuffix(m.Path, "latin.py") {
			t.Errorf("%s: Encoded is %v", m.Path, m.Encoded)
		}
		if strings.HasSuffix(m.Path, "broken.py") && len(m.Functions) != 2 {
			t.Errorf("the function behind the broken one was not read")
		}
	}
}

// bomb is a YAML file of a thousand bytes that would grow to billions of values.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return b.String()
}

func TestNoSuchPath(t *testing.T) {
	_, err := Load(context.Background(), []string{filepath.Join(t.TempDir(), "absent")}, Options{})
	if err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("error %v", err)
	}
}

// TestNamedFiles: a file that the user named and that cannot be read is an error; in a folder it is a warning.
func TestNamedFiles(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"binary.py": "\x7fELF\x00", "utf16.py": "\xff\xfex\x00", "long.py": strings.Repeat("x = 1\n", 200),
		"closed.py": "x = 1\n", "broken.ipynb": "{", "broken.yaml": "a: [",
	}
	why := map[string]string{
		"binary.py": "it is a binary file", "utf16.py": "it is UTF-16", "long.py": "it has 1,200 bytes; the limit is 1,000",
		"closed.py": "it cannot be opened: permission denied", "broken.ipynb": "line 1", "broken.yaml": "line 1",
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), []byte(text))
	}
	o := Options{MaxBytes: 1000, Read: func(path string) ([]byte, error) {
		if filepath.Base(path) == "closed.py" {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
		}
		return os.ReadFile(path)
	}}
	var all []string
	for name := range files {
		path := filepath.Join(dir, name)
		all = append(all, path)
		_, err := Load(context.Background(), []string{path}, o)
		if err == nil || !strings.Contains(err.Error(), name+" was not read: ") || !strings.Contains(err.Error(), why[name]) {
			t.Errorf("%s: error %v, want %q in it", name, err, why[name])
		}
	}
	if _, err := Load(context.Background(), all, o); err == nil || strings.Count(err.Error(), "was not read") != len(files) {
		t.Errorf("all of them: %v", err)
	}
	p, err := Load(context.Background(), []string{dir}, o)
	if err != nil || len(p.Warnings) != len(files) {
		t.Errorf("their folder: %v, warnings %v", err, p.Warnings)
	}
}

// TestLines counts as an editor does: what stands behind the last newline is not a line.
func TestLines(t *testing.T) {
	for text, want := range map[string]int{"": 0, "\n": 1, "x = 1": 1, "x = 1\n": 1, "x = 1\n\ny = 2\n": 3, "x = 1\r\ny = 2": 2} {
		p, err := FromSources(context.Background(), map[string][]byte{"a.py": []byte(text)})
		if err != nil || p.Lines() != want {
			t.Errorf("%q: %d lines, want %d (%v)", text, p.Lines(), want, err)
		}
	}
}

func TestUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root can read everything")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.py"), []byte("x = 1\n"))
	write(t, filepath.Join(dir, "b.py"), []byte("x = 1\n"))
	write(t, filepath.Join(dir, "closed/c.py"), []byte("x = 1\n"))
	for _, name := range []string{"a.py", "closed"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(filepath.Join(dir, "closed"), 0o755)
	p := load(t, dir)
	if len(p.Modules) != 1 || len(p.Warnings) != 2 {
		t.Errorf("%d modules, warnings %v", len(p.Modules), p.Warnings)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.py"), []byte("x = 1\n"))
	if _, err := Load(ctx, []string{dir}, Options{}); err == nil {
		t.Error("a context that has ended gives no error")
	}
}

func TestWalk(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"a.py", "pkg/b.py", "pkg/skipped.py", "venv/lib/c.py", "my_env/pyvenv.cfg", "my_env/lib/d.py", ".git/e.py",
		"node_modules/f.py", "build/g.py", "__pycache__/h.py", "out/i.py", "keep/out/j.py", "notes.txt", "k.ipynb_not",
		"generated/deep/l.py", "generated/keep.py", "excluded/m.py", "tokenizer.json", "env/gym.py",
	} {
		write(t, filepath.Join(dir, name), []byte("x = 1\n"))
	}
	write(t, filepath.Join(dir, ".gitignore"), []byte("# comment\n/out\nskipped.*\ngenerated/**\n!generated/keep.py\n"))
	p, err := Load(context.Background(), []string{dir, filepath.Join(dir, "a.py")}, Options{Exclude: []string{"excluded/"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range p.Modules {
		got = append(got, filepath.ToSlash(p.relative(m.Path)))
	}
	want := []string{"a.py", "env/gym.py", "generated/keep.py", "keep/out/j.py", "pkg/b.py"}
	if !slices.Equal(got, want) {
		t.Errorf("found %v\nwant %v", got, want)
	}
}

// TestSameEveryTime loads a project with one worker and with many.
func TestSameEveryTime(t *testing.T) {
	dir := extract(t, "testdata/time/torch.txtar")
	show := func(workers int) string {
		p, err := Load(context.Background(), []string{dir}, Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, m := range p.Modules {
			for _, s := range m.Sites {
				fmt.Fprintln(&b, m.Path, s.Node.Start, s.Calls.Kind, s.Calls.Name, p.when(m, s))
			}
		}
		return b.String()
	}
	first := show(1)
	for range 5 {
		if show(8) != first {
			t.Fatal("what was found depends on the number of workers")
		}
	}
}
