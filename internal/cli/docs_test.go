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

// A block of a page: `$ saturate …` and what it printed. The word behind "console" tells how it is held to the
// program:
//
//	console            it is run by every test and must agree
//	console machine    it is run by every test; what it prints depends on the machine
//	console measured   it takes minutes or needs Python; only its flags are checked (docs_measured_test.go)
//
// A comment `<!-- before: … -->` above a measured block is what the shell does first.
var block = regexp.MustCompile("(?ms)^(?:<!-- before: (.*?) -->\n)?```console( machine| measured)?(?: in=(\\S+))?\n(.*?)^```$")

// shownBlock is one block of a page.
type shownBlock struct {
	page   string // README.md, verify.md …
	before string
	kind   string // "", "machine", "measured"
	dir    string // where a measured block is run, below the root
	body   string
}

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
		fresh := block.ReplaceAllStringFunc(string(text), func(all string) string {
			m := block.FindStringSubmatch(all)
			b := shownBlock{filepath.Base(page), m[1], strings.TrimSpace(m[2]), m[3], m[4]}
			commandsSeen++
			head := strings.TrimSuffix(all, b.body+"```")
			switch {
			case b.kind == "measured":
				return head + b.measured(t, root) + "```"
			case b.kind == "machine" && !b.chosen():
				b.rerun(t, root)
				return all
			default:
				return head + b.rerun(t, root) + "```"
			}
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

// rerun runs each `$ saturate …` line of a block and returns the block as it should be.
func (b shownBlock) rerun(t *testing.T, root string) string {
	t.Helper()
	var out strings.Builder
	for _, line := range strings.Split(b.body, "\n") {
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
			t.Errorf("%s: `%s` exits with %d: %s", b.page, line, code, stderr.String())
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
