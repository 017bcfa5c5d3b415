package cli

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What takes minutes is measured again only when asked for, page by page, because its figures change and the text
// around them speaks of them:
//
//	SATURATE_TEST_PYTHON=… go test ./internal/cli -run TestDocs -update -measured 'verify.md' -timeout 60m
var measuredPages = flag.String("measured", "", "with -update: run the measured blocks again whose `page: command` matches this pattern")

// chosen tells whether the block's figures are to be measured again.
func (b shownBlock) chosen() bool {
	return *update && *measuredPages != "" && regexp.MustCompile(*measuredPages).MatchString(b.page+": "+b.body)
}

// measured returns the block as a real run prints it where that was asked for. Otherwise it only checks that its
// commands and flags exist.
func (b shownBlock) measured(t *testing.T, root string) string {
	t.Helper()
	if !b.chosen() {
		b.checkFlags(t)
		return b.body
	}
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Fatal("set SATURATE_TEST_PYTHON to a Python with torch: measured blocks run training programs")
	}
	bin, work := t.TempDir(), t.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(bin, "saturate"), "./cmd/saturate")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, dir := range []string{"examples", "peers/tune"} { // the programs that pages run; what they write stays in the copy
		if err := os.CopyFS(filepath.Join(work, dir), os.DirFS(filepath.Join(root, dir))); err != nil {
			t.Fatal(err)
		}
	}
	shell := func(line string) []byte {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = filepath.Join(work, filepath.FromSlash(b.dir))
		cmd.Env = append(os.Environ(), "COLUMNS=100",
			"PATH="+bin+string(os.PathListSeparator)+filepath.Dir(python)+string(os.PathListSeparator)+os.Getenv("PATH"))
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != exitFound {
			t.Errorf("%s: `%s`: %v: %s", b.page, line, err, stderr.Bytes())
		}
		return stdout.Bytes()
	}
	if b.before != "" {
		shell(b.before)
	}
	var out strings.Builder
	for _, part := range b.commands() {
		fmt.Fprintf(&out, "$ %s\n", part.typed)
		fresh, whole := shorten(part.printed, string(shell(part.typed)))
		if !whole {
			t.Logf("%s: `%s` is shown in full now: the lines around … were not found again", b.page, part.typed)
		}
		out.WriteString(fresh)
	}
	t.Logf("%s: measured again; read what the page says about the figures", b.page)
	return out.String()
}

// ranCommand is a `$ …` line of a block, and what is shown below it.
type ranCommand struct{ typed, printed string }

func (b shownBlock) commands() (ran []ranCommand) {
	for _, line := range strings.SplitAfter(b.body, "\n") {
		if typed, ok := strings.CutPrefix(line, "$ "); ok {
			ran = append(ran, ranCommand{typed: strings.TrimSpace(typed)})
		} else if len(ran) > 0 {
			ran[len(ran)-1].printed += line
		}
	}
	return ran
}

func (b shownBlock) checkFlags(t *testing.T) {
	t.Helper()
	for _, c := range b.commands() {
		typed, ok := strings.CutPrefix(c.typed, "saturate ")
		if !ok {
			continue
		}
		ours, _, _ := strings.Cut(typed, " -- ") // what follows belongs to the user's program
		root := newRoot(&Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard})
		cc, rest, err := root.Find(strings.Fields(ours))
		if err == nil {
			err = cc.ParseFlags(rest)
		}
		if err != nil || cc == root {
			t.Errorf("%s shows `%s`: %v", b.page, c.typed, err)
		}
	}
}

// shorten leaves out of fresh what a line … stands for in shown. The lines around … are found again by their words, for
// figures change. It returns fresh whole, and false, where one of them is missing.
func shorten(shown, fresh string) (string, bool) {
	pieces := regexp.MustCompile(`(?m)^\s*…\n`).Split(shown, -1)
	marks := regexp.MustCompile(`(?m)^\s*…\n`).FindAllString(shown, -1)
	lines := strings.SplitAfter(fresh, "\n")
	var out strings.Builder
	for i, piece := range pieces {
		if i > 0 {
			out.WriteString(marks[i-1])
		}
		text := strings.Split(strings.Trim(piece, "\n"), "\n")
		if text[0] == "" {
			continue // … opens or ends the block
		}
		first, end := 0, len(lines)
		if i > 0 {
			first = lineLike(lines, text[0])
		}
		if i < len(pieces)-1 && first >= 0 {
			end = first + lineLike(lines[first:], text[len(text)-1]) + 1
		}
		if first < 0 || end == first {
			return fresh, false
		}
		if i > 0 && strings.HasPrefix(piece, "\n") {
			out.WriteString("\n")
		}
		out.WriteString(strings.Join(lines[first:end], ""))
		lines = lines[end:]
	}
	return out.String(), true
}

var notWords = regexp.MustCompile(`[^\pL]+`)

// lineLike is the number of the first line with the words of line, or -1.
func lineLike(lines []string, line string) int {
	line, _, cut := strings.Cut(line, "…") // a line that is shown in part counts up to its …
	words := notWords.ReplaceAllString(line, " ")
	return slices.IndexFunc(lines, func(l string) bool {
		found := notWords.ReplaceAllString(strings.TrimRight(l, "\n"), " ")
		return found == words || cut && len(words) > 1 && strings.HasPrefix(found, words)
	})
}

func TestShorten(t *testing.T) {
	shown := "answer 1 s\n\nwarning: 3\n\n…\n\nTable\n  a 1\n  …\n"
	fresh := "answer 2 s\n\nwarning: 4\nmore\n\nhidden 5\n\nTable\n  a 7\nrest\n"
	want := "answer 2 s\n\nwarning: 4\n\n…\n\nTable\n  a 7\n  …\n"
	got, ok := shorten(shown, fresh)
	if !ok || got != want {
		t.Errorf("shorten: %v\n%s\nwant\n%s", ok, got, want)
	}
	if got, ok := shorten(shown, "nothing alike\n"); ok || got != "nothing alike\n" {
		t.Errorf("an output without the lines around … must be shown whole: %v\n%s", ok, got)
	}
	if got, ok := shorten("no work: … 5%\n\n…\n", "no work: whatever 6%\n\nrest\n"); !ok || got != "no work: whatever 6%\n\n…\n" {
		t.Errorf("a line shown in part is found by its beginning: %v\n%s", ok, got)
	}
	if got, ok := shorten("a 1\n", "b 2\n"); !ok || got != "b 2\n" {
		t.Errorf("without …, the output is taken as it is: %v\n%s", ok, got)
	}
}

func TestColumns(t *testing.T) {
	t.Setenv("COLUMNS", "77")
	if env := System(); !env.StdoutTerminal && !env.StderrTerminal && env.Width != 77 {
		t.Errorf("without a terminal, COLUMNS=77 gives a width of %d", env.Width)
	}
}
