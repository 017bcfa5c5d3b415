package offline

import (
	"fmt"
	"slices"
	"sort"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// region is a run of statements of one block that becomes a function of its own.
type region struct {
	list        []pysrc.Stmt
	first, last int
	outputs     []string // names that are read after it
	params      []string // names that it reads before it sets them itself
	returns     bool     // its last statement is a return
}

func (r *region) statements() []pysrc.Stmt { return r.list[r.first : r.last+1] }

func (r *region) span() pysrc.Span {
	return pysrc.Span{Start: r.list[r.first].Bounds().Start, End: r.list[r.last].Bounds().End}
}

// regionOf finds the shortest run of statements around a call that leaves a value behind, not a file or a handle.
// It looks in the innermost block first; what a with statement opens belongs inside.
func (w *work) regionOf(fn *project.Function, node pysrc.Node, kind kind) (*region, string) {
	if fn.Def == nil {
		return nil, "a lambda has no value there to cache"
	}
	reason := fmt.Sprintf("%s does not produce a value", short(fn.Module, node))
	for _, list := range slices.Backward(blocksAround(fn, node.Bounds().Start)) {
		at := slices.IndexFunc(list, func(s pysrc.Stmt) bool {
			return s.Bounds().Start <= node.Bounds().Start && node.Bounds().End <= s.Bounds().End
		})
		if at < 0 {
			continue
		}
		r := &region{list: list, first: at, last: at}
		if w.grow(fn, r) {
			r.settle(fn)
			return r, ""
		}
	}
	return nil, reason
}

// blocksAround are the lists of statements around an offset, outermost first, from the innermost loop on. A loop that
// works on in each iteration with what the last one left counts as one statement: what its turns make is of no use alone.
func blocksAround(fn *project.Function, at int32) [][]pysrc.Stmt {
	lists := [][]pysrc.Stmt{fn.Def.Body}
	for {
		list := lists[len(lists)-1]
		i := slices.IndexFunc(list, func(s pysrc.Stmt) bool { return s.Bounds().Start <= at && at < s.Bounds().End })
		if i < 0 {
			return lists
		}
		var inner []pysrc.Stmt
		take := func(bodies ...[]pysrc.Stmt) {
			for _, b := range bodies {
				if len(b) > 0 && b[0].Bounds().Start <= at && at < b[len(b)-1].Bounds().End {
					inner = b
				}
			}
		}
		switch s := list[i].(type) {
		case *pysrc.For:
			if carries(fn, s.Body, at) {
				return lists
			}
			take(s.Body)
			lists = nil
		case *pysrc.While:
			if carries(fn, s.Body, at) {
				return lists
			}
			take(s.Body)
			lists = nil
		case *pysrc.If:
			take(s.Body, s.Orelse)
		case *pysrc.With:
			take(s.Body)
		case *pysrc.Try:
			take(s.Body)
		}
		if inner == nil {
			if lists == nil {
				lists = [][]pysrc.Stmt{list}
			}
			return lists
		}
		lists = append(lists, inner)
	}
}

// carries reports whether the statement at an offset of a loop's body reads what the turn before has set.
func carries(fn *project.Function, body []pysrc.Stmt, at int32) bool {
	turn := &region{list: body, last: len(body) - 1}
	turn.settle(fn)
	for _, s := range body {
		if s.Bounds().Start > at || at >= s.Bounds().End {
			continue
		}
		return slices.ContainsFunc(turn.params, func(name string) bool {
			return loads(s, name) && slices.ContainsFunc(body, func(s pysrc.Stmt) bool { return stored(s)[name] })
		})
	}
	return false
}

// grow takes in statements until what is read later is a value, and what is new each time is made within.
func (w *work) grow(fn *project.Function, r *region) bool {
	for {
		if first, ok := w.backTo(fn, r); !ok {
			return false
		} else if first < r.first {
			r.first = first
			continue
		}
		outputs := r.live(fn)
		if last, isReturn := r.list[r.last].(*pysrc.Return); isReturn {
			r.returns = true
			return r.last > r.first && r.gives(fn, last)
		}
		if len(outputs) > 0 && !w.anyHandle(fn, r, outputs) && !w.removedLater(fn, r) {
			return true
		}
		if r.last+1 >= len(r.list) {
			return false
		}
		r.last++
	}
}

// gives reports whether a return gives something of what the statements before it made, as far as that shows.
func (r *region) gives(fn *project.Function, last *pysrc.Return) bool {
	if last.Value == nil {
		return false
	}
	for _, s := range r.list[r.first:r.last] {
		for name := range stored(s) {
			if loads(last, name) {
				return true
			}
		}
	}
	return slices.ContainsFunc(sitesIn(fn.Module, last.Span), func(s *project.Site) bool { return changesForm(s) || isHandle(s) })
}

// live are the names that the region sets and the function reads later.
func (r *region) live(fn *project.Function) []string {
	var names []string
	for _, s := range r.statements() {
		for name := range stored(s) {
			if !slices.Contains(names, name) && r.readLater(fn, name) {
				names = append(names, name)
			}
		}
	}
	sort.Strings(names)
	return names
}

// readLater reports whether a name that the region sets is read after it, before it is set again.
func (r *region) readLater(fn *project.Function, name string) bool {
	for _, s := range r.list[r.last+1:] {
		if loads(s, name) {
			return true
		}
		if a, ok := s.(*pysrc.Assign); ok && stored(a)[name] {
			return false
		}
	}
	return loadedAfter(fn, name, r.list[len(r.list)-1].Bounds().End)
}

// settle notes what goes in and out.
func (r *region) settle(fn *project.Function) {
	r.outputs = r.live(fn)
	set := map[string]bool{}
	for _, s := range r.statements() {
		for name := range stored(s) {
			set[name] = true
		}
	}
	bound := map[string]bool{}
	for _, s := range r.statements() {
		inOrder(s, func(n pysrc.Node) bool {
			if x, ok := n.(*pysrc.Name); ok {
				if x.Ctx == pysrc.Store {
					bound[x.ID] = true
				} else if set[x.ID] && !bound[x.ID] && !slices.Contains(r.params, x.ID) {
					r.params = append(r.params, x.ID)
				}
			}
			if a, ok := n.(*pysrc.AugAssign); ok {
				if x, ok := a.Target.(*pysrc.Name); ok && !bound[x.ID] && !slices.Contains(r.params, x.ID) {
					r.params = append(r.params, x.ID)
				}
			}
			return true
		})
	}
}

// anyHandle reports whether one of the names holds a file, a buffer or an answer rather than a value.
func (w *work) anyHandle(fn *project.Function, r *region, names []string) bool {
	for _, s := range r.statements() {
		found := false
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			target, value := binding(n)
			if value != nil && slices.ContainsFunc(names, func(name string) bool { return target != nil && stored(target)[name] }) {
				if call, ok := value.(*pysrc.Call); ok {
					if site := fn.Module.SiteAt(call); site != nil && (isHandle(site) || fresh(site)) {
						found = true
					}
				}
			}
			return !found
		})
		if found {
			return true
		}
	}
	return false
}

