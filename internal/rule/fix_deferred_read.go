package rule

import (
	"strings"

	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// readLater repairs a value that a training loop reads back in every step only to store it in a list: the tensor is
// stored instead, and the list is converted to numbers after the loop. Both forms are known,
//
//	losses.append(loss.item())
//	value = loss.item(); log.append({"loss": value}); if step % 10 == 0: print(value)
//
// where what a guard lets through now and then reads the value there.
func (p *SourcePass) readLater(r *Report, c readBack) {
	if c.Method() != "item" {
		return
	}
	loop := p.LoopAround(c)
	if loop == nil || !p.isTrainingLoop(loop) || leavesEarly(loop) {
		return
	}
	d := &deferral{p: p, loop: loop, end: loop, fn: p.bodyOf(loop)}
	if !d.followed(c) {
		return
	}
	// A copy: what a CUDA graph returns is overwritten by its next replay.
	edits := append([]patch.Edit{p.Replace(c.Node, p.Text(c.tensor)+".detach().clone()")}, d.edits...)
	for _, line := range d.after {
		edits = append(edits, p.LineAfter(d.end, line))
	}
	r.Fix(Unsafe, "keep the values on the GPU and read them after the loop; step times no longer include the wait", edits...)
}

// deferral follows a value from where it is read to where it is kept.
type deferral struct {
	p     *SourcePass
	loop  pysrc.Stmt
	end   pysrc.Stmt // the loop behind which the list is converted: this one, or one around it
	fn    pysrc.Node // the function around the loop, or the module
	edits []patch.Edit
	after []string // lines to write after the loop
}

func (d *deferral) followed(c readBack) bool {
	switch s := d.p.Module.StatementAt(c.Node.Start).(type) {
	case *pysrc.ExprStmt:
		return d.kept(s, c.Node)
	case *pysrc.Assign:
		name, ok := s.Targets[0].(*pysrc.Name)
		return ok && len(s.Targets) == 1 && s.Value == pysrc.Expr(c.Node) && d.everyUse(name)
	}
	return false
}

// everyUse handles each place that reads the variable: kept in a list, or
// behind a guard, where it is read as before. A use after the loop, or one of
// another kind, ends the repair.
func (d *deferral) everyUse(variable *pysrc.Name) bool {
	fine, lists := true, 0
	pysrc.Inspect(d.fn, func(n pysrc.Node) bool {
		use, ok := n.(*pysrc.Name)
		if !ok || use.ID != variable.ID || use == variable || !fine {
			return fine
		}
		stmt, isExpr := d.p.Module.StatementAt(use.Start).(*pysrc.ExprStmt)
		switch {
		case use.Ctx != pysrc.Load || !d.loop.Bounds().Contains(int(use.Start)):
			fine = false
		case d.p.Rare(use) != nil:
			d.edits = append(d.edits, d.p.Replace(use, use.ID+".item()"))
		case isExpr && d.kept(stmt, use):
			lists++
		default:
			fine = false
		}
		return fine
	})
	return fine && lists > 0
}

// kept reports list.append(value) or list.append({…: value, …}), and notes the
// line that turns the list into numbers after the loop.
func (d *deferral) kept(stmt *pysrc.ExprStmt, value pysrc.Expr) bool {
	call, ok := stmt.Value.(*pysrc.Call)
	if !ok || len(call.Args) != 1 || len(call.Keywords) > 0 {
		return false
	}
	add, ok := call.Func.(*pysrc.Attribute)
	if !ok || add.Attr != "append" {
		return false
	}
	if entry, ok := add.Value.(*pysrc.Subscript); ok && call.Args[0] == value { // log["loss"].append(loss.item())
		return d.ownEntry(entry)
	}
	list, ok := add.Value.(*pysrc.Name)
	if !ok {
		return false
	}
	if call.Args[0] == value {
		if !d.ownList(list.ID, "", call) {
			return false
		}
		d.after = append(d.after, list.ID+"[:] = [float(value) for value in "+list.ID+"]")
		return true
	}
	row, ok := call.Args[0].(*pysrc.Dict)
	if !ok {
		return false
	}
	for i, v := range row.Values {
		if key, text := pysrc.StringValue(row.Keys[i]); v == value && text && d.ownList(list.ID, key, call) {
			name := d.freeName("row", "entry", "record")
			unit := "    "
			if strings.Contains(d.p.Module.Line(d.p.Module.LineAt(call.Start)), "\t") {
				unit = "\t"
			}
			indent := d.p.indentOf(d.end)
			at := name + "[" + d.p.Text(row.Keys[i]) + "]"
			d.after = append(d.after, "for "+name+" in "+list.ID+":"+d.p.Module.Newline()+indent+unit+at+" = float("+at+")")
			return name != ""
		}
	}
	return false
}

// ownList reports a list that the function makes before the loop and that the
// loop only appends to; of rows, it may read another key, and this one behind a guard.
func (d *deferral) ownList(list, key string, within *pysrc.Call) bool {
	made, fine := false, true
	pysrc.Inspect(d.fn, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Assign:
			if name, ok := n.Targets[0].(*pysrc.Name); ok && name.ID == list {
				empty, isList := n.Value.(*pysrc.List)
				made = made || isList && len(empty.Elts) == 0 && n.Start < d.loop.Bounds().Start
				fine = fine && isList && len(empty.Elts) == 0 && !d.loop.Bounds().Contains(int(n.Start))
				return false
			}
			if madeEmpty(n, list) && n.Start < d.loop.Bounds().Start {
				made = true
				return false
			}
		case *pysrc.ListComp:
			if d.readsRows(n.Elt, n.Generators, list, key) {
				return false
			}
		case *pysrc.GeneratorExp:
			if d.readsRows(n.Elt, n.Generators, list, key) {
				return false
			}
		case *pysrc.Subscript: // log[-1]["seconds"]
			if inner, ok := n.Value.(*pysrc.Subscript); ok && rootName(inner) == list && key != "" {
				if other, text := pysrc.StringValue(n.Slice); text && (other != key || d.readHere(n)) {
					return false
				}
			}
		case *pysrc.Call:
			if n == within {
				return false
			}
			if lastName(n.Func) == "len" && len(n.Args) == 1 && rootName(n.Args[0]) == list {
				return false
			}
		case *pysrc.Name:
			if n.ID == list && d.loop.Bounds().Contains(int(n.Start)) {
				fine = false
			}
		}
		return fine
	})
	if made && fine {
		d.end = d.p.outermostFor(list, d.fn, d.loop)
	}
	return made && fine
}

