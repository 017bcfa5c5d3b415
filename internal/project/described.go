package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// Programs describe objects by dictionaries with the name of a class, which a registry makes: dict(type="CrossEntropyLoss", weight=1.0).

// descriptions are those of the project, by the name of the class: the keys of each.
func (p *Project) descriptions() map[string][][]string {
	p.describedOnce.Do(func() {
		p.described = map[string][][]string{}
		keep := func(keys []string, values []pysrc.Expr) {
			if at := slices.Index(keys, "type"); at >= 0 {
				if name, ok := pysrc.StringValue(values[at]); ok {
					p.described[name] = append(p.described[name], keys)
				}
			}
		}
		for _, m := range p.Modules {
			if m.Role == Test || !m.Says("type=") && !m.Says(`"type"`) && !m.Says("'type'") {
				continue
			}
			pysrc.Inspect(m.File.Module, func(n pysrc.Node) bool {
				switch n := n.(type) {
				case *pysrc.Call:
					if name, ok := n.Func.(*pysrc.Name); ok && name.ID == "dict" && n.Keyword("type") != nil {
						d := keywordsOf(n)
						keep(keysOf(d), d.Values)
					}
				case *pysrc.Dict:
					keep(keysOf(n), n.Values)
				}
				return true
			})
		}
		for _, f := range p.Settings {
			if f.Role == Test || f.Top == nil {
				continue
			}
			f.Top.each(func(s *Setting) {
				if name := s.Child("type"); name != nil && name.Scalar.Type == String {
					keys := make([]string, 0, len(s.Children))
					for _, c := range s.Children {
						keys = append(keys, c.Key)
					}
					p.described[name.Scalar.Text] = append(p.described[name.Scalar.Text], keys)
				}
			})
		}
	})
	return p.described
}

// keysOf are the keys of a dict that is written out; one that is not a text is empty.
func keysOf(d *pysrc.Dict) []string {
	keys := make([]string, 0, len(d.Keys))
	for _, k := range d.Keys {
		text := ""
		if k != nil {
			text, _ = pysrc.StringValue(k)
		}
		keys = append(keys, text)
	}
	return keys
}

// seldomDescribed reports whether objects of a class are described in the project, and whether most descriptions leave out an argument.
func (p *Project) seldomDescribed(c *Class, name string) (seldom, described bool) {
	if len(c.Def.Decorators) == 0 {
		return false, false
	}
	list, given := p.descriptions()[c.Name], 0
	for _, keys := range list {
		if slices.Contains(keys, name) {
			given++
		}
	}
	return 2*given < len(list), len(list) > 0
}

// mayGive reports whether something in the project gives an argument of that name to a function, or to what is not known.
func (p *Project) mayGive(f *Function, name string) bool {
	return slices.ContainsFunc(p.Scripts, func(s *Source) bool { return containsWhole(s.Text, name) }) || slices.ContainsFunc(p.Modules, func(m *Module) bool {
		if m.Role == Test || !m.Says(name) {
			return false
		}
		if m.Says(`"`+name+`"`) || m.Says("'"+name+"'") {
			return true
		}
		return slices.ContainsFunc(m.Sites, func(s *Site) bool {
			if s.Node.Keyword(name) == nil {
				return false
			}
			for _, v := range s.Possible() {
				other := v.Func != nil && v.Func != f && !v.Func.takesMore() || v.Class != nil && v.Class != f.Class && v.Kind == Type
				if !other && (v.Func != nil || v.Class != nil || v.Name == "" || v.Name == "dict" || v.Name == "functools.partial") {
					return true
				}
			}
			return false
		})
	})
}

// takesMore reports a function with **kwargs.
func (f *Function) takesMore() bool { return f.Params() != nil && f.Params().Kwarg != nil }