// binding is what a node assigns, and what to.
func binding(n pysrc.Node) (target pysrc.Node, value pysrc.Expr) {
	switch n := n.(type) {
	case *pysrc.Assign:
		return n.Targets[0], n.Value
	case *pysrc.AnnAssign:
		return n.Target, n.Value
	case *pysrc.NamedExpr:
		return n.Target, n.Value
	case *pysrc.WithItem:
		if n.Vars != nil {
			return n.Vars, n.Context
		}
	}
	return nil, nil
}

// backTo is the first statement that must be within, because what it makes is new each time: a buffer, a name
// of a temporary file. It fails where that is made in another block.
func (w *work) backTo(fn *project.Function, r *region) (int, bool) {
	first, ok := r.first, true
	for name := range localNames(fn) {
		if !slices.ContainsFunc(r.statements(), func(s pysrc.Stmt) bool { return loads(s, name) }) {
			continue
		}
		for _, s := range fn.Def.Body {
			pysrc.Inspect(s, func(n pysrc.Node) bool {
				target, value := binding(n)
				if target == nil || value == nil || n.Bounds().Start >= r.span().Start || !stored(target)[name] {
					return true
				}
				if !slices.ContainsFunc(sitesIn(fn.Module, value.Bounds()), fresh) {
					return true
				}
				at := slices.IndexFunc(r.list, func(s pysrc.Stmt) bool {
					return s.Bounds().Start <= n.Bounds().Start && n.Bounds().End <= s.Bounds().End
				})
				if at < 0 {
					ok = false
				} else {
					first = min(first, at)
				}
				return true
			})
		}
	}
	return first, ok
}

// removedLater reports whether the function removes a file behind the region that it made: then the removal belongs in
// it.
func (w *work) removedLater(fn *project.Function, r *region) bool {
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		return removesFile(s) && s.Node.Start >= r.span().End
	})
}
