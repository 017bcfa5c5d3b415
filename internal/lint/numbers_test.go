package lint

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// scientific is a quantity with a unit whose figure turns into 1.52e+03 where it is large: package human writes those.
var scientific = regexp.MustCompile(`%\.\d+[ge] (s|ms|B|kB|MB|GB|MiB|GiB|samples|tokens|files|steps)\b`)

// Quantities are written by package human, so that nobody reads 1.52e+03 MB.
func TestNoScientificQuantities(t *testing.T) {
	for _, path := range tracked(t) {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n") {
			if scientific.MatchString(line) {
				t.Errorf("%s: %s", path, strings.TrimSpace(line))
			}
		}
	}
}
