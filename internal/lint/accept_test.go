package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// acceptance are the runs of `make accept`: a pattern of tests, and the packages it is for.
type acceptance struct {
	pattern  *regexp.Regexp
	packages []string
}

func acceptances(t *testing.T) (all []acceptance) {
	t.Helper()
	for _, m := range regexp.MustCompile(`\$\(ACCEPT\) -run '?([^' ]+)'? (\./.*)`).FindAllStringSubmatch(read(t, "Makefile"), -1) {
		all = append(all, acceptance{regexp.MustCompile(m[1]), strings.Fields(m[2])})
	}
	return all
}

func (a acceptance) runs(pkg, test string) bool {
	for _, p := range a.packages {
		p = strings.TrimPrefix(p, "./")
		if pkg == p || strings.HasSuffix(p, "/...") && strings.HasPrefix(pkg+"/", strings.TrimSuffix(p, "...")) {
			return a.pattern.MatchString(test)
		}
	}
	return false
}

// TestAcceptanceIsRun: a test that shows more with SATURATE_ACCEPT is one of those that `make accept` runs.
func TestAcceptanceIsRun(t *testing.T) {
	list := acceptances(t)
	if len(list) == 0 {
		t.Fatal("make accept runs no test")
	}
	seen := 0
	for _, path := range tracked(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		pkg, _ := filepath.Rel(repository(t), filepath.Dir(path))
		if !strings.HasSuffix(path, "_test.go") || pkg == "internal/lint" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") {
				continue
			}
			body := string(text[f.Pos()-file.FileStart : f.End()-file.FileStart])
			if !strings.Contains(body, "SATURATE_ACCEPT") && !strings.Contains(body, "accepting()") {
				continue
			}
			seen++
			run := false
			for _, a := range list {
				run = run || a.runs(filepath.ToSlash(pkg), f.Name.Name)
			}
			if !run {
				t.Errorf("%s of %s: `make accept` does not run it; add it to a pattern in the Makefile", f.Name.Name, pkg)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d tests ask for SATURATE_ACCEPT", seen)
	}
}
