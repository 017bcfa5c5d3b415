package pysrc

import (
	"strings"
	"testing"
)

// TestHostile parses what is made to exhaust a parser: the stack, or time that
// grows faster than the file. Time is counted in tokens read.
func TestHostile(t *testing.T) {
	const n = 100_000
	long := func(s string) string { return strings.Repeat(s, n) }
	for name, src := range map[string]string{
		"open parentheses":        long("("),
		"open brackets":           long("["),
		"open braces":             long("{"),
		"open calls":              long("f("),
		"open subscripts":         long("a["),
		"open parens on lines":    long("(\n"),
		"open lines":              long("x = (\n"),
		"unclosed statements":     long("def f(a,\n  b\n"),
		"mismatched brackets":     long("x = (]\n"),
		"closing parentheses":     long(")"),
		"balanced deep":           strings.Repeat("(", n) + strings.Repeat(")", n),
		"minus":                   long("-") + "1",
		"not":                     long("not ") + "x",
		"tilde":                   long("~") + "x",
		"power":                   long("2**") + "2",
		"lambda":                  long("lambda:") + "1",
		"conditional":             long("a if b else ") + "c",
		"sum":                     long("a+") + "a",
		"attributes":              "a" + long(".a"),
		"calls":                   "a" + long("()"),
		"subscripts":              "a" + long("[0]"),
		"comparisons":             long("a<") + "a",
		"or":                      long("a or ") + "a",
		"assignments":             long("a=") + "a",
		"elif":                    "if a: pass\n" + long("elif a: pass\n"),
		"chains in parentheses":   strings.Repeat("(", 150) + strings.Repeat("a+a+a+a+a+a+a+a+a+a)+", 150) + "1",
		"tuples":                  long("a,"),
		"strings":                 long("'a' "),
		"f-strings":               long("f'{"),
		"nested f-strings":        strings.Repeat("f'{", n) + strings.Repeat("}'", n),
		"fields":                  "f'" + long("{a}") + "'",
		"nested specifications":   "f'" + long("{a:") + long("}") + "'",
		"unterminated strings":    long("'\n"),
		"unterminated docstrings": long("'''\n\"\"\"\n"),
		"triple quotes":           long("\"\"\"a"),
		"indents":                 indents(2000),
		"unindents":               long("  if a:\n b\n"),
		"decorators":              long("@a\n"),
		"else":                    long("else:\n"),
		"try":                     long("try:\n"),
		"with":                    long("with (a,\n"),
		"with parens":             long("with (((a))): pass\n"),
		"match":                   long("match a:\n"),
		"case":                    "match a:\n" + long(" case a:\n  pass\n"),
		"nested patterns":         "match a:\n case " + long("[") + long("]") + ": pass\n",
		"or patterns":             "match a:\n case " + long("a|") + "a: pass\n",
		"backslashes":             long("\\\n"),
		"tabs":                    long("\tif a:\n"),
		"semicolons":              long(";"),
		"colons":                  long(":"),
		"missing commas":          "(" + long("a b\n") + ")",
		"adjacent":                long("(a {b "),
		"escapes":                 "'" + long("\\N{BULLET}") + "'",
		"comments":                long("# coding\n"),
		"parameters":              "def f(" + long("a,") + "b): pass",
		"generators":              "[a " + long("for a in a ") + "]",
		"dots":                    "from " + long(".") + " import a",
		"digits":                  long("1"),
		"names":                   long("é"),
		"form feeds":              long("\f"),
		"missing blocks":          long("if a:\n"),
		"stars":                   long("*"),
		"soft keywords":           long("match "),
		"type parameters":         "def f[" + long("T,") + "](): pass",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := decode([]byte(src))
			p := new(parser)
			p.reset(s, lineStarts(s.text, s.bom))
			body := p.file()
			if p.work > 4*len(src)+10*maxRestarts {
				t.Errorf("%d tokens were read of %d bytes", p.work, len(src))
			}
			nodes := 0
			Inspect(&Module{Body: body}, func(Node) bool { nodes++; return true })
			if nodes > 4*len(src)+10 {
				t.Errorf("%d nodes of %d bytes", nodes, len(src))
			}
			if len(p.faults) > maxFaults+1 {
				t.Errorf("%d errors", len(p.faults))
			}
		})
	}
}

func indents(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i))
		b.WriteString("if a:\n")
	}
	return b.String()
}

// TestDepthLimits holds the numbers at which CPython's tokenizer gives up.
func TestDepthLimits(t *testing.T) {
	for _, c := range []struct {
		src   string
		error string
	}{
		{strings.Repeat("(", 200) + strings.Repeat(")", 200), ""},
		{strings.Repeat("(", 201) + strings.Repeat(")", 201), "too many nested parentheses"},
		{indents(99) + strings.Repeat(" ", 99) + "pass", ""},
		{indents(100) + strings.Repeat(" ", 100) + "pass", "too many levels of indentation"},
		{strings.Repeat("-", 1000) + "1", ""},
		{strings.Repeat("-", 2000) + "1", "too many nested expressions"},
		{strings.Repeat("a+", 9000) + "a", ""},
		{strings.Repeat("a+", 11000) + "a", "too many nested expressions"},
		{"f'{a:{b:{c}}}'", ""},
		{"f'{a:{b:{c:{d}}}}'", "f-string: expressions nested too deeply"},
		{strings.Repeat("1", 4300), ""},
		{strings.Repeat("1", 4301), tooManyDigits},
		{"0x" + strings.Repeat("1", 4301), ""},
	} {
		got := ""
		if err := Parse("", []byte(c.src)).Err(); err != nil {
			got = err.Message
		}
		if got != c.error {
			t.Errorf("%.20s…: error %q, want %q", c.src, got, c.error)
		}
	}
}
