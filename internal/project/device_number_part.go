package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// numberReturned reports a part of what a call gives that its function has read on the host in each return: the second of
// return loss, (mel.item(), gate.item()), and each part of that.
func (e *Eval) numberReturned(x pysrc.Expr, part trail, sc *Scope) bool {
	call, ok := x.(*pysrc.Call)
	if !ok {
		return false
	}
	v := e.expr(call.Func, sc)
	functions := v.functions()
	if v.IsInstance("torch.nn.Module") && v.Class != nil {
		functions = nil
		if forward := v.Class.Method("forward"); forward != nil {
			functions = []*Function{forward}
		}
	}
	return len(functions) > 0 && !slices.ContainsFunc(functions, func(f *Function) bool {
		returns := f.Returns()
		return len(returns) == 0 || slices.ContainsFunc(returns, func(r pysrc.Expr) bool { return !isRead(partAt(r, part)) && !isLength(partAt(r, part)) })
	})
}

// isRead reports a value that was read from a tensor: x.item(), float(x).
func isRead(x pysrc.Expr) bool {
	call, ok := x.(*pysrc.Call)
	if !ok {
		return false
	}
	switch f := call.Func.(type) {
	case *pysrc.Attribute:
		return f.Attr == "item" || f.Attr == "tolist"
	case *pysrc.Name:
		return f.ID == "float" || f.ID == "int"
	}
	return false
}

func isLength(x pysrc.Expr) bool {
	call, ok := x.(*pysrc.Call)
	return ok && pysrc.DottedName(call.Func) == "len"
}
