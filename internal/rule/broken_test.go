package rule

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"testing"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// TestBroken takes parts out of every test case that is a single file, as an editor leaves it in the middle of a
// change: bodies, parameters, arguments, whole calls. Rules may find what they like in the rest, and must not panic.
// Without SATURATE_ACCEPT it takes every sixth part of each file, and starts at another one in the next file.
func TestBroken(t *testing.T) {
	faults := map[string]bool{}
	files, every := 0, 6
	if os.Getenv("SATURATE_ACCEPT") != "" {
		every = 1
	}
	for _, r := range rules {
		for _, path := range singleFiles(r) {
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files++
			for i, cut := range cuts(pysrc.Parse(path, whole)) {
				if (i+files)%every != 0 {
					continue
				}
				text := slices.Concat(whole[:cut.Start], whole[cut.End:])
				p, err := project.FromSources(context.Background(), map[string][]byte{"case.py": text})
				if err != nil {
					t.Fatal(err)
				}
				if at := panicOf(p); at != "" && !faults[at] {
					faults[at] = true
					t.Errorf("%s without bytes %d to %d: %s", path, cut.Start, cut.End, at)
				}
			}
		}
	}
}

// panicOf runs the rules here, and not in a goroutine as run does, where nobody can catch a panic: it gives the panic
// and the place in this package it came from, or nothing.
func panicOf(p *project.Project) (at string) {
	defer func() {
		if r := recover(); r != nil {
			places := regexp.MustCompile(`internal/(?:rule|project)/[a-z_]+\.go:\d+`).FindAllString(string(debug.Stack()), 3)
			at = fmt.Sprint(r, " in ", places)
		}
	}()
	for _, m := range p.Modules {
		onModule(p, m, rules, tablesOf(p))
	}
	return ""
}

// cuts are the parts of a file that are taken out, one at a time.
func cuts(f *pysrc.File) (list []pysrc.Span) {
	add := func(body []pysrc.Stmt) {
		if len(body) > 0 {
			list = append(list, pysrc.Span{Start: body[0].Bounds().Start, End: body[len(body)-1].Bounds().End})
		}
	}
	pysrc.Inspect(f.Module, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.FunctionDef:
			add(n.Body)
			list = append(list, n.Args.Span)
		case *pysrc.ClassDef:
			add(n.Body)
		case *pysrc.For:
			add(n.Body)
			add(n.Orelse)
		case *pysrc.While:
			add(n.Body)
		case *pysrc.If:
			add(n.Body)
			add(n.Orelse)
		case *pysrc.With:
			add(n.Body)
		case *pysrc.Try:
			add(n.Body)
		case *pysrc.ExceptHandler:
			add(n.Body)
		case *pysrc.Call:
			if a, ok := n.Func.(*pysrc.Attribute); ok { // of x.f() only f() stays
				list = append(list, pysrc.Span{Start: a.Start, End: a.End - int32(len(a.Attr))})
			}
			list = append(list, n.Span, pysrc.Span{Start: n.Func.Bounds().End, End: n.End})
			if n.End > n.Func.Bounds().End+2 {
				list = append(list, pysrc.Span{Start: n.Func.Bounds().End + 1, End: n.End - 1})
			}
		}
		return true
	})
	return list
}
