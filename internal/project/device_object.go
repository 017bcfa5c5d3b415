package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// deepestKept is through how many fields of an object a value is followed: self.sum of self.avg = self.sum / self.count.
const deepestKept = 4

// givenToObject is the confidence that a field of an object holds a tensor of the device, because the function that asks
// for it gives one to a method that keeps it: losses.avg after losses.update(loss). The class, which also serves plain
// numbers, does not tell.
func (e *Eval) givenToObject(x *pysrc.Attribute, sc *Scope, c *Class, depth int) float64 {
	object, fn := pysrc.DottedName(x.Value), functionOf(sc)
	if object == "" || fn == nil || depth > deepestTensor {
		return 0
	}
	sure := 0.0
	for _, s := range fn.Sites {
		a, ok := s.Node.Func.(*pysrc.Attribute)
		if !ok || pysrc.DottedName(a.Value) != object {
			continue
		}
		method := c.Method(a.Attr)
		if method == nil {
			continue
		}
		for i, parameter := range positional(method, true) {
			given := s.ArgumentNode(parameter.Name, i)
			if given == nil || !method.keeps(x.Attr, parameter.Name, 0) {
				continue
			}
			sure = max(sure, e.tensor(given, s.Module().blocks[s.Block].Scope, depth+1))
		}
	}
	return sure
}

// keeps reports whether a method puts a parameter, or what it computes from it, into a field of its object.
func (f *Function) keeps(name, parameter string, depth int) bool {
	if f.Class == nil || depth > deepestKept {
		return false
	}
	return slices.ContainsFunc(f.Module.Assignments, func(a *Assignment) bool {
		set, ok := a.Target.(*pysrc.Attribute)
		return ok && a.Func == f && set.Attr == name && pysrc.DottedName(set.Value) == f.Self() && f.carries(a.Value, parameter, depth+1)
	})
}

// carries reports an expression whose value stays where that of a parameter is. A parameter that the method sets anew,
// as by value = value.item(), may be anywhere.
func (f *Function) carries(x pysrc.Expr, parameter string, depth int) bool {
	switch x := x.(type) {
	case *pysrc.Name:
		if x.ID != parameter {
			return false
		}
		_, b := f.Module.blocks[f.Module.BlockAt(x.Start)].Scope.find(x.ID)
		return b != nil && b.prior == nil
	case *pysrc.Attribute:
		if pysrc.DottedName(x.Value) == f.Self() {
			return f.keeps(x.Attr, parameter, depth)
		}
		return tensorParts[x.Attr] && f.carries(x.Value, parameter, depth)
	case *pysrc.BinOp:
		return f.carries(x.Left, parameter, depth) || f.carries(x.Right, parameter, depth)
	case *pysrc.UnaryOp:
		return f.carries(x.Operand, parameter, depth)
	case *pysrc.IfExp:
		return f.carries(x.Body, parameter, depth) || f.carries(x.Orelse, parameter, depth)
	case *pysrc.Call:
		a, ok := x.Func.(*pysrc.Attribute)
		return ok && !hostMethods[a.Attr] && f.carries(a.Value, parameter, depth)
	}
	return false
}
