package pysrc

import (
	"fmt"
	"strings"
	"testing"
)

// brokenSources are sources with errors. kept lists what must still be found:
// the names of functions, classes and called functions, in order.
var brokenSources = []struct {
	name, src, kept, errors string
}{
	{"statement", "a()\nb( = 1\nc()\n", "a c", "2:4"},
	{"one of several", "a(); b = = c(); d()\ne()\n", "a e", "1:10"},
	{"function header", "def a(:\n    b()\ndef c():\n    d()\n", "b c d", "1:7"},
	{"function name", "def 1a():\n    b()\nc()\n", "b c", "1:6"},
	{"missing colon", "def a()\n    b()\nc()\n", "b c", "1:8"},
	{"body", "def a():\n    b()\n    x = = 1\n    c()\nd()\n", "a b c d", "3:9"},
	{"nested body", "class A:\n    def b(self):\n        c(\n    def d(self):\n        e()\nf()\n", "A b d e f", "3:10"},
	{"unclosed call", "a(\nb()\nc()\ndef d():\n    e()\n", "b c d e", "1:2"},
	{"unclosed list", "x = [\n    1,\n    2\ny = a()\ndef b(): pass\n", "a b", "1:5"},
	{"unclosed dict in a function", "def a():\n    x = {\n        'k': 1,\n    b()\n    return c()\n\ndef d():\n    e()\n", "a b c d e", "2:9"},
	{"mismatched bracket", "x = (a()]\nb()\n", "b", "1:9"},
	{"unmatched bracket", "a())\nb()\n", "a b", "1:4"},
	{"unterminated string", "a()\nx = 'abc\nb()\n", "a b", "2:5"},
	{"unterminated docstring", "a()\nx = '''abc\nb()\n", "a b", "2:5"},
	{"unterminated f-string", "a()\nx = f'{b()\nc()\n", "a c", "2:7"},
	{"unexpected indent", "a()\n    b()\nc()\n", "a b c", "2:5"},
	{"bad dedent", "if a():\n        b()\n    c()\nd()\n", "a b d", "3:5"},
	{"missing block", "def a():\nb()\nif c():\nd()\n", "a b c d", "2:1 4:1"},
	{"if without block at the end", "a()\nif b():\n", "a b", "2:8"},
	{"else header", "if a():\n    b()\nelse c():\n    d()\ne()\n", "d a b e", "3:6"},
	{"elif header", "if a():\n    b()\nelif = 1:\n    c()\nelif d():\n    e()\nelse:\n    f()\n", "c a b d e f", "3:6"},
	{"lonely else", "a()\nelse:\n    b()\nc()\n", "a b c", "2:1"},
	{"try without except", "try:\n    a()\nb()\n", "a b", "3:1"},
	{"except header", "try:\n    a()\nexcept = 1:\n    b()\nexcept C:\n    d()\nfinally:\n    e()\nf()\n", "b a d e f", "3:8"},
	{"decorator", "class A:\n    @b(\n    def c(self):\n        d()\ne()\n", "A c d e", "2:7"},
	{"decorator without function", "class A:\n    @b()\nc()\n", "A c", "3:1"},
	{"case header", "match a():\n    case = 1:\n        b()\n    case 2:\n        c()\nd()\n", "b a c d", "2:10"},
	{"no case", "match a():\n    b()\n    case 2:\n        c()\nd()\n", "b a c d", "2:5"},
	{"with header", "with a( as b:\n    c()\nd()\n", "c d", "1:9"},
	{"import", "import\nfrom a import\na()\n", "a", "1:7 2:14"},
	{"Python 2", "print 'x'\na()\nexec 'x'\nraise A, 'b'\nb()\n", "a b", "1:7 3:6 4:8"},
	{"bad character", "a()\nx = “b”\nc()\n", "a c", "2:5"},
	{"merge conflict", "a()\n<<<<<<< HEAD\nb()\n=======\nc()\n>>>>>>> x\nd()\n", "a b c d", "2:1 4:1 6:1"},
	{"tabs and spaces", "if a():\n        b()\n\tc()\nd()\n", "a b d", "3:2"},
	{"template", "a()\n{% if x %}\nb()\n", "a b", "2:2"},
	{"notebook", "%matplotlib inline\n!pip install x\na()\n", "a", "1:1 2:1"},
	{"assignment", "f() = 1\na()\n1 += 2\n[x for x in y] = 3\nb()\n", "a b", "1:1 3:1 4:1"},
	{"parameters", "def a(b, b=1, c): pass\ndef d(*): pass\ndef e(**f, g): pass\nh()\n", "h", "1:15 2:7 3:12"},
	{"invalid bytes", "a()\nx = '\xff'\nb()\n", "a b", "2:6"},
	{"line continuation", "x = 1 \\ \na()\nb() \\", "a b", "1:7 3:6"},
}

// kept lists the names found in a tree, in source order of the walk.
func kept(m *Module) string {
	var names []string
	Inspect(m, func(n Node) bool {
		switch n := n.(type) {
		case *FunctionDef:
			names = append(names, n.Name)
		case *ClassDef:
			names = append(names, n.Name)
		case *Call:
			names = append(names, DottedName(n.Func))
		}
		return true
	})
	return strings.Join(names, " ")
}

func TestRecovery(t *testing.T) {
	for _, c := range brokenSources {
		t.Run(c.name, func(t *testing.T) {
			f := Parse("broken.py", []byte(c.src))
			var errors []string
			for _, e := range f.Errors {
				errors = append(errors, fmt.Sprint(e.Position))
			}
			if got := strings.Join(errors, " "); got != c.errors {
				t.Errorf("errors at %q, want %q: %v", got, c.errors, f.Errors)
			}
			if got := kept(f.Module); got != c.kept {
				t.Errorf("kept %q, want %q", got, c.kept)
			}
			checkSpans(t, f)
		})
	}
}
