package rule

import (
	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// keepOnDevice repairs a value that is read back in every step only for arithmetic: the tensor is used instead, and the
// number is read where it is shown. Three forms are known,
//
//	running = 0.9 * running + 0.1 * loss.item()
//	meter.update(loss.item(), len(x))
//	losses.append(loss.item()); if step % 50 == 0: print(sum(losses[-50:]) / 50)
//
// where every look is behind a guard that lets through a step now and then, or after the loop.
func (p *SourcePass) keepOnDevice(r *Report, c readBack) {
	loop := p.LoopAround(c)
	if c.Method() != "item" || loop == nil || !p.isTrainingLoop(loop) {
		return
	}
	k := &keeper{p: p, loop: loop, body: p.bodyOf(loop), as: "float"}
	if !k.keeps(c.Node) {
		return
	}
	text := p.Text(c.tensor) + ".detach()"
	if p.half().used || p.half().governed {
		text += ".float()" // an average in half precision would soon stand still
	} else {
		text += ".clone()" // what a CUDA graph returns is overwritten by its next replay
	}
	r.Fix(Unsafe, "keep the value on the GPU and read it where it is shown; it is rounded to float32", append([]patch.Edit{p.Replace(c.Node, text)}, k.edits...)...)
}

// keepJAXOnDevice does the same for a result of JAX, which float or item reads.
func (p *SourcePass) keepJAXOnDevice(r *Report, c Call, loop pysrc.Stmt) {
	values := hostReads(c)
	if len(values) != 1 || c.Name() != "float" && c.Method() != "item" {
		return
	}
	k := &keeper{p: p, loop: loop, body: p.bodyOf(loop), as: "float"}
	if k.keeps(c.Node) {
		r.Fix(Unsafe, "keep the value on the device and read it where it is shown; it is rounded to float32", append([]patch.Edit{p.Replace(c.Node, p.Text(values[0]))}, k.edits...)...)
	}
}

// keeper follows a kept value to where it is looked at.
type keeper struct {
	p     *SourcePass
	loop  pysrc.Stmt
	body  pysrc.Node
	as    string // what a look makes of a variable: float, or int of a count
	edits []patch.Edit
}

// keeps reports whether the value can stand where it was read, and notes the edits where it is looked at.
func (k *keeper) keeps(read *pysrc.Call) bool {
	switch s := k.p.Module.StatementAt(read.Start).(type) {
	case *pysrc.Assign:
		name, ok := s.Targets[0].(*pysrc.Name)
		return ok && len(s.Targets) == 1 && arithmetic(s.Value, read) && k.variable(name.ID, s)
	case *pysrc.AugAssign:
		name, ok := s.Target.(*pysrc.Name)
		return ok && arithmetic(s.Value, read) && k.variable(name.ID, s)
	case *pysrc.ExprStmt:
		return k.list(s, read) || k.meter(s, read)
	}
	return false
}

// arithmetic reports an expression of numbers and names around one node: a tensor can stand in its place.
func arithmetic(e pysrc.Expr, around pysrc.Expr) bool {
	found := false
	var holds func(e pysrc.Expr) bool
	holds = func(e pysrc.Expr) bool {
		switch e := e.(type) {
		case *pysrc.BinOp:
			return holds(e.Left) && holds(e.Right)
		case *pysrc.UnaryOp:
			return holds(e.Operand)
		case *pysrc.Constant:
			return e.Kind == pysrc.Int || e.Kind == pysrc.Float
		case *pysrc.Name, *pysrc.Attribute:
			return true
		case *pysrc.Call:
			if pysrc.Expr(e) == around {
				found = true
				return true
			}
			return lastName(e.Func) == "len"
		}
		return false
	}
	return holds(e) && found
}

// rarely reports a place that is looked at now and then: behind a guard in the loop, or outside it.
func (k *keeper) rarely(n pysrc.Node) bool {
	span := n.Bounds()
	return !k.loop.Bounds().Contains(int(span.Start)) || k.p.Rare(n) != nil
}

// variable follows a variable that a statement of the loop sets.
func (k *keeper) variable(name string, sets pysrc.Stmt) bool {
	fine, uses := true, 0
	own := sets.Bounds()
	pysrc.Inspect(k.body, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Global, *pysrc.Nonlocal, *pysrc.FunctionDef, *pysrc.Lambda, *pysrc.ClassDef:
			if n != k.body && k.mentions(n, name) {
				fine = false
			}
			return n == k.body
		case *pysrc.Name:
			switch {
			case n.ID != name || own.Contains(int(n.Start)):
			case n.Ctx == pysrc.Load && k.rarely(n):
				uses++
				k.edits = append(k.edits, k.p.Replace(n, k.as+"("+name+")"))
			case n.Ctx == pysrc.Load:
				fine = false
			default:
				fine = fine && k.number(n)
			}
		}
		return fine
	})
	return fine && uses > 0
}

// mentions reports a name in a node.
func (k *keeper) mentions(within pysrc.Node, name string) bool {
	found := false
	pysrc.Inspect(within, func(n pysrc.Node) bool {
		if x, ok := n.(*pysrc.Name); ok && x.ID == name {
			found = true
		}
		return !found
	})
	return found
}

