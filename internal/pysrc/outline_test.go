package pysrc

import (
	"slices"
	"testing"
)

// TestOutline: an outline has the statements of the top level and the heads of functions and classes, and nothing of
// their bodies.
func TestOutline(t *testing.T) {
	const src = `import a
X = 1
class C(a.B):
    y: int = 2
    def f(self, x=3):
        def inner():
            return x
        if x:
            return inner()
        return [
            1,
    ]

    async def g(self): return 4
if X:
    def h(): # comment
        pass
def last():
    """doc"""
    while True:
        yield 5`
	var names []string
	whole := Parse("x.py", []byte(src))
	collect := func(f *File) (spans []Span) {
		Inspect(f.Module, func(n Node) bool {
			switch n := n.(type) {
			case *FunctionDef:
				spans = append(spans, n.Span)
				names = append(names, n.Name)
				return false
			case *ClassDef:
				spans = append(spans, n.Span)
				names = append(names, n.Name)
				return false
			case *Assign:
				spans = append(spans, n.Bounds())
			}
			return true
		})
		return spans
	}
	if !Outline("x.py", []byte(src), func(name string) bool { return name == "absent" }, func(f *File) {
		if got, want := collect(f), collect(whole); !slices.Equal(got, want) {
			t.Errorf("spans %v, want %v", got, want)
		}
	}) {
		t.Fatal("no outline")
	}
	if want := []string{"C", "h", "last"}; !slices.Equal(names[:3], want) {
		t.Errorf("definitions %v", names[:3])
	}
	for _, wanted := range []string{"inner", "a", "C", "last"} {
		if Outline("x.py", []byte(src), func(name string) bool { return name == wanted }, func(*File) {}) {
			t.Errorf("an outline though %s is there", wanted)
		}
	}
	if Outline("x.py", []byte("def f():\n    x = (\n"), func(string) bool { return false }, func(*File) {}) {
		t.Error("an outline of what is not Python")
	}
}

// FuzzOutline: whatever the text, an outline ends, and where there is one the whole file has the same top level.
func FuzzOutline(f *testing.F) {
	f.Add([]byte("def f():\n  pass\nx = 1\n"))
	f.Add([]byte("class A:\n\tdef g(self):\n\t\treturn '''\n'''\n"))
	f.Add([]byte("def f(x):\n  é = f'{x!r:>{10}} wanted' + rb'a' \\\n    + .5\n  # c\n  return {x: [1_0, 0x1f],\n}; y = x.z # d\n\n\nz = 2"))
	f.Add([]byte("def f(x):\n  return f'{wanted}'\n"))
	f.Add([]byte("def f(x):\n  return (wanted\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		Outline("x.py", src, func(name string) bool { return name == "wanted" }, func(o *File) {
			whole := Parse("x.py", src)
			if len(whole.Errors) > 0 {
				return
			}
			if len(o.Module.Body) != len(whole.Module.Body) {
				t.Fatalf("%d statements, and %d in full", len(o.Module.Body), len(whole.Module.Body))
			}
			for i, s := range o.Module.Body {
				if s.Bounds() != whole.Module.Body[i].Bounds() {
					t.Errorf("%v, and %v in full", s.Bounds(), whole.Module.Body[i].Bounds())
				}
			}
		})
	})
}
