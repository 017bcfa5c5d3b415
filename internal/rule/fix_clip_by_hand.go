package rule

import (
	"slices"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// clipTogether repairs gradients that are clipped by hand: a norm that is read back for each parameter, and a loop that
// scales them by it.
//
//	total = 0.0
//	for p in model.parameters():
//	    if p.grad is not None:
//	        total += p.grad.data.norm(2).item() ** 2
//	total = total ** 0.5
//	scale = max_norm / (total + 1e-6)
//	if scale < 1:
//	    for p in model.parameters():
//	        if p.grad is not None:
//	            p.grad.data.mul_(scale)
//
// clip_grad_norm_ does the same with a few kernels, and waits for nothing.
func (p *SourcePass) clipTogether(r *Report, loop *pysrc.For) {
	if r == nil || loop == nil {
		return
	}
	body := p.siblingsOf(loop)
	p.Module.Around(loop.Start, func(owner pysrc.Node) bool { // the loop that scales stands in an if
		if test, ok := owner.(*pysrc.If); ok && len(test.Body) == 1 && test.Body[0] == pysrc.Stmt(loop) {
			body = p.siblingsOf(test)
		}
		return owner == pysrc.Node(loop)
	})
	for at := range body {
		c := p.clipByHand(body[at:])
		if c == nil || c.measures != loop && c.scales != loop {
			continue
		}
		if own := body[at : at+c.length]; c.unread(own, body[at+c.length:]) {
			r.Fix(Unsafe, "clip all gradients at once; rounding differs", c.edits(own)...)
		}
		return
	}
}

// clipByHand is a run of statements that clips gradients.
type clipByHand struct {
	p          *SourcePass
	total      *pysrc.Name
	scale      string
	parameters pysrc.Expr
	most       pysrc.Expr
	measures   *pysrc.For
	scales     *pysrc.For // which stands in an if
	length     int        // how many statements
}

// clipByHand reads the statements at the beginning of a list; nil where they do something else.
func (p *SourcePass) clipByHand(body []pysrc.Stmt) *clipByHand {
	if len(body) < 5 {
		return nil
	}
	start, ok := body[0].(*pysrc.Assign)
	loop, isLoop := body[1].(*pysrc.For)
	if !ok || !isLoop || len(start.Targets) != 1 {
		return nil
	}
	total, named := start.Targets[0].(*pysrc.Name)
	zero, isNumber := pysrc.FloatValue(start.Value)
	weight, single := loop.Target.(*pysrc.Name)
	if !named || !isNumber || zero != 0 || !single || !p.addsSquares(loop, weight.ID, total.ID) {
		return nil
	}
	c := &clipByHand{p: p, total: total, measures: loop, parameters: loop.Iter}
	root := body[2]
	if name, value := plainAssign(root); name != total.ID || !p.isRoot(value, total.ID) {
		return nil
	}
	name, value := plainAssign(body[3])
	if value == nil {
		return nil
	}
	if c.scale, c.most = name, p.mostOf(value, total.ID); c.most == nil || !c.applies(body[4]) {
		return nil
	}
	c.length = 5
	return c
}

// addsSquares reports total += p.grad.norm(2).item() ** 2 for each parameter that has a gradient.
func (p *SourcePass) addsSquares(loop *pysrc.For, weight, total string) bool {
	body := p.withGradient(loop.Body, weight)
	norm := ""
	if len(body) == 2 {
		name, value := plainAssign(body[0])
		if value == nil || !p.isNorm(value, weight) {
			return false
		}
		norm, body = name, body[1:]
	}
	if len(body) != 1 {
		return false
	}
	sum, ok := body[0].(*pysrc.AugAssign)
	if !ok || sum.Op != pysrc.Add || !isNamed(sum.Target, total) {
		return false
	}
	square, ok := sum.Value.(*pysrc.BinOp)
	if !ok || square.Op != pysrc.Pow {
		return false
	}
	if two, number := pysrc.FloatValue(square.Right); !number || two != 2 {
		return false
	}
	if norm != "" {
		return isNamed(readOf(square.Left), norm)
	}
	return p.isNorm(square.Left, weight)
}

// withGradient is the body behind if p.grad is not None, and behind if p.grad is None: continue.
func (p *SourcePass) withGradient(body []pysrc.Stmt, weight string) []pysrc.Stmt {
	if len(body) == 0 {
		return nil
	}
	test, ok := body[0].(*pysrc.If)
	if !ok || len(test.Orelse) > 0 {
		return body
	}
	text := strings.ReplaceAll(p.Text(test.Test), " ", "")
	switch text {
	case weight + ".gradisnotNone":
		if len(body) == 1 {
			return test.Body
		}
	case weight + ".gradisNone":
		if len(test.Body) == 1 {
			if _, skips := test.Body[0].(*pysrc.Continue); skips {
				return body[1:]
			}
		}
	}
	return nil
}

// isNorm reports p.grad.data.norm(2), also torch.norm(p.grad), read back or not.
func (p *SourcePass) isNorm(e pysrc.Expr, weight string) bool {
	c, ok := readOf(e).(*pysrc.Call)
	if !ok || lastName(c.Func) != "norm" && lastName(c.Func) != "vector_norm" {
		return false
	}
	args := c.Args
	of := pysrc.Expr(nil)
	if name := p.NameOf(c.Func); name == "torch.norm" || name == "torch.linalg.norm" || name == "torch.linalg.vector_norm" {
		if len(args) == 0 {
			return false
		}
		of, args = args[0], args[1:]
	} else if a, ok := c.Func.(*pysrc.Attribute); ok {
		of = a.Value
	}
	for _, k := range c.Keywords {
		if k.Name != "p" && k.Name != "ord" {
			return false
		}
		args = append(args[:len(args):len(args)], k.Value)
	}
	if len(args) > 1 {
		return false
	}
	if len(args) == 1 {
		if two, number := pysrc.FloatValue(args[0]); !number || two != 2 {
			return false
		}
	}
	return isGradient(of, weight)
}

// isGradient reports p.grad, p.grad.data and p.grad.detach().
func isGradient(e pysrc.Expr, weight string) bool {
	if c, ok := e.(*pysrc.Call); ok && len(c.Args) == 0 {
		if method, ok := c.Func.(*pysrc.Attribute); ok && method.Attr == "detach" {
			e = method.Value
		}
	}
	name := pysrc.DottedName(e)
	return name == weight+".grad" || name == weight+".grad.data"
}

// readOf is the x of x.item() and float(x), and any other expression itself.
func readOf(e pysrc.Expr) pysrc.Expr {
	if of, method, c := calledOn(e); c != nil && method == "item" && len(c.Args) == 0 {
		return of
	}
	if c, ok := e.(*pysrc.Call); ok && isNamed(c.Func, "float") && len(c.Args) == 1 {
		return c.Args[0]
	}
	return e
}

// isRoot reports total ** 0.5, total ** (1 / 2) and math.sqrt(total).
func (p *SourcePass) isRoot(e pysrc.Expr, total string) bool {
	switch x := e.(type) {
	case *pysrc.BinOp:
		power := strings.NewReplacer(" ", "", "(", "", ")", "").Replace(p.Text(x.Right))
		return x.Op == pysrc.Pow && isNamed(x.Left, total) && slices.Contains([]string{"0.5", ".5", "1/2", "1.0/2", "1./2", "1.0/2.0", "1./2."}, power)
	case *pysrc.Call:
		name := p.NameOf(x.Func)
		return len(x.Args) == 1 && isNamed(x.Args[0], total) && (name == "math.sqrt" || name == "numpy.sqrt")
	}
	return false
}

// mostOf is the norm that gradients are clipped to: x of x / (total + 1e-6).
func (p *SourcePass) mostOf(e pysrc.Expr, total string) pysrc.Expr {
	b, ok := e.(*pysrc.BinOp)
	if !ok || b.Op != pysrc.Div || mentionsName(b.Left, total) {
		return nil
	}
	sum, ok := b.Right.(*pysrc.BinOp)
	if !ok || sum.Op != pysrc.Add || !isNamed(sum.Left, total) {
		return nil
	}
	if small, number := pysrc.FloatValue(sum.Right); !number || small != 1e-6 {
		return nil
	}
	return b.Left
}

// applies reports if scale < 1: and the loop that multiplies each gradient by it.
func (c *clipByHand) applies(s pysrc.Stmt) bool {
	test, ok := s.(*pysrc.If)
	if !ok || len(test.Body) != 1 || len(test.Orelse) > 0 {
		return false
	}
	less, ok := test.Test.(*pysrc.Compare)
	if !ok || len(less.Ops) != 1 || less.Ops[0] != pysrc.Lt || !isNamed(less.Left, c.scale) {
		return false
	}
	if one, number := pysrc.FloatValue(less.Comparators[0]); !number || one != 1 {
		return false
	}
	if c.scales, ok = test.Body[0].(*pysrc.For); !ok || c.p.Text(c.scales.Iter) != c.p.Text(c.parameters) || !callsNamed(c.parameters, "parameters") {
		return false
	}
	weight, ok := c.scales.Target.(*pysrc.Name)
	if !ok {
		return false
	}
	body := c.p.withGradient(c.scales.Body, weight.ID)
	if len(body) != 1 {
		return false
	}
	if e, ok := body[0].(*pysrc.ExprStmt); ok {
		of, method, call := calledOn(e.Value)
		return call != nil && method == "mul_" && len(call.Args) == 1 && isNamed(call.Args[0], c.scale) && isGradient(of, weight.ID)
	}
	times, ok := body[0].(*pysrc.AugAssign)
	return ok && times.Op == pysrc.Mult && isNamed(times.Value, c.scale) && isGradient(times.Target, weight.ID)
}

// edits replaces the statements.
func (c *clipByHand) edits(body []pysrc.Stmt) []patch.Edit {
	clip, edits := c.p.Import("torch.nn.utils.clip_grad_norm_")
	text := c.total.ID + " = " + clip + "(" + c.p.Text(c.parameters) + ", " + c.p.Text(c.most) + ")"
	edits = append(edits, c.p.Module.Edit(pysrc.Span{Start: body[0].Bounds().Start, End: body[len(body)-1].Bounds().End}, text))
	return edits
}

// unread reports a norm that nothing needs as a number: the function does not use it, or returns it to callers that drop it.
func (c *clipByHand) unread(own, behind []pysrc.Stmt) bool {
	def := c.p.Function(c.total).Def
	if def == nil {
		return false
	}
	reads := func(name string) int { return c.p.countReads(name, def.Body) - c.p.countReads(name, own) }
	if reads(c.scale) > 0 || reads(c.total.ID) > 1 {
		return false
	}
	if reads(c.total.ID) == 0 {
		return true
	}
	if len(behind) != 1 {
		return false
	}
	back, ok := behind[0].(*pysrc.Return)
	if !ok || !isNamed(back.Value, c.total.ID) {
		return false
	}
	callers := c.p.Project.Callers(c.p.Function(c.total))
	for _, s := range callers {
		if dropped, ok := s.Module().StatementAt(s.Node.Start).(*pysrc.ExprStmt); !ok || dropped.Value != pysrc.Expr(s.Node) {
			return false
		}
	}
	return len(callers) > 0
}
