package rule

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// Code that leads back to itself, with an end or without one, is ordinary: wrappers call what they wrap, classes derive
// from classes of their own name. Whatever of a project goes in circles, each question about it ends.
func TestCircles(t *testing.T) {
	for _, r := range rules {
		for _, path := range singleFiles(r) {
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f := pysrc.Parse(path, whole)
			for _, name := range slices.Sorted(maps.Keys(circles)) {
				turn := circles[name]
				ended := make(chan string, 1)
				go func() {
					p, err := project.FromSources(context.Background(), map[string][]byte{"case.py": turned(f, turn)})
					if err != nil {
						ended <- err.Error()
						return
					}
					ended <- panicOf(p)
				}()
				select {
				case at := <-ended:
					if at != "" {
						t.Errorf("%s, %s: %s", path, name, at)
					}
				case <-time.After(time.Minute):
					t.Fatalf("%s, %s: not done after a minute", path, name)
				}
			}
		}
	}
}

// place is a part of a file within a function and a class, if there are any.
type place struct {
	file     *pysrc.File
	function *pysrc.FunctionDef
	class    *pysrc.ClassDef
	classes  []string // of the file
}

// circle tells what to write in place of a node, or nothing.
type circle func(p place, n pysrc.Node) (pysrc.Span, string)

var circles = map[string]circle{
	"functions that return themselves":        returnsItself,
	"tests that ask the function they are in": asksItself,
	"both of these": func(p place, n pysrc.Node) (pysrc.Span, string) {
		if span, said := asksItself(p, n); said != "" {
			return span, said
		}
		return returnsItself(p, n)
	},
	"variables that are set by the function they are in": func(p place, n pysrc.Node) (pysrc.Span, string) {
		if a, ok := n.(*pysrc.Assign); ok && p.function != nil {
			return a.Value.Bounds(), p.calledAgain()
		}
		return pysrc.Span{}, ""
	},
	"values made of themselves": func(p place, n pysrc.Node) (pysrc.Span, string) {
		if a, ok := n.(*pysrc.Assign); ok && len(a.Targets) == 1 {
			return a.Value.Bounds(), p.file.Text(a.Targets[0])
		}
		return pysrc.Span{}, ""
	},
	"classes that derive from each other": func(p place, n pysrc.Node) (pysrc.Span, string) {
		c, ok := n.(*pysrc.ClassDef)
		if !ok || len(c.Bases) == 0 {
			return pysrc.Span{}, ""
		}
		next := (slices.Index(p.classes, c.Name) + 1) % len(p.classes)
		return c.Bases[0].Bounds(), p.classes[next]
	},
}

func returnsItself(p place, n pysrc.Node) (pysrc.Span, string) {
	if r, ok := n.(*pysrc.Return); ok && r.Value != nil && p.function != nil {
		return r.Value.Bounds(), p.calledAgain()
	}
	return pysrc.Span{}, ""
}

func asksItself(p place, n pysrc.Node) (pysrc.Span, string) {
	if i, ok := n.(*pysrc.If); ok && p.function != nil {
		return i.Test.Bounds(), p.calledAgain()
	}
	return pysrc.Span{}, ""
}

// calledAgain calls the function of a place with its own parameters.
func (p place) calledAgain() string {
	var given []string
	for _, a := range p.function.Args.Args {
		given = append(given, a.Name)
	}
	name := p.function.Name
	if p.class != nil && len(given) > 0 {
		name, given = given[0]+"."+name, given[1:]
	}
	return name + "(" + strings.Join(given, ", ") + ")"
}

// turned is a file with what is written in place of its nodes.
func turned(f *pysrc.File, turn circle) []byte {
	at := place{file: f}
	pysrc.Inspect(f.Module, func(n pysrc.Node) bool {
		if c, ok := n.(*pysrc.ClassDef); ok {
			at.classes = append(at.classes, c.Name)
		}
		return true
	})
	var text []byte
	from := int32(0)
	var visit func(at place) func(pysrc.Node) bool
	visit = func(at place) func(pysrc.Node) bool {
		return func(n pysrc.Node) bool {
			if span, said := turn(at, n); said != "" && span.Start >= from {
				text = append(append(text, f.Src[from:span.Start]...), said...)
				from = span.End
			}
			switch n := n.(type) {
			case *pysrc.FunctionDef:
				at.function = n
				for _, s := range n.Body {
					pysrc.Inspect(s, visit(at))
				}
				return false
			case *pysrc.ClassDef:
				at.class = n
				for _, s := range n.Body {
					pysrc.Inspect(s, visit(at))
				}
				return false
			}
			return true
		}
	}
	pysrc.Inspect(f.Module, visit(at))
	return append(text, f.Src[from:]...)
}
