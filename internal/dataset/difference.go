package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const anotherList = "the list of inputs changed"

// difference names what is not the same in two settings, "" when nothing is. Inputs are known by a hash, which would
// tell nobody anything: where they differ, they are asked for.
func difference(then, now map[string]string, inputs func() string) string {
	var parts []string
	for name, v := range now {
		switch old := then[name]; {
		case old == v:
		case name == "inputs":
			parts = append(parts, inputs())
		default:
			parts = append(parts, fmt.Sprintf("%s was %s, is now %s", name, old, v))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}

// otherInputs says what is not the same in the inputs of an earlier output, as far as its columns tell.
func (b *builder) otherInputs(old *built) string {
	then := slices.Concat(slices.Collect(maps.Keys(old.texts)), slices.Collect(maps.Keys(old.numbers)))
	slices.Sort(then)
	now := b.list.columnNames()
	for _, name := range now {
		if !slices.Contains(then, name) {
			return fmt.Sprintf("the inputs have a new column %s", name)
		}
	}
	for _, name := range then {
		if !slices.Contains(now, name) && !slices.Contains(ownColumns, name) {
			return fmt.Sprintf("the inputs no longer have a column %s", name)
		}
	}
	had, have := map[string]bool{}, map[string]bool{}
	for _, path := range old.texts["path"] {
		had[path] = true
	}
	for i := range b.list.Items {
		have[b.list.Items[i].name()] = true
	}
	for i := range b.list.Items {
		if name := b.list.Items[i].name(); !had[name] {
			for _, path := range old.texts["path"] {
				if strings.HasSuffix(path, "/"+name) || strings.HasSuffix(name, "/"+path) {
					return fmt.Sprintf("%s was given as %s, and paths are stored as given", name, path)
				}
			}
			return fmt.Sprintf("it has no row for %s", name)
		}
	}
	for _, path := range old.texts["path"] {
		if !have[path] {
			return fmt.Sprintf("it has a row for %s, which is no longer an input", path)
		}
	}
	return anotherList
}
