package rule

import (
	"slices"

	"saturate/internal/project"
)

// runsBesideTraining reports a function of a module that trains, one that a trainer calls, or one that such functions call.
func (p *SourcePass) runsBesideTraining(fn *project.Function) bool {
	return trainsItself(fn) || p.shared.index.besideTraining()[fn]
}

func trainsItself(fn *project.Function) bool {
	return fn.Module.Role == project.Training || fn.Class != nil && fn.Class.Derives("lightning.pytorch.LightningModule", "transformers.Trainer")
}

// calledByTraining are the functions that training leads to through a few calls, itself left out.
func calledByTraining(p *project.Project) map[*project.Function]bool {
	found, left := map[*project.Function]bool{}, []*project.Function(nil)
	trains := map[*project.Function]bool{}
	for _, m := range p.Modules {
		for _, fn := range m.Functions {
			if trainsItself(fn) {
				trains[fn] = true
				continue
			}
			if len(p.Callers(fn)) > 0 {
				left = append(left, fn)
			}
		}
	}
	for range mostHandovers {
		var next []*project.Function
		left = slices.DeleteFunc(left, func(fn *project.Function) bool {
			called := slices.ContainsFunc(p.Callers(fn), func(s *project.Site) bool { return s.Func != fn && (trains[s.Func] || found[s.Func]) })
			if called {
				next = append(next, fn)
			}
			return called
		})
		for _, fn := range next {
			found[fn] = true
		}
	}
	return found
}
