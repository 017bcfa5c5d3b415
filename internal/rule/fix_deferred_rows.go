package rule

import (
	"slices"

	"saturate/internal/pysrc"
)

// readsRows reports a comprehension over a list of rows, or over a part of it, that takes single values of each: h["loss"]
// for h in log[-50:]. The deferred value becomes a number there, which a guard must let through now and then.
func (d *deferral) readsRows(element pysrc.Expr, over []*pysrc.Comprehension, list, key string) bool {
	if key == "" || len(over) != 1 {
		return false
	}
	row, ok := over[0].Target.(*pysrc.Name)
	rows := over[0].Iter
	if part, sliced := rows.(*pysrc.Subscript); sliced {
		if _, sliced = part.Slice.(*pysrc.Slice); !sliced {
			return false
		}
		rows = part.Value
	}
	if !ok || !isNamed(rows, list) {
		return false
	}
	fine := true
	for _, e := range slices.Concat([]pysrc.Expr{element}, over[0].Ifs) {
		pysrc.Inspect(e, func(n pysrc.Node) bool {
			if value, ok := n.(*pysrc.Subscript); ok && isNamed(value.Value, row.ID) {
				name, text := pysrc.StringValue(value.Slice)
				fine = fine && text && (name != key || d.readHere(value))
				return false
			}
			if name, ok := n.(*pysrc.Name); ok && (name.ID == row.ID || name.ID == list) {
				fine = false
			}
			return fine
		})
	}
	return fine
}

// readHere turns a deferred value into a number where a guard lets a step through now and then, or where it is read after the
// loop.
func (d *deferral) readHere(value *pysrc.Subscript) bool {
	if value.Ctx != pysrc.Load {
		return false
	}
	if !d.loop.Bounds().Contains(int(value.Start)) {
		return true
	}
	if d.p.Rare(value) == nil {
		return false
	}
	d.edits = append(d.edits, d.p.Replace(value, "float("+d.p.Text(value)+")"))
	return true
}

// ownEntry reports a list in a dict that the function makes before the loop, log["loss"], to which the loop only appends and
// which it reads behind a guard; and notes the line that turns it into numbers after the loop.
func (d *deferral) ownEntry(list *pysrc.Subscript) bool {
	dict, ok := list.Value.(*pysrc.Name)
	key, text := pysrc.StringValue(list.Slice)
	if !ok || !text || !d.dictOfLists(dict.ID) {
		return false
	}
	name := d.p.Text(list)
	fine, seen := true, map[pysrc.Node]bool{list: true}
	pysrc.Inspect(d.loop, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Call:
			if lastName(n.Func) == "len" && len(n.Args) == 1 {
				seen[n.Args[0]] = true
			}
		case *pysrc.Subscript:
			if of, ok := n.Value.(*pysrc.Subscript); ok && isNamed(of.Value, dict.ID) && n.Ctx == pysrc.Load { // log["loss"][-50:]
				if other, text := pysrc.StringValue(of.Slice); text && other == key {
					fine = fine && d.p.Rare(n) != nil
					seen[of] = true
					form := "float(" + d.p.Text(n) + ")"
					if _, several := n.Slice.(*pysrc.Slice); several {
						form = "[float(value) for value in " + d.p.Text(n) + "]"
					}
					d.edits = append(d.edits, d.p.Replace(n, form))
				}
				return fine
			}
			if !isNamed(n.Value, dict.ID) {
				return true
			}
			other, text := pysrc.StringValue(n.Slice)
			switch {
			case seen[n], text && other != key:
			case text && n.Ctx == pysrc.Load && d.p.Rare(n) != nil:
				d.edits = append(d.edits, d.p.Replace(n, "[float(value) for value in "+d.p.Text(n)+"]"))
			default:
				fine = false
			}
			return false
		case *pysrc.Name:
			fine = fine && n.ID != dict.ID // somebody else may look at it
		}
		return fine
	})
	if !fine {
		return false
	}
	d.end = d.p.outermostFor(dict.ID, d.fn, d.loop)
	d.after = append(d.after, name+"[:] = [float(value) for value in "+name+"]")
	return true
}

// dictOfLists reports a variable that the function sets once, before the loop, to a dict of empty lists.
func (d *deferral) dictOfLists(name string) bool {
	made, other := false, false
	pysrc.Inspect(d.fn, func(n pysrc.Node) bool {
		a, ok := n.(*pysrc.Assign)
		if !ok || len(a.Targets) != 1 || !isNamed(a.Targets[0], name) {
			if x, ok := n.(*pysrc.Name); ok && x.ID == name && x.Ctx == pysrc.Store {
				other = true
			}
			return true
		}
		other = other || made || a.Start > d.loop.Bounds().Start
		made = isEmptyLists(a.Value)
		return false
	})
	return made && !other
}

// isEmptyLists reports {"loss": [], "accuracy": []}, {k: [] for k in names} and defaultdict(list).
func isEmptyLists(e pysrc.Expr) bool {
	empty := func(e pysrc.Expr) bool {
		list, ok := e.(*pysrc.List)
		return ok && len(list.Elts) == 0
	}
	switch x := e.(type) {
	case *pysrc.Dict:
		return len(x.Values) > 0 && !slices.ContainsFunc(x.Values, func(e pysrc.Expr) bool { return !empty(e) })
	case *pysrc.DictComp:
		return empty(x.Value)
	case *pysrc.Call:
		return lastName(x.Func) == "defaultdict" && len(x.Args) == 1 && isNamed(x.Args[0], "list")
	}
	return false
}

// madeEmpty reports an assignment that sets one of several names to an empty list: log, step = [], 0.
func madeEmpty(a *pysrc.Assign, list string) bool {
	if len(a.Targets) != 1 {
		return false
	}
	names, values := elementsOf(a.Targets[0]), elementsOf(a.Value)
	for i, name := range names {
		if isNamed(name, list) && len(names) == len(values) {
			empty, ok := values[i].(*pysrc.List)
			return ok && len(empty.Elts) == 0
		}
	}
	return false
}

// outermostFor is the outermost loop around another whose other statements do not use a list.
func (p *SourcePass) outermostFor(list string, within pysrc.Node, loop pysrc.Stmt) pysrc.Stmt {
	best := loop
	for outer := p.LoopAround(loop); outer != nil && within.Bounds().Contains(int(outer.Bounds().Start)); outer = p.LoopAround(outer) {
		if usesBeside(outer, loop, list) || leavesEarly(outer) {
			break
		}
		best = outer
	}
	return best
}

// usesBeside reports a name that a loop uses outside a loop within it.
func usesBeside(outer, inner pysrc.Stmt, name string) bool {
	found := false
	pysrc.Inspect(outer, func(n pysrc.Node) bool {
		if n == pysrc.Node(inner) {
			return false
		}
		found = found || isNameNode(n, name)
		return !found
	})
	return found
}

func isNameNode(n pysrc.Node, name string) bool {
	x, ok := n.(*pysrc.Name)
	return ok && x.ID == name
}
