package lint

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const architecture = "docs/architecture.md"

// A path below internal, as prose names it. … and * stand for anything.
var named = regexp.MustCompile("`(internal/[^`\\s]+)`")

// TestArchitectureIsWhole: the page that explains the rooms names each of them.
func TestArchitectureIsWhole(t *testing.T) {
	page := read(t, architecture)
	for _, pkg := range packages(t) {
		if strings.HasPrefix(pkg, "internal/") && !strings.Contains(page, "`"+pkg+"`") {
			t.Errorf("%s does not name `%s`; add it to the row where it belongs", architecture, pkg)
		}
	}
}

// TestNamedPathsExist: what pages send a reader to is there.
func TestNamedPathsExist(t *testing.T) {
	root := repository(t)
	pages, _ := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	seen := 0
	for _, page := range append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		page, _ = filepath.Rel(root, page)
		for _, m := range named.FindAllStringSubmatch(read(t, page), -1) {
			seen++
			if !exists(filepath.Join(root, m[1])) {
				t.Errorf("%s names %s, which does not exist", page, m[1])
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d paths found: does the pattern still match?", seen)
	}
}

var (
	fence   = regexp.MustCompile("(?ms)^```.*?^```$")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	dropped = regexp.MustCompile(`[^\pL\pN_ -]`)
)

// TestLinksLead: a link of a page leads to a file, and to a heading in it.
func TestLinksLead(t *testing.T) {
	root := repository(t)
	seen := 0
	for _, path := range tracked(t) {
		if filepath.Ext(path) != ".md" || strings.Contains(path, "/testdata/") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		page, _ := filepath.Rel(root, path)
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(string(text), ""), -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") {
				continue
			}
			seen++
			target := path
			if to != "" {
				target = filepath.Join(filepath.Dir(path), filepath.FromSlash(to))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, m[1])
			} else if anchor != "" && filepath.Ext(target) == ".md" && !slices.Contains(anchors(t, target), anchor) {
				t.Errorf("%s links to %s, and there is no such heading", page, m[1])
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d links found: does the pattern still match?", seen)
	}
}

// anchors are the names that a page's headings have in links.
func anchors(t *testing.T, path string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(string(text), ""), -1) {
		names = append(names, strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return names
}

// A Go file, as a package comment names it: pack.go, of_*.go, py/py.go.
var goFile = regexp.MustCompile(`[\w*/]+\.go\b`)

// TestPackageComments: a package has one comment, and the files that it names exist.
func TestPackageComments(t *testing.T) {
	root := repository(t)
	for _, pkg := range packages(t) {
		files, _ := filepath.Glob(filepath.Join(root, pkg, "*.go"))
		var comments []string
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") && pkg != "internal/lint" { // which holds nothing but tests
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if f.Doc.Text() != "" {
				comments = append(comments, f.Doc.Text())
			}
		}
		if len(comments) != 1 {
			t.Errorf("%s has %d package comments, want 1", pkg, len(comments))
		}
		for _, comment := range comments {
			for _, name := range goFile.FindAllString(comment, -1) {
				if !exists(filepath.Join(root, pkg, name)) && !exists(filepath.Join(root, name)) {
					t.Errorf("the package comment of %s names %s, which does not exist", pkg, name)
				}
			}
		}
	}
}

// packages is every package of the module, by its folder: internal/stat.
func packages(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("go", "list", "./...")
	cmd.Dir = repository(t)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	all := strings.Fields(strings.ReplaceAll(string(out), module, ""))
	if !slices.Contains(all, "internal/lint") {
		t.Fatalf("go list does not list this package, only %d others", len(all))
	}
	return all
}

func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository(t), page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func exists(path string) bool {
	found, _ := filepath.Glob(strings.ReplaceAll(path, "…", "*"))
	return len(found) > 0
}
