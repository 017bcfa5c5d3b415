package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLastLine(t *testing.T) {
	traceback := "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'x'"
	for text, want := range map[string]string{
		"":                                      "",
		"\n \n":                                 "",
		"one":                                   "one",
		traceback + "\n\n":                      "KeyError: 'x'",
		traceback + "\n 0%| | 0/60 [00:02<?]\n": "KeyError: 'x'",
		"torch.cuda.OutOfMemoryError: CUDA\r\n": "torch.cuda.OutOfMemoryError: CUDA",
		"ImportError: \nTokenizer requires sentencepiece.\nInstall it.\n": "ImportError: Tokenizer requires sentencepiece.",
		"a\r\nb\r\n":                             "b",
		"10%\r 50%\r100%\n":                      "100%",
		"bad \xff\n":                             "bad ?",
		strings.Repeat("x", 1<<20) + "\nend\n":   "end",
		"ValueError" + strings.Repeat("é", 400):  "ValueError" + strings.Repeat("é", (mostLine-10)/2) + "…",
		"ValueErrors" + strings.Repeat("é", 400): "ValueErrors" + strings.Repeat("é", (mostLine-11)/2) + "…",
		strings.Repeat("a\x80", 200):             strings.Repeat("a?", mostLine/2) + "…",
	} {
		var w Tail
		for rest := text; rest != ""; { // in pieces, as pipes give it
			n := min(len(rest), 1000)
			_, _ = w.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		path := filepath.Join(t.TempDir(), "said")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		shown := text[:min(20, len(text))]
		if got := LastLine(w); got != want {
			t.Errorf("%q…: by a Writer %q, want %q", shown, got, want)
		}
		if got := LastLineOf(path); got != want {
			t.Errorf("%q…: of a file %q, want %q", shown, got, want)
		}
	}
	if got := LastLineOf(filepath.Join(t.TempDir(), "none")); got != "" {
		t.Errorf("a file that is not there: %q", got)
	}
}

func TestWriterForgets(t *testing.T) {
	var w Tail
	for range 100 {
		if n, err := w.Write(make([]byte, kept)); n != kept || err != nil {
			t.Fatal(n, err)
		}
	}
	if len(w) > 2*kept {
		t.Errorf("%d bytes are kept", len(w))
	}
}

func TestClause(t *testing.T) {
	for line, want := range map[string]string{"": "", "it broke": ": it broke"} {
		if got := Clause(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
