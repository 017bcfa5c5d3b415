package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var mention = regexp.MustCompile("[(`\"]saturate ([a-z]+)\\b[^\"`\\n]*")

// TestMentionedCommandsExist: advice to type a command that is not there helps nobody.
func TestMentionedCommandsExist(t *testing.T) {
	known := []string{"completion", "help", "finds"} // the last is prose
	for _, c := range commands {
		known = append(known, c.name)
	}
	seen := 0
	for _, top := range []string{"../../internal", "../../docs", "../../README.md", "../../scripts"} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "testdata" {
				return filepath.SkipDir
			}
			if d.IsDir() || strings.HasSuffix(path, "_test.go") || !slices.Contains([]string{".go", ".md", ""}, filepath.Ext(path)) {
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range mention.FindAllStringSubmatch(string(text), -1) {
				seen++
				if !slices.Contains(known, m[1]) {
					t.Errorf("%s tells the user to type %s", path, strings.TrimSpace(m[0]))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 10 {
		t.Errorf("only %d mentions found: does the pattern still match?", seen)
	}
}

// What the accuracy guard checks is said the same way everywhere: what is measured, which level 1 is not.
func TestGuardAndLevelOne(t *testing.T) {
	for _, page := range []string{"tune.md", "platforms.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		if plain := strings.Join(strings.Fields(string(text)), " "); !strings.Contains(plain, "The accuracy guard checks only what is measured") {
			t.Errorf("docs/%s does not say what the guard checks", page)
		}
	}
	if !strings.Contains(tuneCommand.long, "nothing is measured\n") || !strings.Contains(tuneCommand.long, "and this is not checked") {
		t.Error("the help of tune does not say that level 1 is not measured")
	}
}
