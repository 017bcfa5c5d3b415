package project

import (
	"bytes"

	"saturate/internal/pysrc"
)

// unusedClasses are the classes with a forward that nothing else in the project names: no module, no settings file, no
// script, not even in a string. Training never reaches their code. The list is empty if the project looks classes up by
// computed names.
func (p *Project) unusedClasses() map[*Class]bool {
	named := map[string][]*Class{}
	for _, m := range p.Modules {
		if m.Role != Test && m.looksUpByName() {
			return nil
		}
		for _, c := range m.Classes {
			if c.Methods["forward"] != nil && len(c.Def.Decorators) == 0 {
				named[c.Name] = append(named[c.Name], c)
			}
		}
	}
	count := func(text []byte, own *Module) {
		eachWord(text, func(word []byte, at int32) {
			list := named[string(word)]
			for _, c := range list {
				if c.Module != own || at < c.Def.Start || at >= c.Def.End {
					delete(named, c.Name)
					return
				}
			}
		})
	}
	for _, m := range p.Modules {
		count(m.Text, m)
	}
	for _, s := range p.Settings {
		count(s.Text, nil)
	}
	for _, s := range p.Scripts {
		count(s.Text, nil)
	}
	unused := map[*Class]bool{}
	for _, list := range named {
		for _, c := range list {
			unused[c] = true
		}
	}
	return unused
}

// looksUpByName reports whether a module looks classes up by computed names: getattr(models, name), globals()[name],
// models.__dict__[name], eval("models." + name), a function that imports a module by its name.
func (m *Module) looksUpByName() bool {
	if bytes.Contains(m.Text, []byte("__dict__[")) || bytes.Contains(m.Text, []byte("import_module(")) || bytes.Contains(m.Text, []byte("__subclasses__")) {
		return true
	}
	for _, s := range m.Sites {
		name, ok := s.Node.Func.(*pysrc.Name)
		if !ok {
			continue
		}
		switch name.ID {
		case "globals", "vars", "eval", "exec", "__import__", "locals":
			return true
		case "getattr":
			if len(s.Node.Args) < 2 {
				continue
			}
			of, plain := s.Node.Args[0].(*pysrc.Name)
			if _, constant := pysrc.StringValue(s.Node.Args[1]); plain && !constant {
				if _, b := s.scope().find(of.ID); b != nil && b.Kind == Imported {
					return true
				}
			}
		}
	}
	return false
}

// eachWord tells of each identifier in a text that is not in a comment, and where it starts.
func eachWord(text []byte, tell func(word []byte, at int32)) {
	for i := 0; i < len(text); {
		if text[i] == '#' {
			end := bytes.IndexByte(text[i:], '\n')
			if end < 0 {
				return
			}
			i += end
		}
		if !isWordByte(text[i]) {
			i++
			continue
		}
		from := i
		for i < len(text) && isWordByte(text[i]) {
			i++
		}
		tell(text[from:i], int32(from))
	}
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b >= 0x80
}
