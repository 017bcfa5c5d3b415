package cli

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestEveryFlowIsShown: docs/architecture.md has a row for each command that says what flows through which packages.
func TestEveryFlowIsShown(t *testing.T) {
	page, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`[a-z]+`(?:, `[a-z]+`)*) \\|.*─>").FindAllStringSubmatch(string(page), -1) {
		rows = append(rows, regexp.MustCompile("[a-z]+").FindAllString(row[1], -1)...)
	}
	for _, c := range commands {
		if !c.hidden && !slices.Contains(rows, c.name) {
			t.Errorf("docs/architecture.md does not show the flow of `%s`", c.name)
		}
	}
}
