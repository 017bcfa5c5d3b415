package rule

import (
	"slices"

	"saturate/internal/pysrc"
)

// grownByCat finds tensors that a loop makes longer by copying all of them in each turn.
var grownByCat = Rule{
	Code: "SAT321", Name: "grown-by-cat", Severity: Advice, Subject: AboutKernels,
	Areas: []Area{ComputeArea, HostArea},
	Title: "a loop copies the whole tensor to append to it",
	What: "x = torch.cat((x, y)) in a loop of a training step, where x is read only after the loop. numpy.concatenate in a " +
		"loop counts as well where it runs for every sample.",
	Why:    "Each turn copies what the turns before have collected, and keeps the copy for the backward pass: N turns copy N²/2 parts.",
	Fine:   "Two or three turns.",
	Advice: "Append the parts to a list, and call torch.cat once after the loop.",
	Bad:    "for part in parts:\n    out = torch.cat((out, layer(part)), 1)",
	Good:   "out = torch.cat([layer(part) for part in parts], 1)",
	Source: func(p *SourcePass) {
		for _, c := range p.CallsTo("torch.cat", "torch.concat", "torch.concatenate", "torch.vstack", "torch.hstack") {
			assign, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign)
			loop := p.LoopAround(c)
			if !ok || loop == nil || len(assign.Targets) != 1 || assign.Value != pysrc.Expr(c.Node) || p.isTrainingLoop(loop) {
				continue
			}
			name, ok := assign.Targets[0].(*pysrc.Name)
			if !ok || !appendsTo(c.Node, name.ID) || p.readInLoop(name.ID, loop, assign) {
				continue
			}
			if way, ok := p.EachStep(c); ok {
				p.Report(c, likely*way.Sure).Because(way, p.At(header(loop), "the loop")).
					Saying("a loop copies all of %s in each turn to append to it", name.ID)
			}
		}
	},
}

// appendsTo reports torch.cat((x, y)), with the name at one end.
func appendsTo(c *pysrc.Call, name string) bool {
	var parts []pysrc.Expr
	switch x := firstArg(c).(type) {
	case *pysrc.Tuple:
		parts = x.Elts
	case *pysrc.List:
		parts = x.Elts
	}
	return len(parts) > 1 && slices.ContainsFunc(parts, func(e pysrc.Expr) bool { return isNamed(e, name) })
}

// readInLoop reports a variable that a loop reads outside of the statement that appends to it.
func (p *SourcePass) readInLoop(name string, loop pysrc.Stmt, append *pysrc.Assign) bool {
	found := false
	pysrc.Inspect(loop, func(n pysrc.Node) bool {
		if n == pysrc.Node(append) {
			return false
		}
		id, ok := n.(*pysrc.Name)
		found = found || ok && id.ID == name && id.Ctx == pysrc.Load
		return !found
	})
	return found
}
