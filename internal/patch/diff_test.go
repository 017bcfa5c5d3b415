package patch

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// applyDiff is a reader of unified diffs that trusts nothing: every line and every number is checked.
func applyDiff(old, diff []byte) ([]byte, error) {
	var out bytes.Buffer
	source, at := lines(old), 0
	all := strings.SplitAfter(string(diff), "\n")
	for i := 2; i < len(all) && all[i] != ""; {
		var a, an, b, bn int
		header := all[i]
		if _, err := fmt.Sscanf(header, "@@ -%d,%d +%d,%d @@", &a, &an, &b, &bn); err != nil {
			an, bn = 1, 1
			if _, err := fmt.Sscanf(header, "@@ -%d +%d,%d @@", &a, &b, &bn); err != nil {
				bn = 1
				if _, err := fmt.Sscanf(header, "@@ -%d,%d +%d @@", &a, &an, &b); err != nil {
					an = 1
					if _, err := fmt.Sscanf(header, "@@ -%d +%d @@", &a, &b); err != nil {
						return nil, fmt.Errorf("header %q", header)
					}
				}
			}
		}
		if an > 0 {
			a--
		}
		for ; at < a; at++ {
			out.Write(source[at])
		}
		if shown := bytes.Count(out.Bytes(), []byte("\n")); bn > 0 && shown != b-1 {
			return nil, fmt.Errorf("%q stands behind line %d of the new text", header, shown)
		}
		for i++; an > 0 || bn > 0; i++ {
			line := all[i][1:]
			if i+1 < len(all) && strings.HasPrefix(all[i+1], "\\ No newline") {
				line = strings.TrimSuffix(line, "\n")
			}
			if all[i][0] != '+' {
				if string(source[at]) != line {
					return nil, fmt.Errorf("line %d is %q, the diff says %q", at, source[at], line)
				}
				at, an = at+1, an-1
			}
			if all[i][0] != '-' {
				out.WriteString(line)
				bn--
			}
			if i+1 < len(all) && strings.HasPrefix(all[i+1], "\\ No newline") {
				i++
			}
		}
	}
	for ; at < len(source); at++ {
		out.Write(source[at])
	}
	return out.Bytes(), nil
}

// fewest is how many lines must go and come, by the plain table of common subsequences.
func fewest(old, fresh [][]byte) int {
	common := make([][]int, len(old)+1)
	for i := range common {
		common[i] = make([]int, len(fresh)+1)
	}
	for i := range old {
		for j := range fresh {
			if bytes.Equal(old[i], fresh[j]) {
				common[i+1][j+1] = common[i][j] + 1
			} else {
				common[i+1][j+1] = max(common[i][j+1], common[i+1][j])
			}
		}
	}
	return len(old) + len(fresh) - 2*common[len(old)][len(fresh)]
}

func TestDiffIsWholeAndShort(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	text := func() []byte {
		var b bytes.Buffer
		for range r.IntN(40) {
			fmt.Fprintf(&b, "%c\n", 'a'+rune(r.IntN(6)))
		}
		if b.Len() > 0 && r.IntN(4) == 0 {
			b.Truncate(b.Len() - 1)
		}
		return append([]byte{}, b.Bytes()...) // an empty file is a file
	}
	for range 3000 {
		c := Change{Path: "x.py", Old: text(), New: text()}
		diff := Diff([]Change{c})
		if len(diff) == 0 && bytes.Equal(c.Old, c.New) {
			continue
		}
		got, err := applyDiff(c.Old, diff)
		if err != nil || !bytes.Equal(got, c.New) {
			t.Fatalf("%v\nold %q\nnew %q\ngot %q\n%s", err, c.Old, c.New, got, diff)
		}
		changed := 0
		for _, m := range shortestEdit(lines(c.Old), lines(c.New)) {
			if m.mark != ' ' {
				changed++
			}
		}
		if want := fewest(lines(c.Old), lines(c.New)); changed != want {
			t.Fatalf("%d lines are changed, %d would do\n%s", changed, want, diff)
		}
	}
}

// Texts without a line in common are replaced, however long.
func TestDiffOfStrangers(t *testing.T) {
	c := Change{Path: "x.py", Old: bytes.Repeat([]byte("old\n"), 5000), New: bytes.Repeat([]byte("new\n"), 5000)}
	if got, err := applyDiff(c.Old, Diff([]Change{c})); err != nil || !bytes.Equal(got, c.New) {
		t.Fatal(err)
	}
}
