package patch

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/human"
)

// Diff is the changes as one unified diff that `git apply` and `patch -p1` take. It has no "diff --git" lines:
// with them git takes paths from the top of the repository, and below it passes over everything without a word.
func Diff(changes []Change) []byte {
	sorted := slices.SortedFunc(slices.Values(changes), func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	var out bytes.Buffer
	for _, c := range sorted {
		name := filepath.ToSlash(c.Path)
		if filepath.IsAbs(c.Path) {
			name = name[1:] // a/ and b/ stand before it
		}
		hunks := hunks(lines(c.Old), lines(c.New))
		switch {
		case len(hunks) == 0:
		case c.Old == nil:
			fmt.Fprintf(&out, "--- /dev/null\n+++ %s\n", quoted("b/"+name))
		default:
			fmt.Fprintf(&out, "--- %s\n+++ %s\n", quoted("a/"+name), quoted("b/"+name))
		}
		for _, h := range hunks {
			h.write(&out)
		}
	}
	return out.Bytes()
}

// quoted is a name as git writes it: what would end the line or steer a terminal is escaped, within quotes.
func quoted(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r == '"' || r == '\\' || human.Hidden(r) || r == '\n' || r == '\t' }) {
		if strings.ContainsRune(name, ' ') {
			name += "\t" // ends a name with spaces
		}
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(name) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "\""
}

// lines splits a text behind its newlines, which stay.
func lines(text []byte) [][]byte {
	list := bytes.SplitAfter(text, []byte("\n"))
	if len(list[len(list)-1]) == 0 {
		list = list[:len(list)-1]
	}
	return list
}

// context is how many unchanged lines stand around a change.
const context = 3

// hunk is a run of lines in a diff, each with its mark: ' ', '-' or '+'.
type hunk struct {
	oldStart, newStart int // from 0
	oldLines, newLines int
	marked             []marked
}

type marked struct {
	mark byte
	line []byte
}

func (h hunk) write(out *bytes.Buffer) {
	place := func(start, n int) string {
		if n != 0 {
			start++ // an empty range stands behind its line
		}
		if n == 1 {
			return fmt.Sprint(start)
		}
		return fmt.Sprintf("%d,%d", start, n)
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", place(h.oldStart, h.oldLines), place(h.newStart, h.newLines))
	for _, m := range h.marked {
		out.WriteByte(m.mark)
		out.Write(m.line)
		if !bytes.HasSuffix(m.line, []byte("\n")) {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// hunks groups the changed lines with those around them.
func hunks(old, fresh [][]byte) []hunk {
	script := shortestEdit(old, fresh)
	var list []hunk
	at, oldAt, newAt := 0, 0, 0
	for at < len(script) {
		if script[at].mark == ' ' {
			at, oldAt, newAt = at+1, oldAt+1, newAt+1
			continue
		}
		before := min(context, at)
		if len(list) > 0 {
			before = min(before, oldAt-list[len(list)-1].oldStart-list[len(list)-1].oldLines)
		}
		h := hunk{oldStart: oldAt - before, newStart: newAt - before}
		end, quiet := at, 0
		for end < len(script) && quiet <= 2*context {
			if script[end].mark == ' ' {
				quiet++
			} else {
				quiet = 0
			}
			end++
		}
		end -= max(0, quiet-context)
		h.marked = script[at-before : end]
		for _, m := range h.marked {
			if m.mark != '+' {
				h.oldLines++
			}
			if m.mark != '-' {
				h.newLines++
			}
		}
		list = append(list, h)
		at, oldAt, newAt = end, h.oldStart+h.oldLines, h.newStart+h.newLines
	}
	return list
}

// shortestEdit is Myers' algorithm: the fewest lines out and in that lead from one text to the other.
func shortestEdit(old, fresh [][]byte) []marked {
	head := 0
	for head < len(old) && head < len(fresh) && bytes.Equal(old[head], fresh[head]) {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(fresh)-head && bytes.Equal(old[len(old)-1-tail], fresh[len(fresh)-1-tail]) {
		tail++
	}
	var script []marked
	for _, l := range old[:head] {
		script = append(script, marked{' ', l})
	}
	script = append(script, middle(old[head:len(old)-tail], fresh[head:len(fresh)-tail])...)
	for _, l := range old[len(old)-tail:] {
		script = append(script, marked{' ', l})
	}
	return script
}

// mostSteps bounds the search in texts that have little in common; beyond it the one is replaced by the other.
const mostSteps = 2000

func middle(old, fresh [][]byte) []marked {
	n, m := len(old), len(fresh)
	reach := map[int]int{1: 0} // by diagonal, the furthest line of old
	var trail []map[int]int
	for d := 0; d <= min(n+m, mostSteps); d++ {
		step := map[int]int{}
		for k := -d; k <= d; k += 2 {
			x := reach[k-1] + 1
			if k == -d || k != d && reach[k-1] < reach[k+1] {
				x = reach[k+1]
			}
			for x < n && x-k < m && x >= 0 && x-k >= 0 && bytes.Equal(old[x], fresh[x-k]) {
				x++
			}
			step[k] = x
			if x >= n && x-k >= m {
				return backtrack(old, fresh, append(trail, step))
			}
		}
		trail = append(trail, step)
		reach = step
	}
	var script []marked
	for _, l := range old {
		script = append(script, marked{'-', l})
	}
	for _, l := range fresh {
		script = append(script, marked{'+', l})
	}
	return script
}

func backtrack(old, fresh [][]byte, trail []map[int]int) []marked {
	var script []marked
	x, y := len(old), len(fresh)
	for d := len(trail) - 1; d > 0; d-- {
		k, before := x-y, trail[d-1]
		from := k - 1
		if k == -d || k != d && before[k-1] < before[k+1] {
			from = k + 1
		}
		startX := before[from]
		startY := startX - from
		for x > startX && y > startY {
			x, y = x-1, y-1
			script = append(script, marked{' ', old[x]})
		}
		if x > startX {
			x--
			script = append(script, marked{'-', old[x]})
		} else if y > startY {
			y--
			script = append(script, marked{'+', fresh[y]})
		}
	}
	for x > 0 && y > 0 {
		x, y = x-1, y-1
		script = append(script, marked{' ', old[x]})
	}
	slices.Reverse(script)
	return script
}
