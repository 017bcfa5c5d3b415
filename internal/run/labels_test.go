package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLabels: tags and notes stay with a Run, and what is not one is refused.
func TestLabels(t *testing.T) {
	r := Run{Dir: t.TempDir()}
	note := "before\nthe \x1b[31mloader"
	if err := r.Label([]string{"h200", "baseline", "h200"}, nil, &note); err != nil {
		t.Fatal(err)
	}
	read := Run{Dir: r.Dir}
	read.readLabels()
	if !slices.Equal(read.Tags, []string{"baseline", "h200"}) || strings.ContainsAny(read.Note, "\n\x1b") || !strings.Contains(read.Note, "loader") {
		t.Errorf("%q %q", read.Tags, read.Note)
	}
	none := ""
	if err := read.Label(nil, []string{"h200"}, &none); err != nil {
		t.Fatal(err)
	}
	again := Run{Dir: r.Dir}
	again.readLabels()
	if !slices.Equal(again.Tags, []string{"baseline"}) || again.Note != "" {
		t.Errorf("%q %q", again.Tags, again.Note)
	}
	for _, bad := range []string{"", "two words", "-x", "a\x1b", strings.Repeat("x", 41)} {
		if r.Label([]string{bad}, nil, nil) == nil {
			t.Errorf("%q is taken for a tag", bad)
		}
	}
	if err := os.WriteFile(filepath.Join(r.Dir, labelsName), []byte(`{"tags": ["good", "a\u001b[2J"], "note": 3}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if again.readLabels(); len(again.Tags) != 0 {
		t.Errorf("a damaged file says %q", again.Tags)
	}
}