// freeName returns the first of the names that the function does not use, or nothing.
func (d *deferral) freeName(names ...string) string {
	for _, name := range names {
		used := false
		pysrc.Inspect(d.fn, func(n pysrc.Node) bool {
			if x, ok := n.(*pysrc.Name); ok && x.ID == name && x.Ctx == pysrc.Store && !d.p.inComprehension(x) {
				used = true
			}
			return !used
		})
		if !used {
			return name
		}
	}
	return ""
}

// inComprehension reports a name that a comprehension sets, which nobody else sees.
func (p *SourcePass) inComprehension(name *pysrc.Name) bool {
	found := false
	p.Inspect(p.Module.StatementAt(name.Start), func(n pysrc.Node) bool {
		if c, ok := n.(*pysrc.Comprehension); ok && c.Target.Bounds().Contains(int(name.Start)) {
			found = true
		}
		return !found
	})
	return found
}

// leavesEarly reports a loop that a return or a yield leaves, past what stands behind it.
func leavesEarly(loop pysrc.Stmt) bool {
	found := false
	pysrc.Inspect(loop, func(n pysrc.Node) bool {
		switch n.(type) {
		case *pysrc.Return, *pysrc.Yield, *pysrc.YieldFrom:
			found = true
		}
		return !found
	})
	return found
}

// bodyOf is the function around a node, or the module.
func (p *SourcePass) bodyOf(n Node) pysrc.Node {
	if fn := p.Function(n); fn.Def != nil {
		return fn.Def
	}
	return p.Module.File.Module
}

// indentOf is the white space before the statement that holds a node.
func (p *SourcePass) indentOf(n Node) string {
	line := p.Module.Line(p.Module.LineAt(n.Bounds().Start))
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
