package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// savedTwice reports a checkpoint that is written to two files one after the other: torch.save(state, a); torch.save(state, b).
// The second one copies all tensors to the host once more and writes them again.
func (p *SourcePass) savedTwice() {
	if p.Module.Role == project.Test || !p.trains() {
		return
	}
	for _, c := range p.CallsTo("torch.save") {
		if len(c.Node.Args) < 2 || pysrc.DottedName(c.Node.Args[0]) == "" || p.EvaluationOnly(c) || p.Project.Unused(p.Module, c.Node.Start) ||
			p.LoopAround(c) == nil && !p.calledInLoop(c.Func, 2) {
			continue
		}
		stmt := p.Module.StatementAt(c.Node.Start)
		for _, next := range following(p.siblingsOf(stmt), stmt) {
			again := p.savesSame(next, c.Node)
			if again == nil {
				continue
			}
			p.Report(again.Func, likely).At(Advice).Because(p.At(c.Node, "already written here")).
				Saying("%s is written to a second file", p.Short(c.Node.Args[0])).
				Advising("Write it once, and link or copy the file: os.link(first, second), shutil.copyfile(first, second).")
			break
		}
	}
}

// calledInLoop reports a function that a loop of the project calls, itself or through a few others.
func (p *SourcePass) calledInLoop(fn *project.Function, depth int) bool {
	return slices.ContainsFunc(p.Project.Callers(fn), func(s *project.Site) bool {
		return s.Module().LoopAround(s) != nil || depth > 0 && p.calledInLoop(s.Func, depth-1)
	})
}

// following are the statements behind one.
func following(body []pysrc.Stmt, stmt pysrc.Stmt) []pysrc.Stmt {
	for i, s := range body {
		if s == stmt {
			return body[i+1:]
		}
	}
	return nil
}

// savesSame is the torch.save that a statement consists of, if it writes the same variable to another file; nil otherwise.
func (p *SourcePass) savesSame(s pysrc.Stmt, first *pysrc.Call) *pysrc.Call {
	alone, ok := s.(*pysrc.ExprStmt)
	if !ok {
		return nil
	}
	c, ok := alone.Value.(*pysrc.Call)
	if !ok || p.NameOf(c.Func) != "torch.save" || len(c.Args) < 2 || pysrc.DottedName(c.Args[0]) != pysrc.DottedName(first.Args[0]) ||
		p.Text(c.Args[1]) == p.Text(first.Args[1]) {
		return nil
	}
	return c
}
