package project

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"saturate/internal/pysrc"
)

// extract writes the files of a txtar archive into a folder of the test.
func extract(t testing.TB, archive string) string {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "project")
	for _, f := range a.Files {
		write(t, filepath.Join(dir, f.Name), f.Data)
	}
	return dir
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func load(t testing.TB, paths ...string) *Project {
	t.Helper()
	p, err := Load(context.Background(), paths, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func loadText(t testing.TB, files map[string]string) *Project {
	t.Helper()
	sources := map[string][]byte{}
	for name, text := range files {
		sources[name] = []byte(text)
	}
	p, err := FromSources(context.Background(), sources)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// checkUnused checks whether marked code is used.
func checkUnused(t *testing.T, label string, p *Project, want map[string]bool) {
	t.Helper()
	checkMarked(t, label, p, "unused", want, p.Unused)
}

// checkMarked checks what holds for code that a text marks: itself, or by a comment at the end of its line.
func checkMarked(t *testing.T, label string, p *Project, what string, want map[string]bool, holds func(m *Module, at int32) bool) {
	t.Helper()
	for mark, wanted := range want {
		found := false
		for _, m := range p.Modules {
			at := strings.Index(string(m.Text), mark)
			if at < 0 {
				continue
			}
			found = true
			if strings.HasPrefix(mark, "#") {
				at -= len("  #")
			}
			if holds(m, int32(at)) != wanted {
				t.Errorf("%s: %q: %s is %v", label, mark, what, !wanted)
			}
		}
		if !found {
			t.Errorf("%s: %q is nowhere", label, mark)
		}
	}
}

// expected are the comments "#: …" of a module: what the test says of a line.
func expected(m *Module) map[int]string {
	wants := map[int]string{}
	for _, c := range m.File.Comments {
		if text, ok := strings.CutPrefix(string(m.Text[c.Start:c.End]), "#: "); ok {
			wants[m.LineAt(c.Start)] = strings.TrimSpace(text)
		}
	}
	return wants
}

func archives(t *testing.T, folder string, check func(t *testing.T, p *Project)) {
	t.Helper()
	list, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil || len(list) == 0 {
		t.Fatalf("no archives in testdata/%s: %v", folder, err)
	}
	for _, a := range list {
		t.Run(strings.TrimSuffix(filepath.Base(a), ".txtar"), func(t *testing.T) {
			check(t, load(t, extract(t, a)))
		})
	}
}

// TestValues evaluates each expression that stands alone on a line with a
// comment "#: …", and compares what it stands for with the comment.
func TestValues(t *testing.T) {
	archives(t, "values", func(t *testing.T, p *Project) {
		checked := 0
		for _, m := range p.Modules {
			e := p.NewEval()
			wants := expected(m)
			pysrc.Inspect(m.File.Module, func(n pysrc.Node) bool {
				s, ok := n.(*pysrc.ExprStmt)
				if !ok {
					return true
				}
				line := m.LineAt(s.End)
				want, ok := wants[line]
				if !ok {
					return true
				}
				delete(wants, line)
				checked++
				if got := p.describe(e.Of(m, s.Value)); got != want {
					t.Errorf("%s:%d: %s\n  is   %s\n  want %s", p.relative(m.Path), line, m.File.Text(s), got, want)
				}
				return true
			})
			for line, want := range wants {
				t.Errorf("%s:%d: nothing stands here that could be %s", p.relative(m.Path), line, want)
			}
		}
		if checked == 0 {
			t.Error("nothing was checked")
		}
	})
}

// describe writes a Value as the tests expect it.
func (p *Project) describe(v Value) string {
	sure := ""
	if v.Sure < 0.995 && v.Kind != Unknown {
		sure = fmt.Sprintf(" %.2f", v.Sure)
	}
	if len(v.Either) > 0 {
		var parts []string
		for _, w := range v.Either {
			parts = append(parts, p.describe(w))
		}
		return strings.Join(parts, " or ")
	}
	switch v.Kind {
	case Missing:
		return "missing"
	case Literal:
		text := ""
		switch s := v.Scalar; s.Type {
		case Null:
			text = "None"
		case Bool:
			text = fmt.Sprint(s.Bool)
		case Int:
			text = fmt.Sprint(s.Int)
		case Float:
			text = fmt.Sprint(s.Float)
		case String:
			text = fmt.Sprintf("%q", s.Text)
		}
		if o := v.Origin; o.How > InPlace {
			text += fmt.Sprintf(", %s, %s:%d", o.How, filepath.ToSlash(p.relative(o.Source.Path)), o.Source.LineAt(o.Span.Start))
		}
		return text + sure
	case Display:
		return "display" + sure
	case Key:
		return "key " + v.Setting.Path() + sure
	case Package:
		return "module " + v.Name + sure
	case Type:
		return "class " + v.Name + sure
	case Callable:
		return "function " + v.Name + sure
	case Instance:
		return "instance " + v.Name + sure
	}
	return "unknown"
}

// TestTime asks of each statement with a comment "#: …" when it runs.
func TestTime(t *testing.T) {
	archives(t, "time", func(t *testing.T, p *Project) {
		checked := 0
		for _, m := range p.Modules {
			wants := expected(m)
			pysrc.Inspect(m.File.Module, func(n pysrc.Node) bool {
				s, ok := n.(pysrc.Stmt)
				if !ok {
					return true
				}
				line := m.LineAt(startOf(s))
				want, ok := wants[line]
				if !ok || !isSimple(s) {
					return true
				}
				delete(wants, line)
				checked++
				if got := p.when(m, s); got != want {
					t.Errorf("%s:%d: %s\n  is   %s\n  want %s", p.relative(m.Path), line, m.File.Text(s), got, want)
				}
				return true
			})
			for line, want := range wants {
				t.Errorf("%s:%d: nothing stands here that could be %s", p.relative(m.Path), line, want)
			}
		}
		if checked == 0 {
			t.Error("nothing was checked")
		}
	})
}

// when tells in words when a statement runs.
func (p *Project) when(m *Module, n pysrc.Node) string {
	var words []string
	add := func(kind string, path Path) {
		text := kind
		for _, s := range path.Calls {
			text += " > " + s.Func.BaseName()
		}
		if path.Cache != nil {
			text += ", cached"
		}
		if path.Sure < 0.995 {
			text += fmt.Sprintf(" %.2f", path.Sure)
		}
		words = append(words, text)
	}
	kinds := [...]string{"sample", "collate", "transform", "mapped", "loop", "hook", "forward"}
	if path, ok := p.PerSample(m, n); ok {
		add(kinds[path.Kind], path)
	}
	if path, ok := p.Hot(m, n); ok {
		add(kinds[path.Kind], path)
	}
	if p.EvaluationOnly(m, n) {
		words = append(words, "evaluation")
	}
	if len(words) == 0 {
		return "cold"
	}
	return strings.Join(words, "; ")
}
