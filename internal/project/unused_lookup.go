package project

import (
	"path"
	"slices"

	"saturate/internal/pysrc"
)

// looksUpAnywhere reports whether a module looks up classes of any other by computed names: a function that imports a module by its
// name. A setup.py reads a version so.
func (m *Module) looksUpAnywhere() bool {
	return path.Base(slashed(m.Path)) != "setup.py" &&
		(m.Says("import_module(") || m.Says("__subclasses__") || m.Says("__import__("))
}

// looksUpOwn reports whether a module looks up by computed names what it defines or imports: globals()[name], eval(name).
func (m *Module) looksUpOwn() bool {
	return slices.ContainsFunc(m.Sites, func(s *Site) bool {
		if s.Calls.Name == "fire.Fire" {
			return true // functions are the commands of the command line
		}
		name, ok := s.Node.Func.(*pysrc.Name)
		if !ok {
			return false
		}
		switch name.ID {
		case "locals":
			return s.Func == m.Main // a function's locals are its own
		case "globals", "vars", "eval", "exec":
			return true
		}
		return false
	})
}

// looksInto adds the modules of the project in which a module looks names up: itself, by globals()[name], or another, by
// getattr(cleaners, name) and models.__dict__[name]. It is false if it looks into something that may be any of them. A library holds
// none of the project's classes.
func (p *Project) looksInto(m *Module, into map[*Module]bool) bool {
	if path.Base(slashed(m.Path)) == "setup.py" {
		return true
	}
	if m.looksUpOwn() {
		into[m] = true
	}
	for _, s := range m.Subscripts {
		fields, ok := s.Value.(*pysrc.Attribute)
		if !ok || fields.Attr != "__dict__" || s.Ctx != pysrc.Load {
			continue
		}
		of, plain := fields.Value.(*pysrc.Name)
		if !plain {
			return false
		}
		_, b := m.Block(m.BlockAt(s.Start)).Scope.find(of.ID)
		if b == nil || b.Kind != Imported {
			continue // of an object
		}
		module, library := p.importedModule(b)
		if module == nil && !library {
			return false
		}
		if module != nil {
			into[module] = true
		}
	}
	for _, s := range m.Sites {
		name, ok := s.Node.Func.(*pysrc.Name)
		if !ok || name.ID != "getattr" || len(s.Node.Args) < 2 {
			continue
		}
		of, plain := s.Node.Args[0].(*pysrc.Name)
		if _, constant := pysrc.StringValue(s.Node.Args[1]); !plain || constant {
			continue
		}
		_, b := s.scope().find(of.ID)
		if b == nil || b.Kind != Imported {
			continue
		}
		module, library := p.importedModule(b)
		if module == nil && !library {
			return false
		}
		if module != nil {
			into[module] = true
		}
	}
	return true
}

// importedModule is the module of the project that an import binds, or whether it is one of a library.
func (p *Project) importedModule(b *Binding) (module *Module, library bool) {
	alias, ok := b.Node.(*pysrc.Alias)
	switch {
	case !ok || b.prior != nil:
		return nil, false
	case !b.place.found():
		from := alias.Name
		if b.from != nil {
			from = b.from.Module
		}
		return nil, !p.tops[firstOf(from)]
	case b.from == nil:
		return b.place.module, false
	case b.place.folder != "":
		return p.inFolder(b.place.folder, alias.Name).module, false
	}
	return nil, false
}

// lookedInto lists the modules in which names are looked up by computed names, with what they import as a whole. Of what they
// import by its name, they find only that.
func (p *Project) lookedInto() map[*Module]bool {
	if p.lookups != nil {
		return p.lookups
	}
	into := map[*Module]bool{}
	for _, m := range p.Modules {
		if m.Role != Test {
			p.looksInto(m, into)
		}
	}
	p.lookups = into
	var queue []*Module
	for m := range into {
		queue = append(queue, m)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		m := queue[0]
		for _, other := range m.ImportsFrom {
			if !into[other] && !p.takesSingly(m, other) {
				into[other] = true
				queue = append(queue, other)
			}
		}
	}
	return into
}

// takesSingly reports a module that imports another only by single names: from layers import Norm.
func (p *Project) takesSingly(m, other *Module) bool {
	if slices.ContainsFunc(m.starred, func(at place) bool { return at.module == other }) {
		return false
	}
	single := false
	for _, b := range m.imported {
		alias := b.Node.(*pysrc.Alias)
		switch {
		case b.from == nil && b.place.module == other, b.from != nil && b.place.folder != "" && p.inFolder(b.place.folder, alias.Name).module == other:
			return false
		case b.from != nil && b.place.module == other:
			single = true
		}
	}
	return single
}

// looksUpInFull reports a module that looks up what it imports by a name that is written in full somewhere: the module and the
// class of "models.net.Net", which target.rsplit(".", 1) takes apart.
func (m *Module) looksUpInFull() bool {
	if m.Says("__subclasses__") || m.Says("__import__(") {
		return false
	}
	return !slices.ContainsFunc(m.Sites, func(s *Site) bool {
		if s.Calls.Name != "importlib.import_module" || len(s.Node.Args) == 0 {
			return false
		}
		if _, ok := pysrc.StringValue(s.Node.Args[0]); ok {
			return false
		}
		name, ok := s.Node.Args[0].(*pysrc.Name)
		if !ok {
			return true
		}
		_, b := s.scope().find(name.ID)
		if b == nil || b.Kind != Assigned || b.prior != nil {
			return true
		}
		call, ok := b.Value.(*pysrc.Call)
		if !ok {
			return true
		}
		part, ok := call.Func.(*pysrc.Attribute)
		return !ok || part.Attr != "rsplit" && part.Attr != "rpartition"
	})
}

// isOrphan reports a module that nothing imports and that does not start by itself, outside of the folders that users install.
func (m *Module) isOrphan(installed map[string]bool) bool {
	if m.Notebook || len(m.ImportedBy) > 0 || m.starts() || path.Base(slashed(m.Path)) == "__init__.py" {
		return false
	}
	return !m.isInstalled(installed)
}

// isInstalled reports a module of a folder that users install.
func (m *Module) isInstalled(installed map[string]bool) bool {
	for folder := path.Dir(slashed(m.Path)); ; folder = path.Dir(folder) {
		if installed[folder] {
			return true
		}
		if folder == path.Dir(folder) {
			return false
		}
	}
}

// installed lists the folders that say how to build what they hold.
func (p *Project) installed() map[string]bool {
	folders := map[string]bool{}
	note := func(file string) {
		if base := path.Base(slashed(file)); base == "setup.py" || base == "pyproject.toml" {
			folders[path.Dir(slashed(file))] = true
		}
	}
	for _, m := range p.Modules {
		note(m.Path)
	}
	for _, s := range p.Settings {
		note(s.Path)
	}
	return folders
}

// trainsAnywhere reports a project with a program that trains.
func (p *Project) trainsAnywhere() bool { return p.leading != nil && len(p.trainedFrom()) > 0 }
