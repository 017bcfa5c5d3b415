package rule

import "saturate/internal/pysrc"

// compileInLoop finds models that are compiled again and again.
var compileInLoop = Rule{
	Code: "SAT412", Name: "compile-in-loop", Severity: Error,
	Title:  "the model is compiled again and again",
	What:   "torch.compile, torch.jit.script or torch.jit.trace in a loop that trains or counts epochs, or in a forward.",
	Why:    "Each call makes a new compiled function, whose first run traces and compiles for seconds to minutes.",
	Fine:   "Behind a guard that keeps the result.",
	Advice: "Compile once, before the loop or in __init__.",
	Bad:    "for epoch in range(epochs):\n    model = torch.compile(model)",
	Good:   "model = torch.compile(model)\nfor epoch in range(epochs):\n    …",
	Safety: Safe,
	Source: func(p *SourcePass) {
		for _, c := range p.CallsTo("torch.compile", "torch.jit.script", "torch.jit.trace") {
			if len(c.Node.Args) == 0 || p.EvaluationOnly(c) || p.Guarded(c) != nil || p.seldom(p.Module, c) {
				continue
			}
			epoch := p.EpochLoop(c)
			way, hot := p.Hot(c)
			if epoch == nil && !hot {
				continue
			}
			r := p.Report(c, 0.9).Because(way)
			if s, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign); ok && epoch != nil && s.Value == pysrc.Expr(c.Node) && !p.dependsOn(c.Node, epoch) {
				r.Fix(Safe, "compile it once, before the loop", p.LineBefore(epoch, p.Text(s)), p.RemoveStatement(s))
			}
		}
	},
}

// dependsOn reports an expression that reads a name which a loop sets, other
// than the one that is assigned from it.
func (p *SourcePass) dependsOn(e pysrc.Expr, loop pysrc.Stmt) bool {
	sets := map[string]int{}
	p.Inspect(loop, func(n pysrc.Node) bool {
		if name, ok := n.(*pysrc.Name); ok && name.Ctx == pysrc.Store {
			sets[name.ID]++
		}
		return true
	})
	own := ""
	if s, ok := p.Module.StatementAt(e.Bounds().Start).(*pysrc.Assign); ok && len(s.Targets) == 1 {
		own = pysrc.DottedName(s.Targets[0])
	}
	depends := false
	p.Inspect(e, func(n pysrc.Node) bool {
		if name, ok := n.(*pysrc.Name); ok && sets[name.ID] > 0 && !(name.ID == own && sets[own] == 1) {
			depends = true
		}
		return !depends
	})
	return depends
}
