package pysrc

import (
	"math/big"
	"testing"
)

// expression parses one expression.
func expression(t *testing.T, src string) Expr {
	t.Helper()
	f := Parse("", []byte(src))
	if err := f.Err(); err != nil {
		t.Fatalf("%q: %v", src, err)
	}
	return f.Module.Body[0].(*ExprStmt).Value
}

func TestDottedName(t *testing.T) {
	for src, want := range map[string]string{
		"a": "a", "a.b": "a.b", "a.b.c.d": "a.b.c.d", "a().b": "", "a[0].b.c": "", "'a'.b": "", "(a).b": "a.b",
	} {
		if got := DottedName(expression(t, src)); got != want {
			t.Errorf("%s is %q, want %q", src, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for src, want := range map[string]int64{
		"0": 0, "00": 0, "1_000": 1000, "0xFF": 255, "0o17": 15, "0b_101": 5, "-3": -3, "+3": 3, "0_0": 0,
	} {
		if got, ok := IntValue(expression(t, src)); !ok || got != want {
			t.Errorf("%s is %d, want %d", src, got, want)
		}
	}
	for _, src := range []string{"1.0", "'1'", "x", "True", "99999999999999999999", "--1", "1j", "-x"} {
		if got, ok := IntValue(expression(t, src)); ok {
			t.Errorf("%s is the integer %d", src, got)
		}
	}
	for src, want := range map[string]float64{"1.5": 1.5, "1e-3": 0.001, "1_0.5": 10.5, ".5": 0.5, "-2.": -2, "3": 3, "-0x10": -16} {
		if got, ok := FloatValue(expression(t, src)); !ok || got != want {
			t.Errorf("%s is %g, want %g", src, got, want)
		}
	}
	huge := expression(t, "0x1_0000_0000_0000_0000_0000").(*Constant)
	if want := new(big.Int).Lsh(big.NewInt(1), 80); huge.BigInt().Cmp(want) != 0 {
		t.Errorf("%s is %v", huge.Value, huge.BigInt())
	}
}

func TestConstants(t *testing.T) {
	if v, ok := BoolValue(expression(t, "True")); !v || !ok {
		t.Error("True")
	}
	if v, ok := BoolValue(expression(t, "False")); v || !ok {
		t.Error("False")
	}
	if _, ok := BoolValue(expression(t, "None")); ok {
		t.Error("None is no bool")
	}
	if !IsConst(expression(t, "None"), None) || IsConst(expression(t, "x"), None) {
		t.Error("IsConst")
	}
	if s, ok := StringValue(expression(t, `"a\x41" 'b'`)); !ok || s != "aAb" {
		t.Errorf("%q", s)
	}
	if _, ok := StringValue(expression(t, `b"a"`)); ok {
		t.Error("bytes are no string")
	}
}

func TestCallQueries(t *testing.T) {
	call := expression(t, "f(a, *b, c=1, **d)").(*Call)
	if k := call.Keyword("c"); k == nil || k.Name != "c" {
		t.Error("keyword c")
	}
	if call.Keyword("a") != nil {
		t.Error("keyword a")
	}
	if args, kwargs := call.Unpacks(); !args || !kwargs {
		t.Error("unpacks")
	}
	if args, kwargs := expression(t, "f(a, b=1)").(*Call).Unpacks(); args || kwargs {
		t.Error("does not unpack")
	}
}

func TestArguments(t *testing.T) {
	f := Parse("", []byte("def f(a, b=1, /, c=2, *d, e, g=3, **h):\n    'doc'\nclass A(B, metaclass=M): pass\n"))
	def := f.Module.Body[0].(*FunctionDef)
	names := ""
	for _, arg := range def.Args.All() {
		names += arg.Name
	}
	if names != "abcdegh" {
		t.Errorf("parameters %s", names)
	}
	for name, want := range map[string]int64{"b": 1, "c": 2, "g": 3} {
		if got, _ := IntValue(def.Args.Default(name)); got != want {
			t.Errorf("default of %s is %d, want %d", name, got, want)
		}
	}
	for _, name := range []string{"a", "d", "e", "h", "x"} {
		if def.Args.Default(name) != nil {
			t.Errorf("%s has a default", name)
		}
	}
	if doc, ok := Docstring(def.Body); !ok || doc != "doc" {
		t.Error("docstring")
	}
	class := f.Module.Body[1].(*ClassDef)
	if class.Keyword("metaclass") == nil || f.Text(class.NameSpan) != "A" || f.Text(def.NameSpan) != "f" {
		t.Error("class")
	}
	if _, ok := Docstring(class.Body); ok {
		t.Error("no docstring")
	}
}
