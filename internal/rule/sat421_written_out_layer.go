package rule

import (
	"slices"
	"sync"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// writtenOutLayer finds layers that are written as a formula although torch has a kernel for them.
var writtenOutLayer = Rule{
	Code: "SAT421", Name: "written-out-layer", Severity: Advice, Subject: AboutKernels,
	Areas: []Area{ComputeArea},
	Title: "a layer that torch has as one kernel is written as a formula",
	What: "(x - x.mean(-1)) / x.std(-1), or the same with the variance, instead of layer_norm; x * sigmoid(x) instead " +
		"of silu; x * tanh(softplus(x)) instead of mish; 0.5 * x * (1 + erf(…)) or tanh(…) instead of gelu. Only in " +
		"the forward method of a model that is trained on a GPU and not compiled.",
	Why: "Each operation of the formula reads its input from memory, writes its result, and keeps it for the backward " +
		"pass. The kernel reads and writes once.",
	Fine: "A compiled model: the compiler fuses the operations. Layers on small tensors.",
	Advice: "Call the function in torch.nn.functional. layer_norm uses the biased variance with eps inside the root: a " +
		"formula with std gives slightly different values.",
	Safety: Unsafe,
	Bad:    "x * torch.sigmoid(x)",
	Good:   "torch.nn.functional.silu(x)",
	Source: func(p *SourcePass) {
		if !p.runsOnGPU() || !p.Module.Says("sigmoid") && !p.Module.Says("tanh") && !p.Module.Says("erf") && !p.Module.Says("mean") ||
			p.Uses("torch.jit.script") {
			return
		}
		compiled := sync.OnceValue(p.fixesShapes)
		p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
			if older, ok := n.(*pysrc.If); ok && callsNamed(older.Test, "hasattr") {
				return false // what an older torch does not have
			}
			op, ok := n.(*pysrc.BinOp)
			if !ok || op.Op != pysrc.Mult && op.Op != pysrc.Div {
				return true
			}
			name := p.writtenOut(op)
			if name == "" {
				return true
			}
			if compiled() {
				return false
			}
			if class := p.Class(op); class != nil && class.Derives("torch.autograd.Function") {
				return true // which keeps less for its backward than the formula would
			}
			if slices.ContainsFunc(p.Function(op).Decorators(), func(d pysrc.Expr) bool {
				return callsNamed(d, "compile") || lastName(d) == "compile" || lastName(d) == "script"
			}) {
				return true
			}
			if way, ok := p.EachStep(op); ok && !p.laterChoice(way, op) {
				r := p.Report(op, likely*way.Sure).Because(way).Saying("%s is written as a formula of several kernels", name)
				switch {
				case p.ofAverages(op):
					r.Small("it normalizes averages, which are few")
				case name == "silu":
					r.Small("it is two kernels instead of one")
				default:
					r.beingLittle(p.fromSmall())
				}
				if name != "layer_norm" {
					r.Advising("Call torch.nn.functional.%s.", name)
					p.callActivation(r, op)
				}
			}
			return false
		})
	},
}

// ofAverages reports a formula of a variable that was set to averages: means = torch.mean(x, dim=(2, 3)).
func (p *SourcePass) ofAverages(op *pysrc.BinOp) bool {
	centered, ok := op.Left.(*pysrc.BinOp)
	if !ok {
		return false
	}
	name, ok := centered.Left.(*pysrc.Name)
	if !ok {
		return false
	}
	call, ok := p.onceSaid(name).(*pysrc.Call)
	return ok && lastName(call.Func) == "mean"
}

// laterChoice reports a function that is one of several which a table offers, and not the first: which one a step calls
// is not seen, and the first is the usual one.
func (p *SourcePass) laterChoice(way project.Path, n Node) bool {
	if len(way.Calls) == 0 {
		return false
	}
	fn := p.Function(n)
	later := func(s *project.Site) bool {
		choices := s.Calls.Either
		return len(choices) > 1 && choices[0].Func != fn
	}
	return later(way.Calls[len(way.Calls)-1]) && !slices.ContainsFunc(p.Project.Givers(fn), func(s *project.Site) bool { return !later(s) })
}

// writtenOut names the function of torch that an expression computes in several operations, or nothing.
func (p *SourcePass) writtenOut(op *pysrc.BinOp) string {
	if op.Op == pysrc.Div {
		if p.centers(op.Left, op.Right) {
			return "layer_norm"
		}
		return ""
	}
	for _, sides := range [...][2]pysrc.Expr{{op.Left, op.Right}, {op.Right, op.Left}} {
		x, factor := sides[0], p.onceSaid(sides[1])
		if p.centers(x, p.ofFunction(factor, "rsqrt")) {
			return "layer_norm"
		}
		if !isName(x) {
			continue
		}
		text := p.Text(x)
		if of := p.ofFunction(factor, "sigmoid", "Sigmoid"); of != nil && p.Text(of) == text {
			return "silu"
		}
		if of := p.ofFunction(p.ofFunction(factor, "tanh", "Tanh"), "softplus", "Softplus"); of != nil && p.Text(of) == text {
			return "mish"
		}
	}
	if p.isGELU(op) {
		return "gelu"
	}
	return ""
}

