package optimize

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/project"
)

// reach is the code that the measured program can run: its own file and the project's modules that it imports, directly
// or indirectly. A repair of anything else would be in the patch without being measured.
type reach struct {
	all   bool            // it cannot be told by reading, so everything counts
	files map[string]bool // paths below the project's folder, with slashes
	// settings says that files holds what was imported, so that settings files, which are not, count too.
	settings bool
}

func (r reach) holds(name string) bool {
	return r.all || r.files[name] || r.settings && path.Ext(name) != ".py"
}

// reachOf follows the imports of the files that a command names.
func reachOf(p *project.Project, dir string, command []string) reach {
	below := func(file string) string {
		relative, err := filepath.Rel(dir, file)
		if err != nil {
			return file
		}
		return filepath.ToSlash(relative)
	}
	name := func(m *project.Module) string { return below(m.Path) }
	r := reach{files: map[string]bool{}}
	var list []*project.Module
	add := func(m *project.Module) {
		r.files[name(m)], r.files[below(m.Real())] = true, true
		list = append(list, m)
	}
	for _, m := range p.Modules {
		if named(command, dir, name(m)) {
			add(m)
		}
	}
	if len(list) == 0 || slices.ContainsFunc(list, starts) {
		return reach{all: true}
	}
	for at := 0; at < len(list); at++ {
		if importsByText(list[at]) {
			return reach{all: true}
		}
		for _, m := range p.Modules {
			if !r.files[name(m)] && imports(list[at], m, name) {
				add(m)
			}
		}
	}
	return r
}

// ran narrows the reach to the modules that the program imported in the run; nil if they are unknown.
func (r reach) ran(loaded []string) reach {
	if len(loaded) == 0 {
		return r
	}
	seen := reach{files: map[string]bool{}}
	for _, name := range loaded {
		if r.holds(name) || r.all {
			seen.files[name] = true
		}
	}
	// Settings that a program reads are not imported.
	seen.settings = true
	return seen
}

// named reports whether a command names a file: as a path, in a flag, or as a module behind -m.
func named(command []string, dir, file string) bool {
	for i, word := range command {
		if i > 0 && command[i-1] == "-m" {
			module := strings.ReplaceAll(word, ".", "/")
			if file == module+".py" || file == module+"/__main__.py" {
				return true
			}
		}
		word = word[strings.LastIndexByte(word, '=')+1:]
		if relative, err := filepath.Rel(dir, word); err == nil && filepath.IsAbs(word) {
			word = relative
		}
		if path.Clean(filepath.ToSlash(word)) == file {
			return true
		}
	}
	return false
}

// imports reports whether a module imports another. A name that leads nowhere (for the program changes where Python
// looks) may be any file or folder of that name.
func imports(m, other *project.Module, name func(*project.Module) string) bool {
	if slices.Contains(m.ImportsFrom, other) {
		return true
	}
	for _, part := range parts(name(other)) {
		leads := func(known *project.Module) bool { return slices.Contains(parts(name(known)), part) }
		if m.Imports(part) && !slices.ContainsFunc(m.ImportsFrom, leads) {
			return true
		}
	}
	return false
}

// parts are the names in a path by which something can be imported.
func parts(file string) []string {
	return strings.Split(strings.TrimSuffix(file, path.Ext(file)), "/")
}

// importsByText reports whether a module imports or runs code by names that it computes.
func importsByText(m *project.Module) bool {
	return slices.ContainsFunc([]string{"import_module", "__import__", "spec_from_file", "runpy", "exec(", "hydra", "_target_"}, m.Says)
}

// starts reports a program that may start others: a launcher.
func starts(m *project.Module) bool {
	return slices.ContainsFunc([]string{"sys.executable", `"python`, "'python", "os.system"}, m.Says)
}

// imported reports whether a finding lies in a file that the program uses.
func (p *protocol) imported(f finding.Finding, t tree) bool {
	return f.Where == nil || p.reach.holds(p.shownPath(f.Where.Path, t))
}

// inReach keeps the findings in code that the program runs. It returns the files of others, and places in files that it
// uses.
func (p *protocol) inReach(found []finding.Finding, t tree) (inside []finding.Finding, elsewhere, idle []string) {
	for _, f := range found {
		switch {
		case !p.imported(f, t):
			if at := p.shownPath(f.Where.Path, t); !slices.Contains(elsewhere, at) {
				elsewhere = append(elsewhere, at)
			}
		case p.idle(f, t):
			idle = append(idle, fmt.Sprintf("%s:%d", p.shownPath(f.Where.Path, t), f.Where.Line))
		default:
			inside = append(inside, f)
		}
	}
	return inside, elsewhere, idle
}

// mostNamed is how many of a list are named before the rest is counted.
const mostNamed = 3

// leftOut says which files were left out.
func leftOut(files []string) string {
	list := strings.Join(files[:min(mostNamed, len(files))], ", ")
	if more := len(files) - mostNamed; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return "findings in files that this program does not import were left out: " + list
}
