package lint

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tracked is every file of the repository that belongs to us, as git sees it; without git, every file.
func tracked(t *testing.T) []string {
	t.Helper()
	root := repository(t)
	cmd := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skip("not a git checkout: ", err)
	}
	var files []string
	for _, f := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if info, err := os.Lstat(filepath.Join(root, f)); err == nil && info.Mode().IsRegular() {
			files = append(files, filepath.Join(root, f))
		}
	}
	return files
}

// A file that has grown past this answers more than one question.
const mostLines = 600

func TestFilesAreShort(t *testing.T) {
	for _, path := range tracked(t) {
		switch filepath.Ext(path) {
		case ".go", ".py", ".ts", ".js", ".css":
		default:
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		head := data[:min(len(data), 500)]
		if bytes.Contains(head, []byte("Code generated")) || strings.Contains(path, "/testdata/") {
			continue
		}
		if n := bytes.Count(data, []byte("\n")); n > mostLines {
			t.Errorf("%s has %d lines; split it along what it answers", path, n)
		}
	}
}

// Each pattern would tell a reader about one machine, or about something left undone.
var unwanted = []*regexp.Regexp{
	regexp.MustCompile(`/w[o]rk/(main|shared)|/r[o]ot/|/h[o]me/[a-z]+/|/t[m]p/bash_jobs`),
	regexp.MustCompile(`\b(TO[D]O|FIX[M]E|X[X]X)\b`),
}

func TestNothingIsLeftLying(t *testing.T) {
	for _, path := range tracked(t) {
		switch filepath.Ext(path) {
		case ".go", ".md", ".sh", ".txt", ".toml", ".yaml", "":
		case ".py":
			if strings.Contains(path, "/testdata/") {
				continue // other people's style is what these files are for
			}
		default:
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(data, 0) >= 0 {
			continue
		}
		for i, line := range bytes.Split(data, []byte("\n")) {
			for _, re := range unwanted {
				if m := re.Find(line); m != nil {
					t.Errorf("%s:%d: %q", path, i+1, m)
				}
			}
		}
	}
}

// A rule owns its facts: elsewhere its code would be a second place that has to know what it means.
func TestRulesAreNotNamedByCode(t *testing.T) {
	code := regexp.MustCompile(`"(SAT|TRC|PRF)[0-9]{3}"`)
	own := regexp.MustCompile(`\bCode: +"`)
	seen := 0
	for _, path := range tracked(t) {
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(data), "\n") {
			switch {
			case !code.MatchString(line):
			case own.MatchString(line):
				seen++
			default:
				t.Errorf("%s:%d names a rule by its code; make what it decides a fact of the rule", path, i+1)
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d rules were seen: does this still read where they are?", seen)
	}
}
