package offline

import (
	"fmt"

	"saturate/internal/finding"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// way is how a sample gets to the call that a rule found: the functions from the dataset on, each with the
// call that leads to the next. The last call is the one that was found.
type way struct {
	finding finding.Finding
	kind    kind
	levels  []level
	root    project.RootKind
}

type level struct {
	fn   *project.Function
	site *project.Site
}

// levels finds the way to a finding, or says why there is none to work on.
func (w *work) levels(f finding.Finding) (*way, string) {
	site := w.siteOf(f)
	if site == nil {
		return nil, "the call was not found in the project"
	}
	path, ok := w.project.PerSample(site.Module(), site)
	switch {
	case !ok:
		return nil, "it is not known to run for every sample"
	case path.Cache != nil:
		return nil, fmt.Sprintf("the project already caches it (%s), so only the first epoch pays", path.Cache.Kind)
	case path.Kind == project.Mapped:
		return nil, "it runs in a map over the dataset, whose result is already cached"
	}
	way := &way{finding: f, kind: kindOf(f.Code), root: path.Kind}
	for _, s := range append(path.Calls[:len(path.Calls):len(path.Calls)], site) {
		if m := s.Module(); m.Notebook || m.Encoded {
			return way, fmt.Sprintf("%s is not a plain Python file; this fix edits only those", m.Path)
		}
		way.levels = append(way.levels, level{s.Func, s})
	}
	return way, ""
}

// siteOf finds the call that a finding points at.
func (w *work) siteOf(f finding.Finding) *project.Site {
	for _, m := range w.project.Modules {
		if m.Path != f.Where.Path {
			continue
		}
		var best *project.Site
		for _, s := range m.Sites {
			if int(s.Node.Start) == f.Where.Start && int(s.Node.End) == f.Where.End {
				return s
			}
			if int(s.Node.Start) == f.Where.Start && (best == nil || s.Node.End > best.Node.End) {
				best = s
			}
		}
		return best
	}
	return nil
}

// reached are the project's functions that run when the calls do, over any number of calls.
func (w *work) reached(sites []*project.Site, known ...*project.Function) []*project.Function {
	seen := map[*project.Function]bool{}
	var list []*project.Function
	add := func(f *project.Function) {
		if f != nil && !seen[f] && f.Def != nil {
			seen[f] = true
			list = append(list, f)
			for _, other := range w.overrides(f) {
				if !seen[other] {
					seen[other] = true
					list = append(list, other)
				}
			}
		}
	}
	called := func(s *project.Site) {
		for _, v := range s.Possible() {
			add(v.Func)
			if v.Class != nil && v.Func == nil {
				switch v.Kind {
				case project.Type:
					add(v.Class.Method("__init__"))
				case project.Instance:
					add(v.Class.Method("__call__"))
					add(v.Class.Method("forward"))
				}
			}
		}
	}
	for _, f := range known {
		add(f)
	}
	for _, s := range sites {
		called(s)
	}
	for at := 0; at < len(list); at++ {
		for _, f := range w.properties(list[at], []pysrc.Node{list[at].Def}) {
			add(f)
		}
		w.project.Reaches(w.eval, list[at], func(s *project.Site) bool {
			add(s.Func)
			called(s)
			return false
		}, 6)
	}
	return list
}

// overrides are the methods of derived classes that may run in place of a method.
func (w *work) overrides(f *project.Function) []*project.Function {
	if f.Class == nil || f.BaseName() == "__init__" {
		return nil
	}
	var list []*project.Function
	for _, m := range w.project.Modules {
		for _, c := range m.Classes {
			if other := c.Methods[f.BaseName()]; other != nil && other != f && other.Def != nil && c.Derives(f.Class.FullName()) {
				list = append(list, other)
			}
		}
	}
	return list
}

// properties are the methods of its object that nodes of a function run by reading an attribute, or pass on.
func (w *work) properties(fn *project.Function, nodes []pysrc.Node) []*project.Function {
	self := selfOf(fn)
	if self == "" || fn.Class == nil {
		return nil
	}
	var list []*project.Function
	for _, root := range nodes {
		pysrc.Inspect(root, func(n pysrc.Node) bool {
			if a, ok := n.(*pysrc.Attribute); ok && a.Ctx == pysrc.Load && isNamed(a.Value, self) {
				if method := fn.Class.Method(a.Attr); method != nil {
					list = append(list, method)
				}
			}
			return true
		})
	}
	return list
}

// sitesIn are the calls within a span of a module.
func sitesIn(m *project.Module, span pysrc.Span) []*project.Site {
	var list []*project.Site
	for _, s := range m.Sites {
		if s.Node.Start >= span.Start && s.Node.End <= span.End {
			list = append(list, s)
		}
	}
	return list
}
