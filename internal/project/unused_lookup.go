package project

import "saturate/internal/pysrc"

// looksInto adds the modules of the project in which a module looks names up: getattr(cleaners, name). It is false if it
// looks into something that may be any of them. A library holds none of the project's classes.
func (p *Project) looksInto(m *Module, into map[*Module]bool) bool {
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
