package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// grownByCat finds tensors that a loop makes longer by copying all of them in each iteration.
var grownByCat = Rule{
	Code: "SAT321", Name: "grown-by-cat", Severity: Advice, Subject: AboutKernels,
	Areas: []Area{ComputeArea, HostArea},
	Title: "a loop copies the whole tensor to append to it",
	What: "x = torch.cat((x, y)) in a loop of a training step, where x is read only after the loop. The same, or np.append, for " +
		"each batch of an evaluation.",
	Why: "Each iteration copies everything collected so far, and keeps the copy for the backward pass: N iterations " +
		"copy N²/2 parts.",
	Fine:   "Two or three iterations.",
	Advice: "Append the parts to a list, and call torch.cat once after the loop.",
	Bad:    "for part in parts:\n    out = torch.cat((out, layer(part)), 1)",
	Good:   "out = torch.cat([layer(part) for part in parts], 1)",
	Source: func(p *SourcePass) {
		said := map[pysrc.Stmt]*Report{} // one finding for a loop
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
			if way, ok := p.EachStep(c); ok && said[loop] != nil {
				said[loop].Too(p.At(c, "and here"))
			} else if ok {
				said[loop] = p.Report(c, likely*way.Sure).Because(way, p.At(header(loop), "the loop")).
					Saying("a loop copies all of %s in each iteration to append to it", name.ID)
			}
		}
		if p.runsOnGPU() && p.trained() {
			p.grownByBatch()
		}
	},
}

// grownByBatch reports what an evaluation collects by copying all of it for each batch: preds = np.append(preds, out).
func (p *SourcePass) grownByBatch() {
	said := map[pysrc.Stmt]bool{} // one finding for a loop
	for _, c := range p.CallsTo("numpy.append", "numpy.concatenate", "numpy.vstack", "numpy.hstack", "torch.cat", "torch.vstack", "torch.hstack") {
		assign, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign)
		loop, over := p.LoopAround(c).(*pysrc.For)
		if !ok || !over || said[loop] || len(assign.Targets) != 1 || assign.Value != pysrc.Expr(c.Node) || p.isTrainingLoop(loop) || !p.takesBatches(loop) {
			continue
		}
		grown := p.Short(assign.Targets[0])
		parts := c.Node.Args
		if c.Name() != "numpy.append" {
			parts = elements(firstArg(c.Node))
		}
		if len(parts) < 2 || p.Short(parts[0]) != grown {
			continue
		}
		if _, each := p.EachStep(c); each || p.usedInLoop(rootName(assign.Targets[0]), loop) {
			continue
		}
		said[loop] = true
		p.Report(c, probable*p.GPU()).Because(p.At(header(loop), "for each batch")).
			Saying("a loop copies all of %s in each iteration to append to it", grown).
			Advising("Append the parts to a list, and join them once after the loop.").
			Small("the forward of each batch takes far longer than the copy")
	}
}

// usedInLoop reports a variable that a loop reads for more than to append to it, and to ask whether it holds something.
func (p *SourcePass) usedInLoop(name string, loop *pysrc.For) bool {
	found := false
	for _, stmt := range loop.Body {
		pysrc.Inspect(stmt, func(n pysrc.Node) bool {
			switch x := n.(type) {
			case *pysrc.If:
				for _, s := range append(slices.Clone(x.Body), x.Orelse...) {
					found = found || p.usedBy(name, s)
				}
				return false
			case pysrc.Stmt:
				found = found || p.usedBy(name, x)
				return false
			}
			return !found
		})
	}
	return found
}

// usedBy reports a statement that reads a variable and does not set or append to it.
func (p *SourcePass) usedBy(name string, stmt pysrc.Stmt) bool {
	switch x := stmt.(type) {
	case *pysrc.Assign:
		if len(x.Targets) == 1 && rootName(x.Targets[0]) == name {
			return false
		}
	case *pysrc.ExprStmt:
		if c, ok := x.Value.(*pysrc.Call); ok && rootName(c.Func) == name && lastName(c.Func) == "append" {
			return false
		}
	}
	return mentionsName(stmt, name)
}

// takesBatches reports a loop that runs a model on what it goes over.
func (p *SourcePass) takesBatches(loop *pysrc.For) bool {
	return slices.ContainsFunc(p.Function(loop).Sites, func(s *project.Site) bool {
		return loop.Bounds().Contains(int(s.Node.Start)) && p.LoopAround(s) == pysrc.Stmt(loop) && p.callsModel(s)
	})
}

// elements are the parts of a tuple or list that is written out.
func elements(e pysrc.Expr) []pysrc.Expr {
	switch x := e.(type) {
	case *pysrc.Tuple:
		return x.Elts
	case *pysrc.List:
		return x.Elts
	}
	return nil
}

// appendsTo reports torch.cat((x, y)), with the name at one end.
func appendsTo(c *pysrc.Call, name string) bool {
	parts := elements(firstArg(c))
	return len(parts) > 1 && slices.ContainsFunc(parts, func(e pysrc.Expr) bool { return isNamed(e, name) })
}

// readInLoop reports a variable that a loop reads outside the statement that appends to it.
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
