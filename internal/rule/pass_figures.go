package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// drawnOften reports figures of matplotlib that a training loop draws every few steps, itself or in a function that it calls:
// one takes as long as many steps.
func (p *SourcePass) drawnOften() {
	if !p.runsOnGPU() && !p.usesJAX() || p.Module.Role == project.Test {
		return
	}
	beside := p.besideTraining()
	if len(beside) == 0 || !p.nearImports("matplotlib") {
		return
	}
	said := map[pysrc.Stmt]bool{} // one finding for a branch
	for _, s := range beside {
		every := p.atLeastEvery(s)
		if every == 1 {
			every = p.returnsBetween(s)
		}
		if every < 2 || every > veryOften || said[p.Module.StatementAt(s.Node.Start)] {
			continue
		}
		var drawn *project.Site
		if startsFigure(s) {
			drawn = s
		}
		for _, fn := range runsFunctions(s) {
			if path, ok := p.Reaches(fn, startsFigure, 2); ok && drawn == nil {
				drawn = path.Calls[len(path.Calls)-1]
			}
		}
		if drawn == nil {
			continue
		}
		said[p.Module.StatementAt(s.Node.Start)] = true
		p.Report(s.Node.Func, likely).
			Because(p.In(drawn.Module()).At(drawn.Node, "a figure is drawn")).Because(valuesOf(p.intervalsAround(s))...).
			Saying("a figure is drawn %s while training waits", everySteps(every)).
			Advising("Draw once in a thousand steps or once per epoch, or save the arrays and draw them in another process.")
	}
}

// returnsBetween is the n of a function that a call runs and that begins with if count % n: return; 1 where it does not.
func (p *SourcePass) returnsBetween(s *project.Site) int64 {
	fn := s.Calls.Func
	if fn == nil || fn.Def == nil || len(fn.Def.Body) == 0 {
		return 1
	}
	first, ok := fn.Def.Body[0].(*pysrc.If)
	if !ok || len(first.Body) != 1 {
		return 1
	}
	if _, leaves := first.Body[0].(*pysrc.Return); !leaves {
		return 1
	}
	test := first.Test
	if c, ok := test.(*pysrc.Compare); ok && len(c.Ops) == 1 && c.Ops[0] == pysrc.NotEq && isZero(c.Comparators[0]) {
		test = c.Left
	}
	mod, ok := test.(*pysrc.BinOp)
	if !ok || mod.Op != pysrc.Mod {
		return 1
	}
	n, known := p.In(fn.Module).Eval(mod.Right).Int()
	if !known || n < 1 {
		return 1
	}
	return n
}

// startsFigure reports a call that starts a figure of matplotlib.
func startsFigure(s *project.Site) bool {
	name, ok := strings.CutPrefix(s.Calls.Name, "matplotlib.pyplot.")
	return ok && (name == "subplots" || name == "figure" || name == "savefig" || name == "imshow")
}
