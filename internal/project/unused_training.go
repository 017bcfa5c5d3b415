package project

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// trainsElsewhere reports a function that trains in a module which programs use for other things, while they train by other
// functions: by one of the same name, or, outside of a library, by any. What nothing else in a project trains by, its users call.
func (p *Project) trainsElsewhere(f *Function) bool {
	if p.leading == nil || f.Class != nil || f.Module.starts() || f.Module.Notebook {
		return false
	}
	for g := range p.leading {
		if g != f && g.Def != nil && g.Class == nil && g.Def.Name == f.Def.Name && slices.ContainsFunc(g.callers(), func(s *Site) bool {
			return s.Func != g && s.Func != f && s.Module().Role != Test && p.leading[s.Func] || s.Func == s.Module().Main && s.Module().starts()
		}) {
			return true
		}
	}
	return !p.isLibrary() && p.importedByName(f.Module) && p.trainedFrom()[f.Module] && !f.isImported()
}

// isImported reports a function that another module imports by its name, if only for others.
func (f *Function) isImported() bool {
	return slices.ContainsFunc(f.Module.ImportedBy, func(user *Module) bool {
		return slices.ContainsFunc(user.imported, func(b *Binding) bool {
			return b.from != nil && b.place.module == f.Module && b.Node.(*pysrc.Alias).Name == f.Def.Name
		})
	})
}

// trainedFrom are the modules that programs which train import.
func (p *Project) trainedFrom() map[*Module]bool {
	if p.training == nil {
		p.training = p.importedFrom(func(m *Module) bool { return m.Role != Test && m.starts() && p.Starts(m) })
	}
	return p.training
}

// isTraining reports a function or method that trains: nothing in the project has to call it for a user to do so.
func (p *Project) isTraining(f *Function) bool {
	return f != nil && (p.leading[f] || f.Class == nil && f.steps())
}

// cannotMean reports a word that is not the function of its name, because others import that by itself: obj.train, mode == "train"
// and, outside of code, what is not behind a dot or colon.
func (d *definition) cannotMean(text []byte, own *Module, from, end int) bool {
	if !d.single || from == 0 || end >= len(text) {
		return false
	}
	before := text[from-1]
	switch {
	case own == nil:
		return before != '.' && before != ':'
	case before == '.':
		return !bytes.HasSuffix(text[:from-1], []byte(strings.TrimSuffix(path.Base(slashed(d.module.Path)), ".py")))
	}
	return (before == '"' || before == '\'') && text[end] == before
}
