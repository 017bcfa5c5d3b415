package project

import (
	"slices"
	"strconv"
	"strings"

	"saturate/internal/pysrc"
)

// movedName is a variable of a function into which the function puts what it has moved.
type movedName struct {
	fn   *Function
	name string
}

// movedItem is what stands under a key from an offset on, under any key where that is empty. A function that was called may
// have put it there.
type movedItem struct {
	key   string
	value pysrc.Expr
	in    *Module
	from  int32
}

// movedInPlace is the confidence that a part of a variable is on the device because its function moved it and put it back:
// for k in batch: batch[k] = batch[k].to(device). Without a key, the question is about the variable as a whole.
func (e *Eval) movedInPlace(x *pysrc.Name, key string, sc *Scope, depth int) float64 {
	fn, best := functionOf(sc), 0.0
	if fn == nil || depth > deepestTensor {
		return 0
	}
	for _, item := range e.p.moves[movedName{fn, x.ID}] {
		if best < Likely && item.from <= x.Start && (item.key == "" || item.key == key) {
			best = throughParts * e.tensor(item.value, item.in.scopeAt(item.value), depth+1)
		}
	}
	if best > 0 && e.holdsTensor(x, sc) {
		return 0 // a buffer of the host, into which it was copied
	}
	return best
}

// HoldsMoved reports a variable into which its function puts what it has moved: a container, and no tensor.
func (e *Eval) HoldsMoved(m *Module, x pysrc.Expr) bool {
	name, ok := x.(*pysrc.Name)
	return ok && len(e.p.moves[movedName{m.FunctionAt(name.Start), name.ID}]) > 0 && !e.holdsTensor(name, m.scopeAt(name))
}

// holdsTensor reports a variable that is one tensor, as torch made it.
func (e *Eval) holdsTensor(x *pysrc.Name, sc *Scope) bool {
	holder, _ := sc.find(x.ID)
	if holder == nil {
		return false
	}
	var room [8]*Binding
	for _, b := range holder.reaching(room[:0], x.ID, sc, x.Start) {
		if b.Kind == Assigned && b.path == 0 && strings.HasPrefix(e.expr(b.Value, b.Scope).Name, "torch.") {
			return true
		}
	}
	return false
}

// gatherMoves lists what the functions of the project move in place, and what they have others move.
func (p *Project) gatherMoves() {
	p.moves = map[movedName][]movedItem{}
	var fresh []movedName
	put := func(fn *Function, name string, item movedItem) {
		if key := (movedName{fn, name}); !slices.Contains(p.moves[key], item) {
			p.moves[key] = append(p.moves[key], item)
			fresh = append(fresh, key)
		}
	}
	for _, m := range p.Modules {
		for _, a := range m.Assignments {
			if a.Augmented || a.Func == nil || !isMove(a.Value) {
				continue
			}
			if of, field := movedField(a.Target); field != "" {
				parts := elements(a.Value)
				for i, part := range parts { // batch.x = (batch.x[0].to(device), batch.x[1])
					if isMove(part) {
						put(a.Func, of, movedItem{field + "[" + strconv.Itoa(i) + "]", part, m, a.Value.Bounds().End})
					}
				}
				if len(parts) == 0 {
					put(a.Func, of, movedItem{field, a.Value, m, a.Value.Bounds().End})
				}
				continue
			}
			target, ok := a.Target.(*pysrc.Subscript)
			if !ok {
				continue
			}
			key := ""
			holder, whole := target.Value.(*pysrc.Name)
			if whole {
				key, _ = pysrc.StringValue(target.Slice)
			} else if holder = RootName(target); holder == nil || FieldOfSelf(target) != "" {
				continue
			}
			put(a.Func, holder.ID, movedItem{key, a.Value, m, a.Value.Bounds().End})
		}
		if len(p.loops[m]) == 0 {
			continue
		}
		for _, s := range m.Sites {
			if batch := p.movesBatch(s); batch != nil && m.isStatement(s.Node) {
				put(s.Func, batch.ID, movedItem{"", s.Node, m, s.Node.End})
			}
		}
	}
	for ; len(fresh) > 0; fresh = fresh[1:] { // a function that puts nothing new into what it is given ends this
		fn, name := fresh[0].fn, fresh[0].name
		if !fn.HasParameter(name) {
			continue
		}
		for _, s := range fn.callers() {
			given, ok := s.Given(fn, name).(*pysrc.Name)
			if !ok || s.Func == nil || s.Calls.Func != fn || !s.Module().isStatement(s.Node) {
				continue
			}
			for _, item := range p.moves[fresh[0]] {
				put(s.Func, given.ID, movedItem{item.key, item.value, item.in, s.Node.End})
			}
		}
	}
}

// movedField is what holds a field, and the key of that field: batch and .x of batch.x = batch.x.to(device). The key is empty for
// other targets, and for a field of self, which its class tells of.
func movedField(target pysrc.Expr) (of, key string) {
	field, ok := target.(*pysrc.Attribute)
	if !ok || IsSelf(field.Value) {
		return "", ""
	}
	name, ok := field.Value.(*pysrc.Name)
	if !ok {
		return "", ""
	}
	return name.ID, "." + field.Attr
}

// movesBatch is the batch of a training loop that moves itself: batch.to(device), for batch in loader. It is nil for other calls.
func (p *Project) movesBatch(s *Site) *pysrc.Name {
	if s.Method() != "to" && s.Method() != "cuda" {
		return nil
	}
	batch, _ := s.Node.Func.(*pysrc.Attribute).Value.(*pysrc.Name)
	loop, ok := s.Module().LoopAround(s).(*pysrc.For)
	if !ok || batch == nil || !p.IsTrainingLoop(s.Module(), loop) {
		return nil
	}
	found := false
	pysrc.Inspect(loop.Target, func(n pysrc.Node) bool {
		name, ok := n.(*pysrc.Name)
		found = found || ok && name.ID == batch.ID
		return !found
	})
	if !found {
		return nil
	}
	return batch
}

// isStatement reports a call whose result nobody takes: move(batch, device).
func (m *Module) isStatement(c *pysrc.Call) bool {
	s, ok := m.StatementAt(c.Start).(*pysrc.ExprStmt)
	return ok && s.Value == pysrc.Expr(c)
}

// isMove reports an expression that moves something to a device: x.to(device), x.float().cuda() if torch.is_tensor(x) else x.
func isMove(x pysrc.Expr) bool {
	if parts, ok := x.(*pysrc.Tuple); ok {
		return slices.ContainsFunc(parts.Elts, isMove)
	}
	if either, ok := x.(*pysrc.IfExp); ok {
		return isMove(either.Body) || isMove(either.Orelse)
	}
	for {
		c, ok := x.(*pysrc.Call)
		if !ok {
			return false
		}
		a, ok := c.Func.(*pysrc.Attribute)
		if !ok {
			return false
		}
		if a.Attr == "to" || a.Attr == "cuda" {
			return true
		}
		x = a.Value
	}
}
