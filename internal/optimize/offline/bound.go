package offline

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// A variable that is set under a condition, and used under it again later, cannot be part of a key: where the condition
// does not hold, it does not exist.

// surelySet reports whether a variable of a function is set on every way to an offset.
func surelySet(fn *project.Function, name string, at int32) bool {
	if fn.Def == nil {
		return true // a lambda has nothing but parameters
	}
	for _, p := range fn.Def.Args.All() {
		if p.Name == name {
			return true
		}
	}
	return setOnTheWay(fn.Def.Body, name, at)
}

// setOnTheWay looks at the statements before an offset, and into the one that holds it.
func setOnTheWay(list []pysrc.Stmt, name string, at int32) bool {
	for _, s := range list {
		switch b := s.Bounds(); {
		case b.End <= at && sets(s, name):
			return true
		case b.Start <= at && at < b.End:
			return setInside(s, name, at)
		}
	}
	return false
}

// setInside reports whether a statement sets a variable before an offset that it holds.
func setInside(s pysrc.Stmt, name string, at int32) bool {
	bodies := [][]pysrc.Stmt{}
	switch s := s.(type) {
	case *pysrc.If:
		bodies = append(bodies, s.Body, s.Orelse)
	case *pysrc.For:
		if stored(s.Target)[name] {
			return true
		}
		bodies = append(bodies, s.Body, s.Orelse)
	case *pysrc.While:
		bodies = append(bodies, s.Body, s.Orelse)
	case *pysrc.With:
		if entered(s, name) {
			return true
		}
		bodies = append(bodies, s.Body)
	case *pysrc.Try:
		bodies = append(bodies, s.Body, s.Orelse, s.Finalbody)
		for _, h := range s.Handlers {
			bodies = append(bodies, h.Body)
		}
	}
	return slices.ContainsFunc(bodies, func(body []pysrc.Stmt) bool { return setOnTheWay(body, name, at) })
}

// sets reports whether a variable is set once a statement is done, whichever way it took.
func sets(s pysrc.Stmt, name string) bool {
	all := func(list []pysrc.Stmt) bool {
		return leaves(list) || slices.ContainsFunc(list, func(s pysrc.Stmt) bool { return sets(s, name) })
	}
	switch s := s.(type) {
	case *pysrc.If:
		return all(s.Body) && all(s.Orelse)
	case *pysrc.For, *pysrc.While:
		return false // there may be nothing to go through
	case *pysrc.With:
		return entered(s, name) || all(s.Body)
	case *pysrc.Try:
		return all(s.Finalbody) || all(slices.Concat(s.Body, s.Orelse)) &&
			!slices.ContainsFunc(s.Handlers, func(h *pysrc.ExceptHandler) bool { return !all(h.Body) })
	}
	return stored(s)[name]
}

// entered reports whether a with statement sets a variable.
func entered(s *pysrc.With, name string) bool {
	return slices.ContainsFunc(s.Items, func(i *pysrc.WithItem) bool { return i.Vars != nil && stored(i.Vars)[name] })
}

// leaves reports whether nothing behind a list of statements runs.
func leaves(list []pysrc.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch list[len(list)-1].(type) {
	case *pysrc.Return, *pysrc.Raise, *pysrc.Continue, *pysrc.Break:
		return true
	}
	return false
}
