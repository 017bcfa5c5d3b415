package project

import (
	"slices"
	"strings"
)

// classesNamedOutside are the classes of the project that settings files and scripts name with their modules, in whatever
// way the program takes such a name apart: model.network.Net, hrm.act@Model, losses:Focal.
func (p *Project) classesNamedOutside() []*Class {
	byName := map[string][]*Class{}
	for _, m := range p.Modules {
		if m.Role != Test && !m.Outline {
			for _, c := range m.Classes {
				byName[c.Name] = append(byName[c.Name], c)
			}
		}
	}
	found := map[*Class]bool{}
	take := func(text string) {
		at := strings.LastIndexAny(text, ".@:")
		if at <= 0 {
			return
		}
		for _, c := range byName[text[at+1:]] {
			if sameName(withDots.Replace(text), c.FullName()) {
				found[c] = true
			}
		}
	}
	for _, f := range p.Settings {
		if f.Role != Test && f.Top != nil {
			f.Top.each(func(s *Setting) {
				if s.Scalar.Type == String {
					take(s.Scalar.Text)
				}
			})
		}
	}
	for _, s := range p.Scripts {
		for _, text := range strings.FieldsFunc(string(s.Text), func(r rune) bool { return !strings.ContainsRune(".@:/_", r) && !inName(byte(r)) || r > 127 }) {
			take(text)
		}
	}
	var list []*Class
	for _, m := range p.Modules {
		for _, c := range m.Classes {
			if found[c] {
				list = append(list, c)
			}
		}
	}
	return list
}

// withDots writes a name with dots whose parts stand behind other signs.
var withDots = strings.NewReplacer("@", ".", ":", ".", "/", ".")

// getsByUnknownName reports a module that imports others by a name, or gets classes so, where the source does not show which.
func (p *Project) getsByUnknownName(e *Eval, m *Module) bool {
	return m.Role != Test && slices.ContainsFunc(m.Sites, func(s *Site) bool {
		var v Value
		switch {
		case importsByName(s.Calls.Name, s.Node):
			if s.Func.looksUp {
				return false // its callers say the name
			}
			v = e.importedByName(s.Node.Args[0], s.scope())
		case s.Calls.Func != nil && s.Calls.Func.looksUp:
			v = e.Of(m, s.Node)
		default:
			return false
		}
		return v.Unknown() && len(v.Either) == 0
	})
}
