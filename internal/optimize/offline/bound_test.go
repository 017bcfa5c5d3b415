package offline

import (
	"strings"
	"testing"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// A variable that is set only under a condition does not go into the key: it may not exist.
func TestSetUnderACondition(t *testing.T) {
	for body, want := range map[string]bool{
		"x = 1":                          true,
		"if a:\n  x = 1":                 false,
		"if a:\n  x = 1\nelse:\n  x = 2": true,
		"if a:\n  x = 1\nelse:\n  raise ValueError":  true,
		"if a:\n  return 1\nx = 1":                   true,
		"for x in a:\n  pass":                        false,
		"while a:\n  x = 1":                          false,
		"with a as x:\n  pass":                       true,
		"with a:\n  x = 1":                           true,
		"try:\n  x = 1\nexcept OSError:\n  pass":     false,
		"try:\n  x = 1\nexcept OSError:\n  return 1": true,
		"try:\n  pass\nfinally:\n  x = 1":            true,
		"if a:\n  x = 1\n  use(x)":                   true, // there, not behind it
		"for x in a:\n  use(x)":                      true,
		"import x":                                   true,
	} {
		if !strings.Contains(body, "use") {
			body += "\nuse(x)"
		}
		source := "def f(self, a):\n " + strings.ReplaceAll(body, "\n", "\n ") + "\n"
		file := pysrc.Parse("f.py", []byte(source))
		if len(file.Errors) > 0 {
			t.Fatalf("%s: %v", source, file.Errors)
		}
		fn := &project.Function{Def: file.Module.Body[0].(*pysrc.FunctionDef)}
		if got := surelySet(fn, "x", int32(strings.Index(source, "use"))); got != want {
			t.Errorf("%v, want %v:\n%s", got, want, source)
		}
	}
	fn := &project.Function{Def: pysrc.Parse("f.py", []byte("def f(x):\n  use(x)\n")).Module.Body[0].(*pysrc.FunctionDef)}
	if !surelySet(fn, "x", 12) {
		t.Error("a parameter is set")
	}
}
