package pysrc

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// snippets collects the strings that CPython's own tests of its grammar hand
// to compile, eval and exec, and the examples in their docstrings: all the ways
// in which Python is nearly right.
func snippets(t *testing.T, exe string) []string {
	var out []string
	seen := map[string]bool{}
	add := func(s string) {
		if s != "" && len(s) < 3000 && !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	wanted := regexp.MustCompile(`/test/test_(syntax|grammar|fstring|tstring|exceptions|patma|type_params|type_aliases|positional_only_arg|keywordonlyarg|named_expressions|unpack_ex|unpack|eof|string_literals|source_encoding|except_star|dictcomps|listcomps|setcomps|genexps|generators|coroutines|with|ast|parser|peg_generator|tokenize|codeop|compile|unparse|decorators|future|scope|lambda|generator_stop|unicode_identifiers|global|int_literal|float|complex|bytes|unicodedata|extcall|descr|annotations|typechecks)[^/]*(/[^/]*)?\.py$`)
	for _, path := range sources(t, exe) {
		if !wanted.MatchString(path) {
			continue
		}
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		Inspect(Parse(path, src).Module, func(n Node) bool {
			if c, ok := n.(*Constant); ok && c.Kind == Str {
				add(c.Value)
				for _, example := range doctests(c.Value) {
					add(example)
				}
			}
			return true
		})
	}
	return out
}

// doctests returns the examples of a docstring, without their prompts.
func doctests(text string) (examples []string) {
	var current []string
	for line := range strings.Lines(text + "\n>>> end") {
		line = strings.TrimLeft(line, " \t")
		switch {
		case strings.HasPrefix(line, ">>> "):
			if current != nil {
				examples = append(examples, strings.Join(current, ""))
			}
			current = []string{line[4:]}
		case strings.HasPrefix(line, "... ") && current != nil:
			current = append(current, line[4:])
		case strings.HasPrefix(line, "...") && current != nil:
			current = append(current, "\n")
		}
	}
	return examples
}

// TestSnippetsEqualCPython compares thousands of small sources, most of them wrong.
func TestSnippetsEqualCPython(t *testing.T) {
	exe := os.Getenv("SATURATE_TEST_PYTHON")
	if exe == "" {
		t.Skip("SATURATE_TEST_PYTHON names no interpreter")
	}
	p := startPython(t, exe)
	dir := t.TempDir()
	var paths []string
	for i, s := range snippets(t, exe) {
		path := filepath.Join(dir, fmt.Sprintf("%05d.py", i))
		if err := os.WriteFile(path, []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	var accepted, refused, agree, sameTree, sameLine int
	p.ask(paths, func(path string, a answer) {
		src, _ := os.ReadFile(path)
		f := Parse(path, src)
		ours := f.Err()
		switch {
		case (a.hash == "") != (ours != nil):
			t.Logf("%q: ours %v, CPython line %d: %s", src, ours, a.line, a.message)
			return
		case ours == nil:
			accepted++
			tree := dump(f, p.minor)
			if hashOf(tree) == a.hash {
				sameTree++
			} else {
				t.Errorf("%q: %s", src, p.difference(path, tree))
			}
		default:
			refused++
			if ours.Line == a.line || a.line == 0 {
				sameLine++
			} else {
				t.Logf("%q: ours %v, CPython line %d: %s", src, ours, a.line, a.message)
			}
		}
		agree++
	})
	t.Logf("%d snippets: %d judged alike; of %d accepted %d the same tree, of %d refused %d on the same line", len(paths), agree, accepted, sameTree, refused, sameLine)
	if agree*1000 < len(paths)*998 || sameLine*1000 < refused*998 {
		t.Error("CPython judges too many of them otherwise")
	}
}
