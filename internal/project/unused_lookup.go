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
