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
