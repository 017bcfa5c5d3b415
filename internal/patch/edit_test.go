package patch

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestEdits(t *testing.T) {
	src := "loader = DataLoader(ds)\n"
	tests := []struct {
		name  string
		edits []Edit
		want  string
		err   string
	}{
		{"none", nil, src, ""},
		{"insert", []Edit{{Start: 22, End: 22, Text: ", num_workers=4"}}, "loader = DataLoader(ds, num_workers=4)\n", ""},
		{"two insertions at one place keep their order", []Edit{{Start: 22, End: 22, Text: ", a=1"}, {Start: 22, End: 22, Text: ", b=2"}}, "loader = DataLoader(ds, a=1, b=2)\n", ""},
		{"any order", []Edit{{Start: 22, End: 22, Text: ", b"}, {Start: 0, End: 6, Text: "l"}}, "l = DataLoader(ds, b)\n", ""},
		{"side by side", []Edit{{Start: 0, End: 6, Text: "x"}, {Start: 6, End: 7, Text: ""}}, "x= DataLoader(ds)\n", ""},
		{"delete all", []Edit{{Start: 0, End: len(src)}}, "", ""},
		{"overlap", []Edit{{Path: "a.py", Start: 0, End: 6}, {Path: "a.py", Start: 5, End: 9}}, "", "a.py: two edits touch bytes 5 to 6"},
		{"insertion inside a replacement", []Edit{{Start: 0, End: 6}, {Start: 3, End: 3, Text: "x"}}, "", "two edits"},
		{"outside", []Edit{{Path: "a.py", Start: 20, End: 99}}, "", "outside the file (24 bytes)"},
		{"backwards", []Edit{{Start: 9, End: 3}}, "", "outside"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Edits([]byte(src), tt.edits)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil || string(got) != tt.want {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestSelect(t *testing.T) {
	importOS := Edit{Path: "a.py", Start: 0, End: 0, Text: "import os\n"}
	patches := []Patch{
		{Title: "workers", Edits: []Edit{importOS, {Path: "a.py", Start: 10, End: 12, Text: "4"}}},
		{Title: "threads", Edits: []Edit{importOS, {Path: "a.py", Start: 20, End: 20, Text: "os"}}},
		{Title: "clash", Edits: []Edit{{Path: "a.py", Start: 11, End: 15, Text: "x"}, {Path: "b.py", Start: 0, End: 1}}},
	}
	taken, conflicts := Select(patches)
	if len(taken) != 2 || len(conflicts) != 1 || conflicts[0].Lost.Title != "clash" {
		t.Fatalf("taken %v, conflicts %v", taken, conflicts)
	}
	n := 0
	for _, p := range taken {
		for _, e := range p.Edits {
			if e == importOS {
				n++
			}
		}
	}
	if n != 1 {
		t.Errorf("the shared import is made %d times", n)
	}
}

// The diff is what git itself would apply.
func TestDiffIsAppliedByGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	for name, c := range map[string]Change{
		"middle":              {Path: "pkg/train.py", Old: []byte("a\nb\nc\nd\ne\nf\ng\nh\n"), New: []byte("a\nb\nc\nD\ne\nf\ng\nh\n")},
		"no final newline":    {Path: "x.py", Old: []byte("a\nb"), New: []byte("a\nc")},
		"newline added":       {Path: "x.py", Old: []byte("a"), New: []byte("a\n")},
		"carriage returns":    {Path: "x.py", Old: []byte("a\r\nb\r\n"), New: []byte("a\r\nc\r\n")},
		"a new file":          {Path: "scripts/x.py", New: []byte("a\nb\n")},
		"an empty file":       {Path: "x.py", Old: []byte{}, New: []byte("a\n")},
		"everything replaced": {Path: "x.py", Old: []byte("a\nb\n"), New: []byte("x\ny\nz\n")},
		"a name with spaces":  {Path: "my code/x y.py", Old: []byte("a\nb\n"), New: []byte("a\nc\n")},
		"below a repository":  {Path: "sub/x.py", Old: []byte("a\nb\n"), New: []byte("a\nc\n")},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if name == "below a repository" {
				if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
					t.Fatalf("git init: %v: %s", err, out)
				}
				dir = filepath.Join(dir, "projects", "one")
			}
			path := filepath.Join(dir, c.Path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if c.Old != nil {
				if err := os.WriteFile(path, c.Old, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("git", "apply", "-p1", "-")
			cmd.Dir = dir
			cmd.Stdin = bytes.NewReader(Diff([]Change{c}))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git apply: %v: %s\n%s", err, out, Diff([]Change{c}))
			}
			if got, _ := os.ReadFile(path); !bytes.Equal(got, c.New) {
				t.Errorf("git made %q, want %q", got, c.New)
			}
		})
	}
}

func FuzzEdits(f *testing.F) {
	f.Add([]byte("abcdef"), 1, 3, 2, 5)
	f.Add([]byte(""), 0, 0, 0, 0)
	f.Fuzz(func(t *testing.T, src []byte, s1, e1, s2, e2 int) {
		got, err := Edits(src, []Edit{{Start: s1, End: e1, Text: "<"}, {Start: s2, End: e2, Text: ">"}})
		if err == nil && len(got) != len(src)-(e1-s1)-(e2-s2)+2 {
			t.Errorf("%d bytes became %d", len(src), len(got))
		}
	})
}
