package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	{"no place for", "cannot create …"},
	{"made no step", "ran no training step"},
	{"cannot be kept", "cannot save …"},
	{"what became of", "what … does with"},
	{"nobody reads", "is ignored"},
	{"but for rounding", "except for rounding"},
	{"becomes the exit code", "saturate exits with …"},
	{"wrong use", "usage error"},
	{"finds the place", "find the code"},
	{"data wait", "waiting for data"},
	{"data set", "dataset"},
	{" anew", "again"},
	{"but for ", "except for …"},
	{" goes on ", "continues"},
	{"turn of the loop", "iteration"},
	{"what there is", "name it"},
	{"that is asked for and not available", "unavailable"},
	{"outside of ", "outside …"},
	{"each turn", "each iteration"},
	{"every turn", "every iteration"},
	{"a turn of", "an iteration of"},
	{" of yours", "your …"},
	{"the folder of runs", "runs/"},
	{" brings", "gains, saves, adds"},
	{"would bring", "would gain, would save"},
	{"seldom", "rarely"},
	{"was seen to", "name what was measured or detected"},
	{"=true of ", "… in (a library)"},
	{"asked for (", "requested, turned off by …"},
}

// british are stems of words that are spelled the American way here, as the commands analyze and optimize are.
var british = []phrase{
	{"tokenis", "tokeniz…"},
	{"synthesise", "synthesize"},
	{"synthesising", "synthesizing"},
	{"quantis", "quantiz…"},
	{"synchronis", "synchroniz…"},
	{"normalis", "normaliz…"},
	{"optimisation", "optimization"},
	{"optimise", "optimize"},
	{"recognis", "recogniz…"},
	{"customis", "customiz…"},
	{"initialis", "initializ…"},
	{"serialis", "serializ…"},
	{"parallelis", "paralleliz…"},
	{"vectoris", "vectoriz…"},
	{"summaris", "summariz…"},
	{"organis", "organiz…"},
	{"neighbour", "neighbor"},
	{"colour", "color"},
	{"behaviour", "behavior"},
	{"favour", "favor"},
	{"artefact", "artifact"},
	{"licence", "license"},
	{"parenthesised", "parenthesized"},
	{"misspelt", "misspelled"},
	{"learnt", "learned"},
	{"quieten", "quiet"},
}

// notATranslation are words in which a phrase is right.
var notATranslation = []string{
	" is no longer", " are no longer", " is no more than", " is no faster", " is no slower", "is no such", "are no more than",
	" there is no rank", " there is no step", "multiprocessors",
}

// plainSpoken is where the phrases must not occur: Go files (their strings alone) and pages (their prose alone), below
// the module's root. A path stands for everything under it.
var plainSpoken = []string{"cmd", "internal", "docs", "README.md", "CONTRIBUTING.md"}

// recorded are pages of old measurements, which quote what the program said then.
var recorded = []string{"docs/evidence", "docs/analyze"}

// TestPlainEnglish keeps the worst patterns out of what people read.
func TestPlainEnglish(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := 0
	for _, top := range plainSpoken {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || slices.ContainsFunc(recorded, func(r string) bool {
				return strings.HasSuffix(filepath.ToSlash(path), r)
			})):
				return filepath.SkipDir
			case d.IsDir():
			case filepath.Ext(path) == ".md":
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				for i, line := range prose(string(text)) {
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

var (
	tables = regexp.MustCompile(`(?s)<!-- (?:generated|repairs): .*?<!-- end`)
	inline = regexp.MustCompile("`[^`\n]*`")
)

// prose are the lines of a page that somebody wrote for it: what the program printed, generated tables and code are empty.
func prose(page string) []string {
	blank := func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) }
	page = tables.ReplaceAllStringFunc(fence.ReplaceAllStringFunc(page, blank), blank)
	return strings.Split(inline.ReplaceAllString(page, ""), "\n")
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
		t.Errorf("%s:%d: %q is not how we write (write: %s):\n\t%s", filepath.ToSlash(path), line, strings.TrimSpace(p.words), p.instead, strings.TrimSpace(text))
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
	if !strings.Contains(strings.TrimSpace(text), " ") {
		return found // one word may be a name in somebody's code
	}
	for _, p := range british {
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
		"there is no place for the variant": 2,
		"there is no step 7":                0,
		"texts are tokenised":               1,
		"the colour of the data set":        2,
		"synthesise":                        0,
		"a path of the dataset":             0,
		"outside of the copy in each turn":  2,
		"fp16=True of transformers":         1,
	} {
		if got := phrasesIn(text); len(got) != want {
			t.Errorf("%q: %q, want %d", text, got, want)
		}
	}
}
