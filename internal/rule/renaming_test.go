package rule

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"saturate/internal/finding"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// TestRenamed gives the own names of whole checkouts opaque ones, one sort after the other, moves code to helpers, and compares
// what a scan finds: names and files must not decide. SATURATE_CHECKOUTS is a folder of checkouts; without it and with SATURATE_ACCEPT the
// example is taken. It prints a table, and each difference.
func TestRenamed(t *testing.T) {
	if os.Getenv("SATURATE_ACCEPT") == "" {
		t.Skip("SATURATE_ACCEPT is not set: it scans checkouts eight times")
	}
	roots := checkouts(t)
	known := map[string]int{} // attributes, and how many checkouts use them
	for _, root := range roots {
		if os.Getenv("SATURATE_HELPERS") != "" {
			break
		}
		here := map[string]bool{}
		readRepository(t, root).each(func(_ *pyFile, n pysrc.Node) {
			if a, ok := n.(*pysrc.Attribute); ok {
				here[a.Attr] = true
			}
		})
		for name := range here {
			known[name]++
		}
	}
	totals := map[string]*differences{"all": {}, "helpers": {}}
	for _, sort := range sortsOfNames {
		totals[sort.name] = &differences{}
	}
	for _, root := range roots {
		before := foundIn(t, root, root, nil)
		all, back, count := root, map[string]string{}, 0 // all sorts, one upon the other
		for _, sort := range sortsOfNames {
			if os.Getenv("SATURATE_HELPERS") != "" { // nothing but code moved to helpers
				continue
			}
			r := readRepository(t, root)
			names, moved := r.exchange(sort.rename, known)
			folder := kept(t, sort.name, root)
			r.write(t, folder, moved)
			compareRewritten(t, root, folder, sort.name, names, moved, before, totals[sort.name])
			r = readRepository(t, all)
			names, moved = r.exchange(sort.rename, known)
			all = kept(t, "all/"+sort.name, root)
			r.write(t, all, moved)
			count += names
			maps.Copy(back, moved)
		}
		compareRewritten(t, root, all, "all", count, back, before, totals["all"])
		r := readRepository(t, root)
		count, back = r.moveToHelpers()
		folder := kept(t, "helpers", root)
		r.write(t, folder, nil)
		compareRewritten(t, root, folder, "helpers", count, back, before, totals["helpers"])
	}
	for _, name := range append(sortNames(), "all", "helpers") {
		t.Logf("%-10s %v", name, totals[name])
		known := name == "variables" || name == "all" // of the example: words still decide there
		if os.Getenv("SATURATE_CHECKOUTS") == "" && totals[name].touched > 0 && !known {
			t.Errorf("%s decide", name)
		}
	}
}

func sortNames() (list []string) {
	for _, sort := range sortsOfNames {
		list = append(list, sort.name)
	}
	return list
}

// exchange renames one sort of names of a checkout, with what others use as attributes too.
func (r *pyRepository) exchange(rename func(*pyRepository) (int, map[string]string), known map[string]int) (int, map[string]string) {
	r.elsewhere = map[string]bool{}
	r.each(func(_ *pyFile, n pysrc.Node) {
		if a, ok := n.(*pysrc.Attribute); ok && known[a.Attr] > 1 {
			r.elsewhere[a.Attr] = true
		}
	})
	return rename(r)
}

// kept is the folder for a rewritten checkout: one that stays, below SATURATE_KEEP, or one of the test.
func kept(t *testing.T, title, root string) string {
	if keep := os.Getenv("SATURATE_KEEP"); keep != "" {
		return filepath.Join(keep, title, filepath.Base(root))
	}
	return t.TempDir()
}

// checkouts are the repositories to rewrite.
func checkouts(t *testing.T) (roots []string) {
	t.Helper()
	folder := os.Getenv("SATURATE_CHECKOUTS")
	if folder == "" {
		return []string{filepath.Join("..", "..", "examples")}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if only := os.Getenv("SATURATE_CHECKOUT"); e.IsDir() && strings.Contains(e.Name(), only) {
			roots = append(roots, filepath.Join(folder, e.Name()))
		}
	}
	return roots
}

// differences count what a rewriting changes.
type differences struct {
	checkouts, touched, names, before, moved, lost, gained, shown, hidden int
}

func (d *differences) String() string {
	return fmt.Sprintf("%d names, %d findings before, %d at another line, %d lost, %d gained, %d now by default, %d now small; %d of %d checkouts differ",
		d.names, d.before, d.moved, d.lost, d.gained, d.shown, d.hidden, d.touched, d.checkouts)
}

// foundPlace is where a finding is.
type foundPlace struct {
	path, code string
	line       int
}

// foundIn scans a folder: each finding, and why it is small if it is. Paths are below the folder, and those that were moved the old ones.
func foundIn(t *testing.T, root, label string, moved map[string]string) map[foundPlace]string {
	t.Helper()
	p, err := project.Load(context.Background(), []string{root}, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range p.Warnings {
		if moved != nil || label != root {
			t.Logf("%s: %s:%d %s", label, w.Path, w.Line, w.Message)
		}
	}
	back := map[string]string{}
	for from, to := range moved {
		back[to] = from
	}
	found := map[foundPlace]string{}
	for _, all := range []bool{true, false} {
		result, err := Told(context.Background(), p, Selection{All: all}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range result.Findings {
			small := ""
			if all {
				small = cmp.Or(f.Small, "asked for")
			}
			found[placeBelow(root, *f.Where, f.Code, back)] = small
			for _, e := range f.Evidence {
				if e.Code != "" && e.Location != nil { // a place that is joined with it
					found[placeBelow(root, *e.Location, e.Code, back)] = small
				}
			}
		}
	}
	return found
}

// placeBelow is a place by its path below a folder, the one that it had before.
func placeBelow(root string, at finding.Location, code string, back map[string]string) foundPlace {
	rel, _ := filepath.Rel(root, at.Path)
	return foundPlace{cmp.Or(back[rel], rel), code, at.Line}
}

// compareRewritten scans the rewritten files and tells what differs.
func compareRewritten(t *testing.T, root, folder, title string, names int, moved map[string]string, before map[foundPlace]string, total *differences) {
	t.Helper()
	after := foundIn(t, folder, root, moved)
	total.checkouts++
	total.names += names
	total.before += len(before)
	lines := []string{}
	say := func(what string, at foundPlace, small string) {
		lines = append(lines, fmt.Sprintf("%s %s: %s %s:%d %s", title, filepath.Base(root), what, at.path, at.line, at.code+" "+small))
	}
	other := map[foundPlace]int{} // by file and code: found at more or fewer lines
	for at := range after {
		if _, known := before[at]; !known {
			other[foundPlace{path: at.path, code: at.code}]++
		}
	}
	for at, small := range before {
		elsewhere := foundPlace{path: at.path, code: at.code}
		switch now, still := after[at]; {
		case !still && other[elsewhere] > 0:
			other[elsewhere]--
			total.moved++
			total.gained--
			say("moved", at, small)
		case !still:
			total.lost++
			say("lost", at, small)
		case small != "" && now == "":
			total.shown++
			say("shown", at, small)
		case small == "" && now != "":
			total.hidden++
			say("hidden", at, now)
		}
	}
	for at, small := range after {
		if _, known := before[at]; !known {
			total.gained++
			say("gained", at, small)
		}
	}
	if len(lines) > 0 {
		total.touched++
	}
	slices.Sort(lines)
	for _, l := range lines {
		t.Log(l)
	}
}
