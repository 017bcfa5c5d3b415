package rule

import (
	"slices"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// scaledHalf gives the edits that compute a forward pass in float16 with a
// GradScaler, for GPUs before Ampere, whose tensor cores do not know bfloat16.
// It gives an edit without a path where the loop is not of the plain kind: one
// backward and one optimizer.step, each a statement of its own.
func (p *SourcePass) scaledHalf(f forwardPass) []patch.Edit {
	none := []patch.Edit{{}}
	loss, ok := receiverStatement(p, f.backward.Node, "backward")
	loop := p.LoopAround(f.backward)
	if !ok || loop == nil || !isName(loss) || len(f.backward.Node.Args)+len(f.backward.Node.Keywords) > 0 {
		return none
	}
	loop = p.outermostLoop(loop)
	steps, clips := p.inLoop(loop, "step"), p.inLoop(loop, "clip_grad_norm_", "clip_grad_value_")
	steps = slices.DeleteFunc(steps, func(c Call) bool { return !project.HasWord(lastName(c.Receiver()), "optimizer", "optim", "opt") })
	if len(steps) != 1 || len(clips) > 1 || len(p.inLoop(loop, "backward")) != 1 || p.NearSays("scaler") {
		return none
	}
	optimizer, ok := receiverStatement(p, steps[0].Node, "step")
	if !ok || len(steps[0].Node.Args) > 0 {
		return none
	}
	scaler, imports := p.Import("torch.amp.GradScaler")
	edits := append(p.autocastTo(f, "torch.float16"), imports...)
	edits = append(edits,
		p.LineBefore(loop, "scaler = "+scaler+`("cuda")`),
		p.Replace(f.backward.Node, "scaler.scale("+p.Text(loss)+").backward()"),
		p.Replace(steps[0].Node, "scaler.step("+p.Text(optimizer)+")"),
		p.LineAfter(steps[0], "scaler.update()"))
	for _, c := range clips {
		edits = append(edits, p.LineBefore(c, "scaler.unscale_("+p.Text(optimizer)+")"))
	}
	return edits
}

// outermostLoop is the loop of the same function that is around all others around a loop, or the loop itself.
func (p *SourcePass) outermostLoop(loop pysrc.Stmt) pysrc.Stmt {
	outer := loop
	pysrc.Inspect(p.bodyOf(loop), func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.For, *pysrc.While:
			if s := n.(pysrc.Stmt); s.Bounds().Start < outer.Bounds().Start && s.Bounds().Contains(int(loop.Bounds().Start)) {
				outer = s
			}
		}
		return true
	})
	return outer
}

// inLoop returns the calls of methods or functions of these names in a loop.
func (p *SourcePass) inLoop(loop pysrc.Stmt, names ...string) []Call {
	var list []Call
	for _, s := range p.Module.Sites {
		if slices.Contains(names, lastName(s.Node.Func)) && loop.Bounds().Contains(int(s.Node.Start)) {
			list = append(list, Call{s, p})
		}
	}
	return list
}

// receiverStatement returns the x of a statement that is x.method() and nothing else.
func receiverStatement(p *SourcePass, c *pysrc.Call, method string) (pysrc.Expr, bool) {
	s, ok := p.Module.StatementAt(c.Start).(*pysrc.ExprStmt)
	if !ok || s.Value != pysrc.Expr(c) {
		return nil, false
	}
	f, ok := c.Func.(*pysrc.Attribute)
	if !ok || f.Attr != method {
		return nil, false
	}
	return f.Value, true
}

func isName(e pysrc.Expr) bool {
	_, ok := e.(*pysrc.Name)
	return ok
}
