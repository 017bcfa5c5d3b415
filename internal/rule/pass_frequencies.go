package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// frequencies reports functions of a step that Python applies to one tensor for each of several numbers: sin(f * x) and cos(f * x)
// for each frequency of an encoding, in nested loops or by a list of lambdas.
func (p *SourcePass) frequencies() {
	if !p.runsOnGPU() || p.jaxOnly() || !p.trained() && len(p.TrainingLoops()) == 0 {
		return
	}
	var last pysrc.Span
	for _, n := range p.roundsIn() {
		t, ok := turnsOf(n)
		if !ok || n.Bounds().Start < last.End || !p.isHot(t.at) || p.pointedAt(n.Bounds()) || t.loop != nil && p.trainsIn(t.loop) || p.knownFew(t.iter[0]) {
			continue
		}
		scaled := p.scaledInTurn(&t)
		if scaled == nil {
			scaled = p.lambdasOver(&t)
		}
		if scaled == nil {
			continue
		}
		if way, ok := p.EachStep(t.at); ok {
			last = n.Bounds()
			p.Report(t.at, way.Sure*likely).At(Advice).Because(way, p.At(scaled, "applied for each of them")).
				Saying("a loop over %s launches kernels in each iteration, in every step", p.Short(t.iter[0])).
				Advising("Multiply once by all of them, (x[..., None] * frequencies).flatten(-2), and apply sin and cos to the result.")
		}
	}
}

// scaledInTurn is a call in a loop that gets a tensor of the GPU times the loop's number, and whose result is only collected: nil if
// there is none.
func (p *SourcePass) scaledInTurn(t *turns) (found *pysrc.Call) {
	items := map[string]bool{}
	for _, target := range t.target {
		addStored(target, items)
	}
	for _, b := range t.body {
		pysrc.InspectPath(b, func(n pysrc.Node, path []pysrc.Node) bool {
			c, ok := n.(*pysrc.Call)
			if found != nil || !ok || len(c.Args) != 1 || !collected(c, path) {
				return found == nil
			}
			product, ok := c.Args[0].(*pysrc.BinOp)
			if !ok || product.Op != pysrc.Mult {
				return true
			}
			number, of := product.Left, product.Right
			if !mentionsAny(number, items) {
				number, of = of, number
			}
			if mentionsAny(number, items) && !mentionsAny(of, items) && p.valueOnGPU(of, 0) >= likely && p.elementwise(c.Func) {
				found = c
			}
			return found == nil
		})
	}
	return found
}

// collected reports a value that a body only puts into a list: out.append(x), out += [x], the element of a comprehension.
func collected(e pysrc.Expr, path []pysrc.Node) bool {
	if len(path) == 0 {
		return true
	}
	switch x := path[len(path)-1].(type) {
	case *pysrc.Call:
		return lastName(x.Func) == "append" || lastName(x.Func) == "extend"
	case *pysrc.List, *pysrc.Tuple:
		return true
	}
	return false
}

// elementwise reports torch.sin and the like, and a variable of a loop over such functions.
func (p *SourcePass) elementwise(f pysrc.Expr) bool {
	switch p.NameOf(f) {
	case "torch.sin", "torch.cos", "torch.exp", "torch.tanh", "torch.sigmoid":
		return true
	}
	name, ok := f.(*pysrc.Name)
	if !ok {
		return false
	}
	loop, ok := p.LoopAround(name).(*pysrc.For)
	return ok && isNamed(loop.Target, name.ID)
}

// lambdasOver is the call of an item in a loop over lambdas of a list that a loop fills, each with a number of its own; nil for other loops.
func (p *SourcePass) lambdasOver(t *turns) (found *pysrc.Call) {
	item, ok := t.target[0].(*pysrc.Name)
	if !ok || len(t.target) > 1 {
		return nil
	}
	for _, b := range t.body {
		pysrc.Inspect(b, func(n pysrc.Node) bool {
			if c, ok := n.(*pysrc.Call); ok && isNamed(c.Func, item.ID) && len(c.Args) == 1 && !mentionsName(c.Args[0], item.ID) && p.valueOnGPU(c.Args[0], 0) >= likely {
				found = c
			}
			return found == nil
		})
	}
	if found == nil || !p.filledWithLambdas(t.iter[0]) {
		return nil
	}
	return found
}

// filledWithLambdas reports a list to which a loop appends a lambda in each iteration that uses the loop's variable.
func (p *SourcePass) filledWithLambdas(list pysrc.Expr) bool {
	if field, ok := list.(*pysrc.Attribute); ok {
		class := p.Function(field).Class
		if class == nil || !project.IsSelf(field.Value) {
			return false
		}
		return slices.ContainsFunc(class.Module.Functions, func(fn *project.Function) bool {
			return fn.Class == class && (p.appendsLambdas(fn, "self."+field.Attr) ||
				slices.ContainsFunc(p.Module.Assignments, func(a *project.Assignment) bool {
					name, ok := a.Value.(*pysrc.Name)
					return ok && a.Func == fn && pysrc.DottedName(a.Target) == "self."+field.Attr && p.appendsLambdas(fn, name.ID)
				}))
		})
	}
	name, ok := list.(*pysrc.Name)
	return ok && p.appendsLambdas(p.Function(name), name.ID)
}

func (p *SourcePass) appendsLambdas(fn *project.Function, list string) bool {
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		a, ok := s.Node.Func.(*pysrc.Attribute)
		if !ok || a.Attr != "append" || pysrc.DottedName(a.Value) != list || p.LoopAround(s) == nil {
			return false
		}
		made, ok := firstArg(s.Node).(*pysrc.Lambda)
		if !ok {
			return false
		}
		_, applies := made.Body.(*pysrc.Call)
		return applies
	})
}
