package pysrc

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// breakSource damages a file in one place, as an editor or a merge would.
func breakSource(r *rand.Rand, src []byte) (damage string, broken []byte) {
	tokens, _, _ := allTokens(src)
	var places []token
	for _, t := range tokens {
		if t.End > t.Start && t.Kind != tokNewline {
			places = append(places, t)
		}
	}
	if len(places) < 2 {
		return "", nil
	}
	i := r.IntN(len(places) - 1)
	a, b, other := places[i], places[i+1], places[r.IntN(len(places))]
	text := func(t token) string { return string(src[t.Start:t.End]) }
	replace := func(from, to int32, with string) []byte {
		return append(append(append([]byte{}, src[:from]...), with...), src[to:]...)
	}
	at := int32(r.IntN(len(src)))
	switch r.IntN(9) {
	case 0:
		return "delete " + text(a), replace(a.Start, a.End, "")
	case 1:
		return "double " + text(a), replace(a.Start, a.End, text(a)+" "+text(a))
	case 2:
		return "swap " + text(a) + " and " + text(b), replace(a.Start, b.End, text(b)+" "+text(a))
	case 3:
		return "replace " + text(a) + " by " + text(other), replace(a.Start, a.End, text(other))
	case 4:
		return "insert " + text(other), replace(a.Start, a.Start, text(other)+" ")
	case 5:
		return "cut", src[:a.End]
	case 6:
		return fmt.Sprintf("delete byte %q", src[at]), replace(at, at+1, "")
	case 7:
		const bytes = "()[]{}'\"\\\n\t :=,.#\x00\r$!0e_é@*"
		c := string([]rune(bytes)[r.IntN(len([]rune(bytes)))])
		return fmt.Sprintf("insert byte %q", c), replace(a.Start, a.Start, c)
	default:
		lines := lineStarts(src, 0)
		start := lines[r.IntN(len(lines))]
		if start < int32(len(src)) && src[start] == ' ' {
			return "unindent", replace(start, start+1, "")
		}
		return "indent", replace(start, start, " ")
	}
}

// brokenFiles writes n damaged files and says what was done to each.
func brokenFiles(t *testing.T, exe string, n int) (paths []string, damage map[string]string) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 7))
	dir := t.TempDir()
	damage = map[string]string{}
	all := sources(t, exe)
	for len(paths) < n {
		from := all[r.IntN(len(all))]
		src, err := os.ReadFile(from)
		if err != nil || len(src) > 20000 || len(decode(src).text) != len(src) {
			continue
		}
		what, broken := breakSource(r, src)
		if broken == nil {
			continue
		}
		path := filepath.Join(dir, fmt.Sprintf("%04d.py", len(paths)))
		if err := os.WriteFile(path, broken, 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
		damage[path] = fmt.Sprintf("%s in %s", what, from)
	}
	return paths, damage
}

// TestBrokenFilesEqualCPython compares what is refused, and on which line.
func TestBrokenFilesEqualCPython(t *testing.T) {
	exe := os.Getenv("SATURATE_TEST_PYTHON")
	if exe == "" {
		t.Skip("SATURATE_TEST_PYTHON names no interpreter")
	}
	n := 500
	if os.Getenv("SATURATE_ORACLE") != "" {
		n = 5000
	}
	p := startPython(t, exe)
	paths, damage := brokenFiles(t, exe, n)
	var refused, agree, sameLine, sameMessage int
	p.ask(paths, func(path string, a answer) {
		src, _ := os.ReadFile(path)
		f := Parse(path, src)
		ours := f.Err()
		if (a.hash == "") == (ours != nil) {
			agree++
		} else {
			t.Logf("%s: ours %v, CPython line %d: %s", damage[path], ours, a.line, a.message)
			return
		}
		if ours == nil {
			if hashOf(dump(f, p.minor)) != a.hash {
				t.Errorf("%s: another tree", damage[path])
			}
			return
		}
		refused++
		if ours.Line == a.line || a.line == 0 {
			sameLine++
		} else {
			t.Logf("%s: ours %v, CPython line %d: %s", damage[path], ours, a.line, a.message)
		}
		if ours.Message == a.message {
			sameMessage++
		}
	})
	t.Logf("%d files: %d judged alike; of %d refused %d on the same line, %d with the same message", n, agree, refused, sameLine, sameMessage)
	// Older versions blame f-strings on other lines and refuse newer syntax.
	if agree*1000 < n*998 || sameLine*1000 < refused*990 {
		t.Error("CPython judges too many of them otherwise")
	}
}
