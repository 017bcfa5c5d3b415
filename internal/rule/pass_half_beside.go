package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// besideAutocast reports models that each training step runs in float32 although it runs another one, or the same, under
// autocast: a teacher, a reference, a critic that stands before or behind the block.
func (p *SourcePass) besideAutocast() {
	if !p.runsOnGPU() || p.Module.Role == project.Test || p.Module.Role == project.Evaluation || p.learnsByActing() || !p.trainsUnderAutocast() {
		return
	}
	said := map[*project.Function]map[string]bool{}
	for _, s := range p.Module.Sites {
		model, way := p.float32Run(s)
		if model == "" || said[s.Func][model] || !p.besideCast(way) {
			continue
		}
		if said[s.Func] == nil {
			said[s.Func] = map[string]bool{}
		}
		said[s.Func][model] = true
		p.Report(s.Node, likely*way.Sure).Because(way).
			Saying("%s runs in float32: it stands outside the autocast of the training step", model).
			Advising("Run it under the same autocast, and compute sums of losses in float32.")
	}
}

// float32Run is the text of a model that each step of a training loop runs, without autocast and without a reason for
// float32, and the way there; empty for any other call.
func (p *SourcePass) float32Run(s *project.Site) (string, project.Path) {
	model := p.ownModelRun(s)
	if model == "" || p.EvaluationOnly(s) || p.Rare(s) != nil || p.castsHalf(s) || p.wantsFloat32(s) {
		return "", project.Path{}
	}
	way, hot := p.EachStep(s)
	if !hot || way.Kind != project.TrainingLoop || p.castOnTheWay(way) {
		return "", project.Path{}
	}
	return model, way
}

// float32Beside returns the statements beside a forward pass, in its function, that run other models in float32.
func (p *SourcePass) float32Beside(f forwardPass) []pysrc.Stmt {
	var list []pysrc.Stmt
	for _, s := range f.backward.Func.Sites {
		stmt := p.Module.StatementAt(s.Node.Start)
		within := func(of pysrc.Stmt) bool { return of == stmt || of.Bounds().Contains(int(stmt.Bounds().Start)) }
		if stmt == nil || slices.ContainsFunc(f.stmts, within) || slices.Contains(list, stmt) {
			continue
		}
		if model, _ := p.float32Run(s); model != "" {
			list = append(list, stmt)
		}
	}
	return list
}

// ownModelRun is the text of the model that a call runs, where it is of a class of the project that has layers: teacher for
// teacher(x) and for log_probs(teacher, x), whose function runs what it is given; empty for any other call.
func (p *SourcePass) ownModelRun(s *project.Site) string {
	if s.Calls.Kind != project.Type && p.isDeep(s.Calls) {
		return p.Short(s.Node.Func)
	}
	fn := s.Calls.Func
	if fn == nil || fn.Def == nil || fn.Class != nil || !p.runsUnderSome(fn) {
		return ""
	}
	for _, a := range s.Node.Args {
		v := p.Eval(a)
		if !p.isDeep(&v) {
			continue
		}
		if slices.ContainsFunc(fn.Sites, func(inner *project.Site) bool {
			callee, ok := inner.Node.Func.(*pysrc.Name)
			return ok && fn.HasParameter(callee.ID) && s.Given(fn, callee.ID) == a
		}) {
			return p.Short(a)
		}
	}
	return ""
}

// runsUnderSome reports a function that some calls run under autocast, so that the call decides.
func (p *SourcePass) runsUnderSome(fn *project.Function) bool {
	return slices.ContainsFunc(p.Project.Callers(fn), func(c *project.Site) bool { return p.In(c.Module()).Under(c, "torch.amp.autocast") })
}

// isDeep reports a model of torchvision or timm, or of a class of the project with layers of its own, and not a layer or a loss.
func (p *SourcePass) isDeep(v *Value) bool {
	if len(v.Either) > 0 {
		known := 0
		for i := range v.Either {
			switch {
			case v.Either[i].IsNone():
			case !p.isDeep(&v.Either[i]):
				return false
			default:
				known++
			}
		}
		return known > 0
	}
	if v.Kind == project.Instance && v.Made != nil && (v.Made.Calls.Name == "timm.create_model" || strings.HasPrefix(v.Made.Calls.Name, "torchvision.models.")) {
		return true
	}
	models := p.modelsOf(*v, 0)
	return len(models) > 0 && !slices.ContainsFunc(models, func(m Value) bool { return m.Class == nil || !hasLayers(m.Class, 0) })
}

// wantsFloat32 reports a call that is given what was turned into float32 for it.
func (p *SourcePass) wantsFloat32(s *project.Site) bool {
	return slices.ContainsFunc(argumentsOf(s.Node), func(e pysrc.Expr) bool { return callsWithin(e, "float") })
}

// besideCast reports a way from a training loop that also leads to an autocast.
func (p *SourcePass) besideCast(way project.Path) bool {
	return slices.ContainsFunc(p.trainingAutocasts(), func(c Call) bool {
		other, hot := p.EachStep(c)
		return !hot || other.Root == way.Root
	})
}
