package rule

import "saturate/internal/pysrc"

// compileInLoop finds models that are compiled again and again.
var compileInLoop = Rule{
	Code: "SAT412", Name: "compile-in-loop", Severity: Error, Subject: AboutCompiling,
	Areas:  []Area{ComputeArea, HostArea},
	Title:  "the model is compiled repeatedly",
	What:   "torch.compile, torch.jit.script or torch.jit.trace in a loop over steps or epochs, or in a forward method.",
	Why:    "Each call creates a new compiled function. Its first run traces and compiles for seconds to minutes.",
	Fine:   "Behind a condition that keeps the result.",
	Advice: "Compile once, before the loop or in __init__.",
	Bad:    "for epoch in range(epochs):\n    model = torch.compile(model)",
	Good:   "model = torch.compile(model)\nfor epoch in range(epochs):\n    …",
	Safety: Safe, AtWorst: Unsafe,
	Source: func(p *SourcePass) {
		for _, c := range p.CallsTo("torch.compile", "torch.jit.script", "torch.jit.trace") {
			if len(c.Node.Args) == 0 || p.EvaluationOnly(c) || p.Rare(c) != nil {
				continue
			}
			epoch := p.EpochLoop(c)
			way, hot := p.Hot(c)
			if epoch == nil && !hot {
				continue
			}
			r := p.Report(c, nearlyCertain).Because(way)
			if s, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign); ok && epoch != nil &&
				s.Value == pysrc.Expr(c.Node) && !p.dependsOn(c.Node, epoch) {
				safety, title := Safe, "compile it once, before the loop"
				if c.Name() != "torch.compile" { // which looks at the model again when it is called
					safety, title = Unsafe, "compile it once, before the loop, in the mode (training or evaluation) that the model has at that point"
				}
				r.Fix(safety, title, p.LineBefore(epoch, p.Text(s)), p.RemoveStatement(s))
			}
		}
	},
}
