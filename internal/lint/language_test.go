package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

type phrase struct{ words, instead string }

// translated are phrases of sentences that read as translated, with what to write instead.
var translated = []phrase{
	{" is no ", "is not a …"},
	{" are no ", "has no …, or: are not …"},
	{"that is there", "existing"},
	{"that are there", "existing"},
	{"whatever is", "name it, or leave it out"},
	{"can never", "cannot"},
	{"no end of", "unbounded, many"},
	{"the processor", "the CPU"},
	{"processors", "CPUs"},
	{"as it was,", "unchanged, before"},
	{"as no trace does", "say what it is"},
	{"what is wanting", "missing"},
	{"goes on from there", "resumes"},
	{"begins anew", "starts over"},
	{"begin anew", "start over"},
	{"write over", "overwrite"},
	{"leave it away", "remove it"},
	{"is not heard", "is ignored"},
	{"lies outside", "is outside"},
	{"e+03 MB", "use package human"},
}

// notATranslation are words in which a phrase is right.
var notATranslation = []string{" is no longer", " are no longer", " is no more than", " is no faster", " is no slower", "is no such", "are no more than"}

// plainSpoken is where the phrases must not occur: Go files (their strings alone) and pages, below the module's root.
// A path stands for everything under it: "cmd", "internal", "docs" and "README.md" are all there is.
var plainSpoken = []string{
	"cmd", "internal/audio", "internal/bench", "internal/cli", "internal/config", "internal/cuda", "internal/dataset",
	"internal/device", "internal/files", "internal/hdf5", "internal/human", "internal/mel", "internal/npy", "internal/parquet",
	"internal/process", "internal/progress", "internal/rows", "internal/run", "internal/trace", "internal/tts", "internal/tune",
	"internal/version",
}

// TestPlainEnglish keeps the worst patterns out of what people read.
func TestPlainEnglish(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := 0
	for _, top := range plainSpoken {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return filepath.SkipDir
			case d.IsDir():
			case filepath.Ext(path) == ".md":
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				for i, line := range strings.Split(string(text), "\n") {
					seen++
					complain(t, path, i+1, line)
				}
			case filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go"):
				found, err := literals(path)
				for _, l := range found {
					seen++
					complain(t, path, l.line, l.text)
				}
				return err
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 1000 {
		t.Errorf("only %d strings were read: is anything left of %q?", seen, plainSpoken)
	}
}

type literal struct {
	line int
	text string
}

// literals are the strings of a Go file that can become text: no import paths and no tags.
func literals(path string) ([]literal, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []literal
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil
		case *ast.BasicLit:
			if n.Kind != token.STRING {
				break
			}
			text, err := strconv.Unquote(n.Value)
			if err != nil {
				return false
			}
			for i, line := range strings.Split(text, "\n") {
				found = append(found, literal{set.Position(n.Pos()).Line + i, line})
			}
		}
		return true
	})
	return found, nil
}

func complain(t *testing.T, path string, line int, text string) {
	t.Helper()
	for _, p := range phrasesIn(text) {
		t.Errorf("%s:%d: %q reads as translated (write: %s):\n\t%s", filepath.ToSlash(path), line, strings.TrimSpace(p.words), p.instead, strings.TrimSpace(text))
	}
}

func phrasesIn(text string) []phrase {
	text = " " + strings.ToLower(text) + " "
	for _, right := range notATranslation {
		text = strings.ReplaceAll(text, right, "")
	}
	var found []phrase
	for _, p := range translated {
		if strings.Contains(text, p.words) {
			found = append(found, p)
		}
	}
	return found
}

func TestPhrases(t *testing.T) {
	for text, want := range map[string]int{
		"%s is no folder":                   1,
		"Is no trace but the processor ran": 2,
		"which is no longer an input":       0,
		"it is not a folder":                0,
		"there are no runs":                 1,
		"processorsTotal":                   1,
		"over a file that is there":         1,
	} {
		if got := phrasesIn(text); len(got) != want {
			t.Errorf("%q: %q, want %d", text, got, want)
		}
	}
}
