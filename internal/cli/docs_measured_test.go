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

// chosen reports whether the block's figures are to be measured again.
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

// A line of its own that stands for what is left out.
var leftOut = regexp.MustCompile(`(?m)^\s*…\n`)

// shorten leaves out of fresh what a line … stands for in shown, paragraph by paragraph: words and line breaks
// change, their order hardly does. Behind a … it goes on at the paragraph that begins alike. It returns fresh whole,
// and false, where there is no such paragraph.
func shorten(shown, fresh string) (string, bool) {
	pieces := leftOut.Split(shown, -1)
	if len(pieces) == 1 {
		return fresh, true
	}
	rest := paragraphs(fresh)
	var out []string
	for i, piece := range pieces {
		kept := paragraphs(piece)
		if len(kept) == 0 {
			continue // … opens or ends the block
		}
		first := 0
		if i > 0 {
			out = append(out, "…")
			first = paragraphLike(rest, kept[0])
		}
		if first < 0 {
			return fresh, false
		}
		end := min(first+len(kept), len(rest))
		out, rest = append(out, rest[first:end]...), rest[end:]
	}
	if strings.TrimSpace(pieces[len(pieces)-1]) == "" && len(rest) > 0 {
		out = append(out, "…")
	}
	return strings.Join(out, "\n\n") + "\n", true
}

func paragraphs(text string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(strings.Trim(text, "\n"), "\n\n", "\x00"), func(r rune) bool { return r == 0 })
}

var notWords = regexp.MustCompile(`[^\pL]+`)

// paragraphLike is the number of the paragraph with the same first line, else with the same first two words, or -1.
func paragraphLike(all []string, wanted string) int {
	start := func(text string) string {
		words := strings.Fields(notWords.ReplaceAllString(text, " "))
		return strings.Join(words[:min(2, len(words))], " ")
	}
	line, _, _ := strings.Cut(wanted, "\n")
	if i := slices.IndexFunc(all, func(p string) bool { return p == line || strings.HasPrefix(p, line+"\n") }); i >= 0 {
		return i
	}
	return slices.IndexFunc(all, func(p string) bool { return start(p) == start(wanted) })
}

func TestShorten(t *testing.T) {
	for _, tt := range []struct {
		name, shown, fresh, want string
		ok                       bool
	}{
		{
			"figures and line breaks change", "answer 1 s\n\nwarning: 3\n\n…\n\nWhere it goes\n  a 1\n\n…\n",
			"answer 2\ns\n\nwarning: 4\nmore\n\nhidden 5\n\nWhere it went\n  a 7\n\nrest\n",
			"answer 2\ns\n\nwarning: 4\nmore\n\n…\n\nWhere it went\n  a 7\n\n…\n", true,
		},
		{"the same line comes first", "a\n\n…\n\ngo, size 8\n", "a\n\ngo, size 4\n\ngo, size 8\n", "a\n\n…\n\ngo, size 8\n", true},
		{"nothing alike is shown whole", "a\n\n…\n\nTable\n", "b\n\nc\n", "b\n\nc\n", false},
		{"nothing left to leave out", "a 1\n\n…\n", "a 2\n", "a 2\n", true},
		{"without …", "a 1\n", "b 2\n", "b 2\n", true},
	} {
		if got, ok := shorten(tt.shown, tt.fresh); got != tt.want || ok != tt.ok {
			t.Errorf("%s: %v\n%s\nwant\n%s", tt.name, ok, got, tt.want)
		}
	}
}

func TestColumns(t *testing.T) {
	t.Setenv("COLUMNS", "77")
	if env := System(); !env.StdoutTerminal && !env.StderrTerminal && env.Width != 77 {
		t.Errorf("without a terminal, COLUMNS=77 gives a width of %d", env.Width)
	}
}
