package project

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// findIdle finds the modules that no run imports. First the programs that came with a folder of code which the project's
// own programs use as a library: a program above the folder trains and imports from it, and neither imports the program
// there nor does a script, a README or a settings file name it. Also notebooks that nothing names, beside programs that a
// README starts. Then what only these import, or code that no run gets to.
func (p *Project) findIdle() map[*Module]bool {
	found := map[*Module]bool{}
	for _, m := range p.Modules {
		if m.Role != Test && !m.Notebook && m.MainGuard && len(m.ImportedBy) == 0 && p.Starts(m) && p.usedFromAbove(m) && !p.isNamedOutside(m) {
			found[m] = true
		}
		if m.Notebook && len(m.ImportedBy) == 0 && p.startedElsewhere() && !p.isNamedOutside(m) {
			found[m] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for _, m := range p.Modules {
			if !found[m] && len(m.ImportedBy) > 0 && !m.starts() && !slices.ContainsFunc(m.ImportedBy, func(user *Module) bool {
				return !found[user] && !p.importsIdly(user, m)
			}) {
				found[m], changed = true, true
			}
		}
	}
	return found
}

// importsIdly reports a module that imports another only in code that no run gets to: one of several kinds of a model.
func (p *Project) importsIdly(user, m *Module) bool {
	found := false
	for _, b := range user.imported {
		if b.place.module != m {
			continue
		}
		at := b.Node.Bounds().Start
		if !user.isUnreached(at) && !anyHolds(p.off[user], at) {
			return false
		}
		found = true
	}
	return found && !slices.ContainsFunc(user.starred, func(at place) bool { return at.module == m })
}

// startedElsewhere reports a project whose scripts or README start a program that trains, and that is not a notebook.
func (p *Project) startedElsewhere() bool {
	for m := range p.commands {
		if !m.Notebook && m.Role != Test && p.Starts(m) {
			return true
		}
	}
	return false
}

// usedFromAbove reports a module beside which others lie that a training program of a folder above imports.
func (p *Project) usedFromAbove(m *Module) bool {
	folder := path.Dir(slashed(m.Path))
	for _, beside := range p.Modules {
		if beside == m || path.Dir(slashed(beside.Path)) != folder {
			continue
		}
		for _, user := range beside.ImportedBy {
			above := path.Dir(slashed(user.Path))
			if above != folder && (above == "." || strings.HasPrefix(folder, above+"/")) && user.starts() && p.Starts(user) {
				return true
			}
		}
	}
	return false
}

// isNamedOutside reports a program that a script, a README or a settings file names with its folder, or alone where no other file has
// its name: cd reward/ && python train_reward.py.
func (p *Project) isNamedOutside(m *Module) bool {
	if len(p.commands[m]) > 0 {
		return true
	}
	file := slashed(m.Path)
	short := path.Base(path.Dir(file)) + "/" + path.Base(file)
	dotted := strings.ReplaceAll(strings.TrimSuffix(short, ".py"), "/", ".")
	alone := !slices.ContainsFunc(p.Modules, func(o *Module) bool { return o != m && path.Base(slashed(o.Path)) == path.Base(file) })
	named := func(s *Source) bool {
		return bytes.Contains(s.Text, []byte(short)) || bytes.Contains(s.Text, []byte(dotted)) || alone && bytes.Contains(s.Text, []byte(" "+path.Base(file)))
	}
	return slices.ContainsFunc(p.Scripts, named) || slices.ContainsFunc(p.Settings, func(s *Settings) bool { return named(s.Source) })
}
