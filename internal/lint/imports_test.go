// Package lint holds the checks that keep the house in order: architecture is a test.
package lint

import (
	_ "embed"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed imports.txt
var importsTable string

const module = "saturate/"

// table is imports.txt, read.
type table struct {
	level map[string]int      // internal path -> line
	only  map[string][]string // library prefix -> internal paths that may import it
}

func readTable(t *testing.T, text string) table {
	t.Helper()
	tab := table{level: map[string]int{}, only: map[string][]string{}}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "only":
			if len(words) < 4 || words[2] != "imports" {
				t.Fatalf("imports.txt:%d: not of the form: only PATH imports LIBRARY…", i+1)
			}
			for _, library := range words[3:] {
				tab.only[library] = append(tab.only[library], words[1])
			}
		default:
			for _, w := range words {
				tab.level[w] = i
			}
		}
	}
	return tab
}

// place is the longest listed path that holds the package.
func (tab table) place(internal string) (string, bool) {
	for p := internal; p != "."; p = filepath.ToSlash(filepath.Dir(p)) {
		if _, ok := tab.level[p]; ok {
			return p, true
		}
	}
	return "", false
}

// complaint says why pkg may not import path, or "".
func (tab table) complaint(pkg, path string) string {
	for library, owners := range tab.only {
		if path != library && !strings.HasPrefix(path, library+"/") {
			continue
		}
		for _, owner := range owners {
			if pkg == owner || strings.HasPrefix(pkg, owner+"/") {
				return ""
			}
		}
		return "only " + strings.Join(owners, " and ") + " may import " + library
	}
	target, ours := strings.CutPrefix(path, module+"internal/")
	if !ours {
		return ""
	}
	from, ok := tab.place(pkg)
	if !ok {
		return "it is not listed in imports.txt"
	}
	to, ok := tab.place(target)
	if !ok {
		return target + " is not listed in imports.txt"
	}
	if from != to && tab.level[from] <= tab.level[to] {
		return from + " is not above " + to
	}
	return ""
}

func TestImportsGoOneWay(t *testing.T) {
	tab := readTable(t, importsTable)
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := 0
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		pkg, internal := strings.CutPrefix(p.ImportPath, module+"internal/")
		seen++
		for _, path := range p.Imports {
			if p.ImportPath == module+"cmd/saturate" && strings.HasPrefix(path, module+"internal/") && path != module+"internal/cli" {
				t.Errorf("%s imports %s: main only calls cli", p.ImportPath, path)
			}
			if c := tab.complaint(pkg, path); internal && c != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, path, c)
			}
		}
	}
	if seen < 5 {
		t.Fatalf("go list found %d packages: is this still the whole module?", seen)
	}
}

func TestTheTableBites(t *testing.T) {
	tab := readTable(t, importsTable)
	for _, tt := range []struct {
		pkg, path string
		ok        bool
	}{
		{"cli", "saturate/internal/report", true},
		{"report", "saturate/internal/cli", false},
		{"stat", "saturate/internal/config", false},
		{"trace/chrome", "saturate/internal/trace", true},
		{"trace", "saturate/internal/trace/chrome", false},
		{"trace/chrome", "saturate/internal/trace/chrome/lex", true},
		{"run", "github.com/spf13/cobra", false},
		{"cli", "github.com/spf13/cobra/doc", true},
		{"stat", "golang.org/x/perf/benchmath", true},
		{"nowhere", "saturate/internal/stat", false},
	} {
		if got := tab.complaint(tt.pkg, tt.path); (got == "") != tt.ok {
			t.Errorf("%s imports %s: %q, want ok = %v", tt.pkg, tt.path, got, tt.ok)
		}
	}
}

// repository is the root of the checkout.
func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return root
}
