package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the outputs shown in README.md and docs")

// A console block in the documentation: `$ saturate …` and what it printed.
// "console machine" marks output that depends on the machine: it must run, not agree.
var block = regexp.MustCompile("(?ms)^```console( machine)?\n(.*?)^```$")

// TestDocs re-runs every command that README.md and docs show.
func TestDocs(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	pages, _ := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	commandsSeen := 0
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		fresh := block.ReplaceAllStringFunc(string(text), func(b string) string {
			m := block.FindStringSubmatch(b)
			commandsSeen++
			shown := rerun(t, root, page, m[2])
			if m[1] != "" {
				return b
			}
			return "```console\n" + shown + "```"
		})
		if fresh == string(text) {
			continue
		}
		if *update {
			if err := os.WriteFile(page, []byte(fresh), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Errorf("%s does not show what the program prints now; read the change, then run `go test ./internal/cli -run TestDocs -update`:\n%s",
			filepath.Base(page), firstDifference(string(text), fresh))
	}
	if commandsSeen == 0 {
		t.Error("README.md shows no command: is the block still marked console?")
	}
}

// rerun runs each `$ saturate …` line of a block and gives the block as it should be.
func rerun(t *testing.T, root, page, body string) string {
	t.Helper()
	var out strings.Builder
	for _, line := range strings.Split(body, "\n") {
		typed, ok := strings.CutPrefix(line, "$ saturate")
		if !ok {
			continue
		}
		fmt.Fprintln(&out, line)
		var stdout, stderr bytes.Buffer
		env := &Env{
			Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Dir: root,
			Now: time.Now, Vars: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, Width: 100,
		}
		if code := Main(env, strings.Fields(typed)); code != exitDone && code != exitFound {
			t.Errorf("%s: `%s` exits with %d: %s", filepath.Base(page), line, code, stderr.String())
		}
		out.Write(stdout.Bytes())
	}
	return out.String()
}

func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d\n  shown   %s\n  printed %s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines shown, %d printed", len(a), len(b))
}
