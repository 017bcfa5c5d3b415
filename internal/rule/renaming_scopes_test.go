package rule

import "saturate/internal/pysrc"

// pyScope is a module, a class body, a function or a comprehension, as Python resolves names in it.
type pyScope struct {
	node   pysrc.Node
	outer  *pyScope
	binds  map[string]int // bits of bindKind
	fixed  map[string]bool
	params []pysrc.Span // where its parameters are written
	class  string       // of a method: the class it stands in
	uses   []pyUse
}

// pyUse is a name that is read or written in a scope.
type pyUse struct {
	name string
	at   int32
}

const (
	boundByStore = 1 << iota
	boundByParameter
	boundByDef
	boundByClass
	boundByImport
)

// pyScopes lists the scopes of a file, the module's first. What cannot be renamed in place is fixed: names that a
// statement spells without saying where (global, except … as), and all of a scope whose names are looked up as texts.
func pyScopes(f *pysrc.File) []*pyScope {
	var all []*pyScope
	open := func(n pysrc.Node, outer *pyScope) *pyScope {
		s := &pyScope{node: n, outer: outer, binds: map[string]int{}, fixed: map[string]bool{}}
		all = append(all, s)
		return s
	}
	fixed := map[string]bool{}
	var visit func(s *pyScope, n pysrc.Node)
	parameters := func(s, inner *pyScope, args *pysrc.Arguments) {
		for _, a := range args.All() {
			inner.binds[a.Name] |= boundByParameter
			at := pysrc.Span{Start: a.Start, End: a.Start + int32(len(a.Name))}
			for ; string(f.Src[at.Start:at.End]) != a.Name; at.Start, at.End = at.Start+1, at.End+1 {
			}
			inner.params = append(inner.params, at)
			if a.Annotation != nil {
				visit(s, a.Annotation)
			}
		}
		for _, d := range args.Defaults {
			visit(s, d)
		}
		for _, d := range args.KwDefaults {
			if d != nil {
				visit(s, d)
			}
		}
	}
	comprehension := func(s *pyScope, n pysrc.Node, generators []*pysrc.Comprehension, results ...pysrc.Expr) {
		inner := open(n, s)
		for i, g := range generators {
			if i == 0 {
				visit(s, g.Iter)
			} else {
				visit(inner, g.Iter)
			}
			visit(inner, g.Target)
			for _, c := range g.Ifs {
				visit(inner, c)
			}
		}
		for _, r := range results {
			visit(inner, r)
		}
	}
	visit = func(s *pyScope, n pysrc.Node) {
		switch n := n.(type) {
		case *pysrc.FunctionDef:
			s.binds[n.Name] |= boundByDef
			for _, d := range n.Decorators {
				visit(s, d)
			}
			if n.Returns != nil {
				visit(s, n.Returns)
			}
			inner := open(n, s)
			if c, ok := s.node.(*pysrc.ClassDef); ok {
				inner.class = c.Name
			}
			parameters(s, inner, n.Args)
			for _, b := range n.Body {
				visit(inner, b)
			}
			return
		case *pysrc.Lambda:
			inner := open(n, s)
			parameters(s, inner, n.Args)
			visit(inner, n.Body)
			return
		case *pysrc.ClassDef:
			s.binds[n.Name] |= boundByClass
			for _, e := range append(append([]pysrc.Expr{}, n.Decorators...), n.Bases...) {
				visit(s, e)
			}
			for _, k := range n.Keywords {
				visit(s, k.Value)
			}
			inner := open(n, s)
			for _, b := range n.Body {
				visit(inner, b)
			}
			return
		case *pysrc.ListComp:
			comprehension(s, n, n.Generators, n.Elt)
			return
		case *pysrc.SetComp:
			comprehension(s, n, n.Generators, n.Elt)
			return
		case *pysrc.GeneratorExp:
			comprehension(s, n, n.Generators, n.Elt)
			return
		case *pysrc.DictComp:
			comprehension(s, n, n.Generators, n.Key, n.Value)
			return
		case *pysrc.NamedExpr:
			fixed[n.Target.ID] = true // it binds in the function around a comprehension
		case *pysrc.Name:
			if n.Ctx != pysrc.Load {
				s.binds[n.ID] |= boundByStore
			}
			s.uses = append(s.uses, pyUse{n.ID, n.Start})
			switch n.ID {
			case "locals", "vars", "eval", "exec":
				for here := s; here != nil; here = here.outer {
					here.fixed[""] = true
				}
			}
		case *pysrc.Alias:
			name := n.Asname
			if name == "" {
				name = topPart(n.Name)
			}
			s.binds[name] |= boundByImport
		case *pysrc.Global:
			for _, name := range n.Names {
				fixed[name] = true
			}
		case *pysrc.Nonlocal:
			for _, name := range n.Names {
				fixed[name] = true
			}
		case *pysrc.ExceptHandler:
			fixed[n.Name] = true
		case *pysrc.MatchAs:
			fixed[n.Name] = true
		case *pysrc.MatchStar:
			fixed[n.Name] = true
		case *pysrc.MatchMapping:
			fixed[n.Rest] = true
		case *pysrc.TypeVar:
			fixed[n.Name] = true
		}
		pysrc.Children(n, func(c pysrc.Node) { visit(s, c) })
	}
	top := open(f.Module, nil)
	for _, s := range f.Module.Body {
		visit(top, s)
	}
	for name := range fixed {
		for _, s := range all {
			s.fixed[name] = true
		}
	}
	return all
}

// binder is the scope that a name belongs to which is used in this one: its own, or one around it that is not a class.
func (s *pyScope) binder(name string) *pyScope {
	for here := s; here != nil; here = here.outer {
		if _, class := here.node.(*pysrc.ClassDef); class && here != s {
			continue
		}
		if here.binds[name] != 0 {
			return here
		}
	}
	return nil
}

// free reports a name of the scope that may be renamed where it is bound by nothing else than these.
func (s *pyScope) free(name string, kinds int) bool {
	bound := s.binds[name]
	return bound != 0 && bound&^kinds == 0 && !s.fixed[name] && !s.fixed[""]
}

func topPart(dotted string) string {
	for i := range len(dotted) {
		if dotted[i] == '.' {
			return dotted[:i]
		}
	}
	return dotted
}
