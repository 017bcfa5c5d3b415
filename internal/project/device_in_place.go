package project

import (
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
	for _, item := range e.movesIn(sc.Module)[movedName{fn, x.ID}] {
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
	return ok && len(e.movesIn(m)[movedName{m.FunctionAt(name.Start), name.ID}]) > 0 && !e.holdsTensor(name, m.scopeAt(name))
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

// movesIn lists what the functions of a module move in place.
func (e *Eval) movesIn(m *Module) map[movedName][]movedItem {
	if moves, known := e.moves[m]; known {
		return moves
	}
	var moves map[movedName][]movedItem
	put := func(fn *Function, name string, item movedItem) {
		if moves == nil {
			moves = map[movedName][]movedItem{}
		}
		moves[movedName{fn, name}] = append(moves[movedName{fn, name}], item)
	}
	for _, a := range m.Assignments {
		target, ok := a.Target.(*pysrc.Subscript)
		if !ok || a.Augmented || a.Func == nil || !isMove(a.Value) {
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
	if e.moves == nil {
		e.moves = map[*Module]map[movedName][]movedItem{}
	}
	e.moves[m] = moves // for what leads back to this module
	for _, s := range m.Sites {
		if s.Func == nil || !m.isStatement(s.Node) {
			continue
		}
		if batch := e.movesBatch(s); batch != nil {
			put(s.Func, batch.ID, movedItem{"", s.Node, m, s.Node.End})
		}
		if s.Calls.Func == nil {
			continue
		}
		moved, params := e.movesIn(s.Calls.Func.Module), s.Calls.Func.Params()
		if len(moved) == 0 || params == nil {
			continue
		}
		for _, parameter := range params.All() {
			if given, ok := s.Given(s.Calls.Func, parameter.Name).(*pysrc.Name); ok {
				for _, item := range moved[movedName{s.Calls.Func, parameter.Name}] {
					put(s.Func, given.ID, movedItem{item.key, item.value, item.in, s.Node.End})
				}
			}
		}
	}
	e.moves[m] = moves
	return moves
}

// movesBatch is the batch of a training loop that moves itself: batch.to(device), for batch in loader. It is nil for other calls.
func (e *Eval) movesBatch(s *Site) *pysrc.Name {
	if s.Method() != "to" && s.Method() != "cuda" {
		return nil
	}
	batch, _ := s.Node.Func.(*pysrc.Attribute).Value.(*pysrc.Name)
	loop, ok := s.Module().LoopAround(s).(*pysrc.For)
	if !ok || batch == nil || !e.p.IsTrainingLoop(s.Module(), loop) {
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
