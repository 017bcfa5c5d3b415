package pysrc

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// reflectChildren finds the children of a node by reflection, for comparison
// with the code that names each field.
func reflectChildren(n Node) map[Node]bool {
	children := map[Node]bool{}
	v := reflect.ValueOf(n).Elem()
	var add func(reflect.Value)
	add = func(f reflect.Value) {
		switch f.Kind() {
		case reflect.Slice:
			for i := range f.Len() {
				add(f.Index(i))
			}
		case reflect.Interface, reflect.Pointer:
			if !f.IsNil() {
				if child, ok := f.Interface().(Node); ok {
					children[child] = true
				}
			}
		}
	}
	for i := range v.NumField() {
		add(v.Field(i))
	}
	return children
}

// TestChildren sees that Children leaves out no field of any node.
func TestChildren(t *testing.T) {
	paths, _ := filepath.Glob("testdata/trees/*.py")
	kinds := map[string]bool{}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		Inspect(Parse(path, append(src, "\nx = = 1\n    y\n"...)).Module, func(n Node) bool {
			kinds[fmt.Sprintf("%T", n)] = true
			want := reflectChildren(n)
			Children(n, func(child Node) {
				if !want[child] {
					t.Errorf("%T has the child %T twice or not at all", n, child)
				}
				delete(want, child)
			})
			for child := range want {
				t.Errorf("Children of %T leaves out %T", n, child)
			}
			return true
		})
	}
	// Module, 25 statements, 29 expressions, 8 patterns, 3 type parameters, 8 parts.
	if want := 1 + 25 + 29 + 8 + 3 + 8; len(kinds) != want {
		t.Errorf("%d kinds of nodes were seen, want %d: %v", len(kinds), want, kinds)
	}
}

func TestInspectOrder(t *testing.T) {
	f := Parse("", []byte("@a\ndef b(c, d: e = f, *g, h=i, **j) -> k:\n    l if m else {n: o, **p}\n    q[r:s] = t(u, *v, w=x)\n"))
	var names []string
	Inspect(f.Module, func(n Node) bool {
		switch n := n.(type) {
		case *Name:
			names = append(names, n.ID)
		case *Arg:
			names = append(names, n.Name)
		}
		return true
	})
	if got, want := strings.Join(names, ""), "acdefghijklmnopqrstuvx"; got != want {
		t.Errorf("names in the order %s, want %s", got, want)
	}
}

func TestInspectPath(t *testing.T) {
	f := Parse("", []byte("class A:\n    def b(self):\n        c()\n"))
	InspectPath(f.Module, func(n Node, path []Node) bool {
		if call, ok := n.(*Call); ok {
			var kinds []string
			for _, p := range path {
				kinds = append(kinds, strings.TrimPrefix(fmt.Sprintf("%T", p), "*pysrc."))
			}
			if got := strings.Join(kinds, " "); got != "Module ClassDef FunctionDef ExprStmt" {
				t.Errorf("the call %s is under %s", f.Text(call), got)
			}
			return false
		}
		if _, ok := n.(*Name); ok {
			t.Error("went into a node that was refused")
		}
		return true
	})
}
