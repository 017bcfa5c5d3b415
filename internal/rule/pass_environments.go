package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// manyInTurn is from how many environments on stepping through them one after another takes longer than processes do.
const manyInTurn = 16

// environmentsInTurn reports environments that the training process steps through one after another, where there are many.
func (p *SourcePass) environmentsInTurn() {
	if p.GPU() == 0 {
		return
	}
	for _, c := range p.CallsTo("gymnasium.vector.SyncVectorEnv", "gym.vector.SyncVectorEnv", "stable_baselines3.common.vec_env.DummyVecEnv") {
		n := p.countMade(firstArg(c.Node))
		if n < p.manyHere() || p.EvaluationOnly(c) || p.Rare(c) != nil {
			continue
		}
		p.Report(c.Callee(), likely*p.GPU()).
			Saying("%d environments step one after another in the training process, while the GPU waits", n).
			Advising("Step them in processes, AsyncVectorEnv or SubprocVecEnv, or use envpool, which steps them in threads of C++.")
	}
}

// countMade is how many objects a comprehension over a range makes, here or in the variable that holds it; 0 where that is not known.
func (p *SourcePass) countMade(e pysrc.Expr) int64 {
	if name, ok := e.(*pysrc.Name); ok {
		e = p.Module.SaidLast(name)
	}
	comp, ok := e.(*pysrc.ListComp)
	if !ok || len(comp.Generators) != 1 {
		return 0
	}
	over, ok := comp.Generators[0].Iter.(*pysrc.Call)
	if !ok || lastName(over.Func) != "range" || len(over.Args) != 1 {
		return 0
	}
	n, _ := p.Eval(over.Args[0]).Int()
	return n
}

// manyImages is from how many environments on it takes longer where each of them draws and shrinks images.
const manyImages = 8

// environmentLoops reports loops of the training process that step through a list of environments, where there are many or where the policy
// acts for each of them alone.
func (p *SourcePass) environmentLoops() {
	if p.GPU() == 0 || !p.trained() && len(p.TrainingLoops()) == 0 {
		return
	}
	for _, n := range p.roundsIn() {
		t, ok := turnsOf(n)
		if !ok {
			continue
		}
		item, of := itemsOf(&t)
		if item == "" {
			continue
		}
		step := p.stepsItem(&t, item)
		if step == nil || p.EvaluationOnly(t.at) && !keepsInObject(n) || p.Rare(t.at) != nil || !p.isHot(t.at) && p.calledAround(p.Function(n), 0) == nil {
			continue
		}
		alone := p.actsFor(&t, step)
		count, made := p.countMadeAnywhere(of)
		if least := p.manyHere(); count < least && (alone == nil || count > 0 && count < 4) {
			continue
		}
		r := p.Report(t.at, likely*p.GPU()).Because(p.At(step, "steps one of them"))
		if alone != nil {
			r.Because(p.At(alone, "the policy acts for one of them"))
		}
		if made != nil {
			r.Because(*made)
		}
		r.Saying("the environments of %s step one after another in the training process, while the GPU waits", p.Short(of)).
			Advising("Step them in processes, AsyncVectorEnv or SubprocVecEnv, or with envpool, and let the policy act on all observations at once.")
	}
}

// keepsInObject reports a loop that stores what it sees in fields of its object, for a training to come: self.rewards[t, i] = reward.
func keepsInObject(loop pysrc.Node) (found bool) {
	pysrc.Inspect(loop, func(n pysrc.Node) bool {
		if part, ok := n.(*pysrc.Subscript); ok && part.Ctx == pysrc.Store {
			field, ok := part.Value.(*pysrc.Attribute)
			found = found || ok && project.IsSelf(field.Value)
		}
		return !found
	})
	return found
}

// manyHere is from how many environments on stepping them in turn takes longer than processes do.
func (p *SourcePass) manyHere() int64 {
	if p.Uses("ale_py.*", "atari_py.*", "cv2.*", "gymnasium.wrappers.AtariPreprocessing", "gym.wrappers.AtariPreprocessing", "stable_baselines3.common.atari_wrappers.*") ||
		p.NearSays("NoFrameskip", "ALE/") {
		return manyImages
	}
	return manyInTurn
}

