package repair

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"saturate/internal/finding"
	"saturate/internal/patch"
	"saturate/internal/rule"
)

var update = flag.Bool("update", false, "rewrite the table of repairs in docs/fix.md")

// TestTableOfRepairs holds docs/fix.md to the rules: every repair that the fixtures show, with its safety and a
// file to compare with its .golden.
func TestTableOfRepairs(t *testing.T) {
	const begin, end = "<!-- repairs: go test ./internal/rule/repair -run Table -update -->\n", "<!-- end of repairs -->\n"
	path := filepath.Join("..", "..", "..", "docs", "fix.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(page), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", path)
	}
	fresh := head + begin + table(t) + end + tail
	if fresh == string(page) {
		return
	}
	if !*update {
		t.Fatal("the table of repairs in docs/fix.md is not what the rules do; run `go test ./internal/rule/repair -run Table -update` and read the change")
	}
	if err := os.WriteFile(path, []byte(fresh), 0o644); err != nil {
		t.Fatal(err)
	}
}

func table(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| rule | fix | safety | before and after |\n|---|---|---|---|\n")
	rules, repairs := 0, 0
	for _, r := range rule.All() {
		if r.Safety == rule.NoFix {
			continue
		}
		rules++
		shown := repairsOf(t, r)
		if len(shown) == 0 {
			t.Errorf("%s says that it repairs, and no fixture shows it", r.Code)
		}
		for _, s := range shown {
			repairs++
			fmt.Fprintf(&b, "| %s `%s` | %s | %s | [%s](../internal/rule/testdata/%s/%s) |\n", r.Code, r.Name, strings.ReplaceAll(s.title, "|", "\\|"), s.safety, s.file, r.Name, s.file)
		}
	}
	fmt.Fprintf(&b, "\n%d fixes by %d of %d rules. Each `.golden` beside a fixture is the file after its fix; the other files there are near misses that stay as they are.\n", repairs, rules, len(rule.All()))
	return b.String()
}

type shownRepair struct {
	title, file string
	safety      patch.Safety
}

// repairsOf collects the different repairs of a rule from its fixtures.
func repairsOf(t *testing.T, r *rule.Rule) (list []shownRepair) {
	t.Helper()
	folder := filepath.Join("..", "testdata", r.Name)
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() && !strings.HasSuffix(e.Name(), ".py") {
			continue
		}
		tries := strings.HasPrefix(e.Name(), "tried") || strings.HasPrefix(e.Name(), "small") || r.Little != "" // what costs little is only tried
		plan := planOf(t, Options{Paths: []string{filepath.Join(folder, e.Name())}, Unsafe: true, Tries: tries, Rules: rule.Selection{Select: []string{r.Code}}})
		var found []finding.Finding
		for _, m := range plan.Made {
			found = append(found, m.Finding)
		}
		for _, l := range plan.Left {
			found = append(found, l.Finding)
		}
		for _, f := range found {
			for _, fix := range f.Fixes {
				if f.Code == r.Code && !slices.ContainsFunc(list, func(s shownRepair) bool { return s.title == fix.Title && s.safety == fix.Safety }) {
					list = append(list, shownRepair{fix.Title, e.Name(), fix.Safety})
				}
			}
		}
	}
	return list
}
