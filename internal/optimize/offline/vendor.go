package offline

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/python"
)

// needed are the parts of saturate_gpu that a project's own copy has to hold: the words behind "only:" in its source.
func (w *work) needed(cuts []*cut) []string {
	var list []string
	add := func(has bool, parts ...string) {
		if has {
			list = append(list, parts...)
		}
	}
	any := func(is func(c *cut) bool) bool { return slices.ContainsFunc(cuts, is) }
	mentions := func(name string) bool {
		return slices.ContainsFunc(w.project.Modules, func(m *project.Module) bool { return bytes.Contains(m.Text, []byte(name)) })
	}
	add(any(func(c *cut) bool { return c.kind == speech || c.kind == audio }), "path")
	add(any(func(c *cut) bool { return c.copy }), "copy")
	add(any(func(c *cut) bool { return len(c.draws) > 0 }), "drawn")
	add(any(func(c *cut) bool { return len(c.rows) > 0 }), "rows")
	add(any(func(c *cut) bool { return len(c.variables()) > 0 }), "env")
	add(any(func(c *cut) bool { return c.way.root == project.Collate }), "collate")
	add(any(func(c *cut) bool { return c.way.levels[0].fn.BaseName() == "__iter__" }), "stream")
	add(mentions("transformers"), "transformers")
	add(any(func(c *cut) bool { return c.kind == images }) || mentions("PIL"), "image")
	add(any(func(c *cut) bool { return c.applies != nil || c.folder }), "compose")
	add(any(func(c *cut) bool { return c.folder }), "folder")
	return list
}

// vendored is the code of saturate_gpu that reads and fills a cache, as one module that holds only the needed parts.
func vendored(needed []string) string {
	reads, fills := python.Text("offline"), python.Text("prepare")
	title, reads, _ := strings.Cut(reads, "\nfrom __future__ import annotations\n")
	_, fills, _ = strings.Cut(fills, "\nfrom __future__ import annotations\n")
	imports, reads := importsOf(reads)
	more, fills := importsOf(fills)
	body := trimmed(strings.TrimRight(reads, "\n")+"\n\n\n# --- filling the cache -----------------------------------------------------------------------\n"+fills, needed)
	body = strings.ReplaceAll(body, "cache.builder.make(shelf, key, make, inputs) if cache.builder else make()", "make()")
	imports = append(imports, more...)
	return title + "\nfrom __future__ import annotations\n\n" + used(imports, body) + "\n" + strings.TrimRight(body,
		"\n") + "\n"
}

var imported = regexp.MustCompile(`(?m)^(?:import|from) .*\n`)

// importsOf takes the imports at the top level out of a module; those of the package itself are its other parts.
func importsOf(text string) (imports []string, rest string) {
	for _, line := range imported.FindAllString(text, -1) {
		if !strings.HasPrefix(line, "from .") && !slices.Contains(imports, line) {
			imports = append(imports, strings.TrimSuffix(line, "\n"))
		}
	}
	return imports, "\n" + strings.TrimLeft(imported.ReplaceAllString(text, ""), "\n")
}

// used are the imports without the names that the code does not use, sorted as Python programmers do.
func used(imports []string, body string) string {
	var lines []string
	froms := map[string][]string{}
	for _, line := range imports {
		from, names, several := strings.Cut(line, " import ")
		if name := strings.TrimPrefix(line, "import "); !several && uses(body, name) && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
		for _, name := range strings.Split(names, ", ") {
			if several && uses(body, name) && !slices.Contains(froms[from], name) {
				froms[from] = append(froms[from], name)
			}
		}
	}
	slices.Sort(lines)
	for _, from := range slices.Sorted(maps.Keys(froms)) {
		slices.Sort(froms[from])
		lines = append(lines, from+" import "+strings.Join(froms[from], ", "))
	}
	return strings.Join(lines, "\n")
}

func uses(body, name string) bool {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(body)
}

var marker = regexp.MustCompile(`\s+# only: ([a-z ]+)$`)

// trimmed leaves out each line that is only for what a project does not need, with the block that it opens.
func trimmed(text string, needed []string) string {
	var kept []string
	skipping := -1 // the indentation of the line whose block is left out
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line == "" {
			if next := indented(lines[i:]); skipping >= 0 && next > skipping {
				continue // within the block
			}
			// One empty line inside a definition, two between them.
			n := len(kept)
			if most := min(2, 2-min(1, indented(lines[i:]))); n >= most && strings.Join(kept[n-most:], "") == "" {
				continue
			}
			kept = append(kept, line)
			continue
		}
		if skipping >= 0 && indented(lines[i:]) > skipping {
			continue
		}
		skipping = -1
		if m := marker.FindStringSubmatch(line); m != nil {
			if !slices.ContainsFunc(strings.Fields(m[1]), func(part string) bool { return slices.Contains(needed, part) }) {
				skipping = indented(lines[i:])
				continue
			}
			line = strings.TrimSuffix(line, m[0])
		}
		kept = append(kept, line)
	}
	return strings.Join(slices.DeleteFunc(kept, func(line string) bool { return strings.Contains(line, `ends with "only: X"`) }), "\n")
}

// indented is by how much the first line that is not empty is indented.
func indented(lines []string) int {
	for _, line := range lines {
		if line != "" {
			return len(line) - len(strings.TrimLeft(line, " "))
		}
	}
	return 0
}