// itemsOf is the variable that holds the item of a loop, and what the loop goes over: for env in envs, for i, env in enumerate(envs),
// for env, a in zip(envs, actions).
func itemsOf(t *turns) (item string, of pysrc.Expr) {
	if len(t.target) != 1 {
		return "", nil
	}
	target, over := t.target[0], t.iter[0]
	if c, ok := over.(*pysrc.Call); ok && len(c.Args) > 0 {
		pair := elementsOf(target)
		switch {
		case len(pair) < 2:
			return "", nil
		case isNamed(c.Func, "enumerate"):
			target, over = pair[1], c.Args[0]
		case isNamed(c.Func, "zip"):
			target, over = pair[0], c.Args[0]
		default:
			return "", nil
		}
	}
	if name, ok := target.(*pysrc.Name); ok && pysrc.DottedName(over) != "" {
		return name.ID, over
	}
	return "", nil
}

// stepsItem is item.step(action) of a loop, whose result is the four or five things that an environment gives, or what a comprehension
// collects for a loop or zip; nil where there is none.
func (p *SourcePass) stepsItem(t *turns, item string) (found *pysrc.Call) {
	for _, b := range t.body {
		pysrc.InspectPath(b, func(n pysrc.Node, path []pysrc.Node) bool {
			c, ok := n.(*pysrc.Call)
			if found != nil || !ok || len(c.Args) != 1 {
				return found == nil
			}
			method, ok := c.Func.(*pysrc.Attribute)
			if !ok || method.Attr != "step" || !isNamed(method.Value, item) {
				return true
			}
			if a, ok := p.Module.StatementAt(c.Start).(*pysrc.Assign); ok && a.Value == pysrc.Expr(c) && len(a.Targets) == 1 {
				if parts := len(elementsOf(a.Targets[0])); parts == 4 || parts == 5 {
					found = c
				}
			}
			return found == nil
		})
	}
	return found
}

// actsFor is the call of a model in the body of such a loop, or nil.
func (p *SourcePass) actsFor(t *turns, step *pysrc.Call) (found *pysrc.Call) {
	for _, s := range p.Function(step).Sites {
		if found == nil && t.whole.Bounds().Contains(int(s.Node.Start)) && s.Node != step && p.isModelCall(s.Node) {
			found = s.Node
		}
	}
	return found
}

// countMadeAnywhere is countMade for a variable, a field, or a parameter whose giver makes the list, and where that is.
func (p *SourcePass) countMadeAnywhere(e pysrc.Expr) (int64, *project.Step) {
	if n := p.countMade(e); n > 0 {
		return n, nil
	}
	if field, ok := e.(*pysrc.Attribute); ok {
		class := p.Function(field).Class
		if class == nil || !project.IsSelf(field.Value) {
			return 0, nil
		}
		value := p.onlyField(class, field.Attr)
		if name, ok := value.(*pysrc.Name); ok && class.Method("__init__") != nil {
			return p.countGiven(class.Method("__init__"), name)
		}
		if value == nil {
			return 0, nil
		}
		at := p.At(value, "made here")
		return p.countMade(value), &at
	}
	if name, ok := e.(*pysrc.Name); ok {
		return p.countGiven(p.Function(name), name)
	}
	return 0, nil
}

func (p *SourcePass) countGiven(fn *project.Function, name *pysrc.Name) (int64, *project.Step) {
	if !fn.HasParameter(name.ID) {
		return 0, nil
	}
	for _, s := range p.Project.Givers(fn) {
		given, in := s.Given(fn, name.ID), p.In(s.Module())
		if given == nil {
			continue
		}
		made := in.onceSaid(given)
		at := in.At(made, "made here")
		return in.countMade(made), &at
	}
	return 0, nil
}
