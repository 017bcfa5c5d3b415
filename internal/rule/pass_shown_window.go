package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// waitsForPerson reports windows that a training loop opens, itself or in a function that it calls: the script stands still
// until somebody closes them.
func (p *SourcePass) waitsForPerson() {
	if !p.runsOnGPU() && !p.usesJAX() || p.Module.Notebook || p.Module.Role == project.Test {
		return
	}
	said := map[pysrc.Stmt]bool{} // one finding for a branch
	for _, s := range p.besideTraining() {
		stmt := p.branchOf(s)
		if said[stmt] || p.behindSwitch(s) {
			continue
		}
		shown := s
		if !opensWindow(s) {
			shown = nil
			for _, fn := range runsFunctions(s) {
				if path, ok := p.Reaches(fn, opensWindow, 1); ok && shown == nil {
					shown = path.Calls[len(path.Calls)-1]
				}
			}
		}
		if shown == nil || p.In(shown.Module()).drawsWithoutWindow() || shown != s && p.In(shown.Module()).behindSwitch(shown) {
			continue
		}
		said[stmt] = true
		p.Report(s.Node.Func, likely).Because(p.In(shown.Module()).At(shown.Node, "waits here")).
			Saying("%s opens a window, and training waits until it is closed", p.Short(s.Node.Func)).
			Advising("Write the figure to a file, or log it: plt.savefig(path); plt.close().")
	}
}

// branchOf is the if around a call, or its statement.
func (p *SourcePass) branchOf(s *project.Site) pysrc.Stmt {
	stmt := p.Module.StatementAt(s.Node.Start)
	if outer, ok := p.blockAround(stmt).(*pysrc.If); ok {
		return outer
	}
	return stmt
}

// behindSwitch reports a call that an option or a setting turns on: under a test that counts nothing.
func (p *SourcePass) behindSwitch(s *project.Site) bool {
	found := false
	p.testsAround(s, func(test pysrc.Expr) { found = found || !takesRemainder(test) })
	return found
}

// opensWindow reports a call that returns when somebody has closed a window or pressed a key.
func opensWindow(s *project.Site) bool {
	switch s.Calls.Name {
	case "matplotlib.pyplot.show":
		return len(s.Node.Args) == 0 && len(s.Node.Keywords) == 0 // block=False does not wait
	case "cv2.waitKey":
		return len(s.Node.Args) == 0 || isZero(s.Node.Args[0])
	}
	return false
}

// drawsWithoutWindow reports a program that draws into files or into windows that do not wait.
func (p *SourcePass) drawsWithoutWindow() bool {
	return p.Uses("matplotlib.pyplot.ion", "matplotlib.pyplot.switch_backend", "matplotlib.use", "matplotlib.pyplot.interactive")
}