// number reports a variable that is set to a number: to begin with, or again.
func (k *keeper) number(n *pysrc.Name) bool {
	c, ok := k.assigned(n).(*pysrc.Constant)
	return ok && (c.Kind == pysrc.Int || c.Kind == pysrc.Float)
}

// emptied reports a name that is set to an empty list.
func (k *keeper) emptied(n *pysrc.Name) bool {
	list, ok := k.assigned(n).(*pysrc.List)
	return ok && len(list.Elts) == 0
}

// assigned is what a plain assignment sets a name to, alone or as one of several; nil where that is something else.
func (k *keeper) assigned(n *pysrc.Name) pysrc.Expr {
	s, ok := k.p.Module.StatementAt(n.Start).(*pysrc.Assign)
	if !ok || len(s.Targets) != 1 {
		return nil
	}
	targets, several := s.Targets[0].(*pysrc.Tuple)
	if !several {
		return s.Value
	}
	values, ok := s.Value.(*pysrc.Tuple)
	if !ok || len(values.Elts) != len(targets.Elts) {
		return nil
	}
	for i, t := range targets.Elts {
		if t == pysrc.Expr(n) {
			return values.Elts[i]
		}
	}
	return nil
}

// list follows a list that a statement appends the value to.
func (k *keeper) list(s *pysrc.ExprStmt, value pysrc.Expr) bool {
	call, ok := s.Value.(*pysrc.Call)
	if !ok || len(call.Args) != 1 || call.Args[0] != value || lastName(call.Func) != "append" {
		return false
	}
	add, ok := call.Func.(*pysrc.Attribute)
	if !ok {
		return false
	}
	list, ok := add.Value.(*pysrc.Name)
	if !ok {
		return false
	}
	fine, made, handled := true, false, map[pysrc.Node]bool{list: true}
	pysrc.Inspect(k.body, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Call:
			if lastName(n.Func) == "len" && len(n.Args) == 1 {
				handled[n.Args[0]] = true
			}
			if a, ok := n.Func.(*pysrc.Attribute); ok && a.Attr == "clear" {
				handled[a.Value] = true
			}
		case *pysrc.Subscript:
			of, ok := n.Value.(*pysrc.Name)
			if !ok || of.ID != list.ID || n.Ctx != pysrc.Load {
				return true
			}
			handled[of] = true
			fine = fine && k.rarely(n)
			text := k.p.Text(n)
			if _, slice := n.Slice.(*pysrc.Slice); slice {
				text = "[float(value) for value in " + text + "]"
			} else {
				text = "float(" + text + ")"
			}
			k.edits = append(k.edits, k.p.Replace(n, text))
		case *pysrc.Name:
			switch {
			case n.ID != list.ID || handled[n]:
			case n.Ctx == pysrc.Load && k.rarely(n):
				k.edits = append(k.edits, k.p.Replace(n, "[float(value) for value in "+list.ID+"]"))
			case n.Ctx == pysrc.Load:
				fine = false
			default:
				empty := k.emptied(n)
				made, fine = made || empty, fine && empty
			}
		}
		return fine
	})
	return fine && made
}

// meter follows an object of the project that averages what it is given.
func (k *keeper) meter(s *pysrc.ExprStmt, value pysrc.Expr) bool {
	call, ok := s.Value.(*pysrc.Call)
	if !ok || len(call.Args) == 0 || call.Args[0] != value {
		return false
	}
	method, ok := call.Func.(*pysrc.Attribute)
	if !ok {
		return false
	}
	meter, ok := method.Value.(*pysrc.Name)
	if !ok || !k.averages(meter, method.Attr) {
		return false
	}
	fine := true
	bases := map[pysrc.Node]bool{}
	pysrc.Inspect(k.body, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Call:
			if a, ok := n.Func.(*pysrc.Attribute); ok { // its methods
				bases[a.Value] = true
			}
		case *pysrc.Attribute:
			of, ok := n.Value.(*pysrc.Name)
			if !ok || of.ID != meter.ID || bases[of] {
				return true
			}
			bases[of] = true
			fine = fine && n.Ctx == pysrc.Load && k.rarely(n)
			k.edits = append(k.edits, k.p.Replace(n, "float("+k.p.Text(n)+")"))
		case *pysrc.Name:
			if n.ID == meter.ID && n.Ctx == pysrc.Load && !bases[n] {
				fine = false // somebody else may look at it
			}
		}
		return fine
	})
	return fine && len(k.edits) > 0
}

// averages reports whether a method of a project class does only arithmetic on its arguments.
func (k *keeper) averages(meter *pysrc.Name, method string) bool {
	class := k.p.Eval(meter).Class
	if class == nil {
		return false
	}
	fn := class.Method(method)
	if fn == nil || fn.Def == nil {
		return false
	}
	fine := true
	for _, s := range fn.Def.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch n.(type) {
			case *pysrc.Call, *pysrc.If, *pysrc.For, *pysrc.While, *pysrc.Compare, *pysrc.JoinedStr:
				fine = false
			}
			return fine
		})
	}
	return fine
}
