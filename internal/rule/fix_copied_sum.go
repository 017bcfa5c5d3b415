package rule

import (
	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// keepCopiedSum repairs a sum whose part each step copies to the host, correct += (pred == y).cpu().sum(): the sum stays on the
// GPU, and is read where it is shown.
func (p *SourcePass) keepCopiedSum(r *Report, copied Call) {
	add, ok := p.Module.StatementAt(copied.Node.Start).(*pysrc.AugAssign)
	loop := p.LoopAround(copied)
	if !ok || add.Op != pysrc.Add || loop == nil || !p.isTrainingLoop(loop) {
		return
	}
	total, named := add.Target.(*pysrc.Name)
	part, one := p.staying(add.Value, copied.Node)
	if !named || !one {
		return
	}
	k := &keeper{p: p, loop: loop, body: p.bodyOf(loop), as: "float"}
	safety := Unsafe // its order may differ
	if hits(copied.Receiver()) {
		safety, k.as = Safe, "int"
	}
	if !k.variable(total.ID, add) {
		return
	}
	if safety == Unsafe && (p.half().used || p.half().governed) {
		part += ".float()" // a sum in half precision would soon stand still
	}
	r.Fix(safety, "keep the sum on the GPU and read it where it is shown", append([]patch.Edit{p.Replace(add.Value, part)}, k.edits...)...)
}

// staying is the text of an expression without the copy to the host that it begins with, and whether it is one number:
// x.sum() of x.cpu().sum().item().
func (p *SourcePass) staying(e pysrc.Expr, copied *pysrc.Call) (text string, one bool) {
	if e == pysrc.Expr(copied) {
		x := copied.Func.(*pysrc.Attribute).Value
		sum, called := x.(*pysrc.Call)
		if text = p.Text(x); !hits(x) {
			text += ".detach()"
		}
		return text, called && len(sum.Args)+len(sum.Keywords) == 0 && (lastName(sum.Func) == "sum" || lastName(sum.Func) == "mean")
	}
	call, ok := e.(*pysrc.Call)
	if !ok || len(call.Args)+len(call.Keywords) > 0 {
		return "", false
	}
	method, ok := call.Func.(*pysrc.Attribute)
	if !ok {
		return "", false
	}
	text, one = p.staying(method.Value, copied)
	switch method.Attr {
	case "item", "numpy", "detach":
		return text, one
	case "sum", "mean":
		return text + "." + method.Attr + "()", text != ""
	case "float", "double":
		return text + "." + method.Attr + "()", one
	}
	return "", false
}

// hits reports a comparison with what was expected, or how many of it are right.
func hits(e pysrc.Expr) bool { return compares(e) || counts(e) }
