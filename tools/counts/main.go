// Counts prints the figures by which this code is kept in order: long lines, tangled functions, names that are exported
// for nobody, rule codes written outside their rule, and lines that stand twice. `make counts` runs it.
//
// It reads the tree with the Go tools alone. Run it before and after a change; with -v it names each place.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// listed is what `go list` tells about a package.
type listed struct {
	ImportPath, Dir, Export, Name string
	GoFiles                       []string
	Standard                      bool
	Module                        *struct{ Main bool }
	TestGoFiles, XTestGoFiles     []string
}

func main() {
	verbose := flag.Bool("v", false, "name each place")
	flag.Parse()
	if err := count(os.Stdout, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "counts:", err)
		os.Exit(1)
	}
}

func count(w io.Writer, verbose bool) error {
	packages, err := list()
	if err != nil {
		return err
	}
	exports := map[string]string{}
	for _, p := range packages {
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(exports[path])
	})
	c := counter{fset: fset, exported: map[string]token.Position{}, used: map[string]bool{}}
	for _, p := range packages {
		if p.Module == nil || !p.Module.Main {
			continue
		}
		if err := c.read(p, imports); err != nil {
			return err
		}
	}
	return c.print(w, verbose)
}

// list are all packages of the program, with what they import.
func list() ([]listed, error) {
	cmd := exec.Command("go", "list", "-deps", "-export",
		"-json=ImportPath,Dir,Export,Name,GoFiles,Standard,Module,TestGoFiles,XTestGoFiles", "./...")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, said.String())
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

type counter struct {
	fset            *token.FileSet
	long, longTests []string
	codes           []string
	functions       int
	tangled         []string
	said            [][]line // of each file that is not a test
	exported        map[string]token.Position
	used            map[string]bool
}

// read type-checks a package and notes what it exports, what it uses of others, and its long lines.
func (c *counter) read(p listed, imports types.Importer) error {
	var files []*ast.File
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		f, err := parser.ParseFile(c.fset, path, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, f)
		c.codesOf(f)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				c.functions++
				if n := branches(fn); n > 20 {
					c.tangled = append(c.tangled, fmt.Sprintf("%d %s %s", n, fn.Name.Name, c.fset.Position(fn.Pos())))
				}
			}
		}
	}
	for _, names := range [][]string{p.GoFiles, p.TestGoFiles, p.XTestGoFiles} {
		for _, name := range names {
			if err := c.lines(filepath.Join(p.Dir, name)); err != nil {
				return err
			}
		}
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	pkg, err := (&types.Config{Importer: imports}).Check(p.ImportPath, c.fset, files, info)
	if err != nil {
		return err
	}
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		if o := scope.Lookup(name); o.Exported() && p.Name != "main" {
			c.exported[p.ImportPath+"."+name] = c.fset.Position(o.Pos())
		}
	}
	for _, o := range info.Uses {
		if o.Pkg() != nil && o.Pkg().Path() != p.ImportPath {
			c.used[o.Pkg().Path()+"."+o.Name()] = true
		}
	}
	return nil
}

func (c *counter) lines(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !strings.HasSuffix(path, "_test.go") {
		c.said = append(c.said, significant(path, string(text)))
	}
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case len(line) <= 120:
		case strings.HasSuffix(path, "_test.go"):
			c.longTests = append(c.longTests, fmt.Sprintf("%s:%d", path, i+1))
		default:
			c.long = append(c.long, fmt.Sprintf("%s:%d", path, i+1))
		}
	}
	return nil
}

var code = regexp.MustCompile(`^"(SAT|TRC|PRF)[0-9]{3}"$`)

// codesOf notes rule codes that are written as strings of their own, other than a rule's own Code.
func (c *counter) codesOf(f *ast.File) {
	own := map[ast.Node]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Code" {
				own[n.Value] = true
			}
		case *ast.BasicLit:
			if !own[n] && code.MatchString(n.Value) {
				c.codes = append(c.codes, fmt.Sprintf("%s %s", n.Value, c.fset.Position(n.Pos())))
			}
		}
		return true
	})
}

// branches is the cyclomatic complexity of a function, as gocyclo counts it: 1, and 1 for each if, for, case and
// logical operator.
func branches(fn *ast.FuncDecl) int {
	n := 1
	ast.Inspect(fn, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

func (c *counter) print(w io.Writer, verbose bool) error {
	var unused []string
	for name, at := range c.exported {
		if !c.used[name] {
			unused = append(unused, fmt.Sprintf("%s %s", name, at))
		}
	}
	slices.Sort(unused)
	slices.SortFunc(c.tangled, func(a, b string) int { return strings.Compare(b, a) })
	for _, row := range []struct {
		what  string
		found []string
	}{
		{"lines over 120 bytes", c.long},
		{"lines over 120 bytes in tests", c.longTests},
		{fmt.Sprintf("functions of %d with a complexity over 20", c.functions), c.tangled},
		{fmt.Sprintf("exported names of %d that no other package uses", len(c.exported)), unused},
		{"rule codes as strings outside their rule", c.codes},
		{fmt.Sprintf("runs of %d lines or more that stand elsewhere too", repeatLines), repeats(c.said)},
	} {
		fmt.Fprintf(w, "%5d  %s\n", len(row.found), row.what)
		if verbose {
			here, _ := os.Getwd()
			for _, f := range row.found {
				fmt.Fprintf(w, "       %s\n", strings.ReplaceAll(f, here+string(filepath.Separator), ""))
			}
		}
	}
	return nil
}