// ofFunction is the tensor x of torch.f(x), F.f(x), x.f() or of a layer of that name, and nil for anything else.
func (p *SourcePass) ofFunction(e pysrc.Expr, names ...string) pysrc.Expr {
	c, ok := e.(*pysrc.Call)
	if !ok || len(c.Keywords) > 0 {
		return nil
	}
	for _, name := range names {
		if a, ok := c.Func.(*pysrc.Attribute); ok && a.Attr == name && len(c.Args) == 0 {
			return a.Value
		}
		if len(c.Args) != 1 {
			continue
		}
		switch v := p.Eval(c.Func); {
		case v.Name == "torch."+name, v.Name == "torch.nn.functional."+name, v.Name == "torch.special.expit" && name == "sigmoid",
			v.IsInstance("torch.nn." + name):
			return c.Args[0]
		}
	}
	return nil
}

// onceSaid is an expression, or for a variable what it was last set to.
func (p *SourcePass) onceSaid(e pysrc.Expr) pysrc.Expr {
	if name, ok := e.(*pysrc.Name); ok {
		if value := p.Module.SaidLast(name); value != nil {
			return value
		}
	}
	return e
}

// centers reports (x - mean of x) over a spread of x along the last axis.
func (p *SourcePass) centers(left, spread pysrc.Expr) bool {
	if spread == nil {
		return false
	}
	if scaled, ok := left.(*pysrc.BinOp); ok && scaled.Op == pysrc.Mult { // weight * (x - mean)
		return p.centers(scaled.Left, spread) || p.centers(scaled.Right, spread)
	}
	difference, ok := p.onceSaid(left).(*pysrc.BinOp)
	if !ok || difference.Op != pysrc.Sub || !isName(difference.Left) {
		return false
	}
	x := p.Text(difference.Left)
	return p.lastAxis(p.onceSaid(difference.Right), x, "mean") && p.spreadOf(spread, x)
}

// spreadOf reports the standard deviation of x along its last axis, or the root of its variance, with an eps or without.
func (p *SourcePass) spreadOf(e pysrc.Expr, x string) bool {
	e = p.onceSaid(e)
	if sum, ok := e.(*pysrc.BinOp); ok && sum.Op == pysrc.Add {
		return p.spreadOf(sum.Left, x) || p.spreadOf(sum.Right, x)
	}
	if root := p.ofFunction(e, "sqrt"); root != nil {
		return p.spreadOf(root, x)
	}
	return p.lastAxis(e, x, "std") || p.lastAxis(e, x, "var") || p.meanOfSquares(e, x)
}

// meanOfSquares reports ((x - mean) ** 2).mean(-1, keepdim=True).
func (p *SourcePass) meanOfSquares(e pysrc.Expr, x string) bool {
	c, ok := e.(*pysrc.Call)
	if !ok || lastName(c.Func) != "mean" {
		return false
	}
	of := firstArg(c)
	if a, ok := c.Func.(*pysrc.Attribute); ok && p.NameOf(c.Func) != "torch.mean" {
		of = a.Value
	}
	return of != nil && mentionsName(of, x) && p.alongLast(c)
}

// lastAxis reports x.mean(-1, keepdim=True) or torch.mean(x, -1, keepdim=True), of any function so named.
func (p *SourcePass) lastAxis(e pysrc.Expr, x, function string) bool {
	c, ok := e.(*pysrc.Call)
	if !ok || lastName(c.Func) != function {
		return false
	}
	of := firstArg(c)
	if a, ok := c.Func.(*pysrc.Attribute); ok && p.NameOf(c.Func) != "torch."+function {
		of = a.Value
	}
	return of != nil && p.Text(of) == x && p.alongLast(c)
}

// alongLast reports a reduction along the last axis that keeps it.
func (p *SourcePass) alongLast(c *pysrc.Call) bool {
	if k := c.Keyword("keepdim"); k == nil || !p.Eval(k.Value).IsTrue() {
		return false
	}
	axis := pysrc.Expr(nil)
	if k := c.Keyword("dim"); k != nil {
		axis = k.Value
	} else if n := len(c.Args); n > 0 {
		axis = c.Args[n-1]
		if first, ok := pysrc.IntValue(c.Args[0]); ok && n == 1 {
			return first == -1
		}
	}
	number, ok := pysrc.IntValue(axis)
	return ok && number == -1
}

// isGELU reports 0.5 * x * (1 + erf(x / √2)) and the approximation by tanh, in any order of the factors.
func (p *SourcePass) isGELU(op *pysrc.BinOp) bool {
	var factors []pysrc.Expr
	var split func(e pysrc.Expr)
	split = func(e pysrc.Expr) {
		if b, ok := e.(*pysrc.BinOp); ok && b.Op == pysrc.Mult {
			split(b.Left)
			split(b.Right)
			return
		}
		factors = append(factors, e)
	}
	split(op)
	half, x, gate := false, "", pysrc.Expr(nil)
	for _, f := range factors {
		switch f := f.(type) {
		case *pysrc.Name:
			x = f.ID
		case *pysrc.BinOp:
			if f.Op == pysrc.Add {
				gate = f
			} else if f.Op == pysrc.Div && isName(f.Left) { // x / 2
				two, ok := pysrc.FloatValue(f.Right)
				half, x = half || ok && two == 2, p.Text(f.Left)
			}
		default:
			number, ok := pysrc.FloatValue(f)
			half = half || ok && number == 0.5
		}
	}
	sum, ok := gate.(*pysrc.BinOp)
	if !ok || !half || x == "" {
		return false
	}
	for _, side := range [...]pysrc.Expr{sum.Left, sum.Right} {
		if of := p.ofFunction(side, "erf", "tanh"); of != nil && mentionsName(of, x) {
			return true
		}
	}
	return false
}
