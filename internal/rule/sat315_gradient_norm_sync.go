package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// gradientNormSync finds gradient norms that are read back in every step.
var gradientNormSync = Rule{
	Code: "SAT315", Name: "gradient-norm-sync", Severity: Warning, Subject: AboutWaits,
	Areas: []Area{HostArea},
	Asks:  [][]string{{"sync=scalar"}},
	Title: "gradient norms are read back from the GPU in every step",
	What: ".item() or float() on a parameter's gradient or its norm in a loop over the parameters, or on the " +
		"result of clip_grad_norm_, in every training step.",
	Why: "Each read waits for the GPU. In a loop over the parameters that is one wait per parameter: hundreds " +
		"per step.",
	Fine: "Behind a condition such as step % 100 == 0. A norm that decides whether the step is taken.",
	Advice: "torch.nn.utils.clip_grad_norm_ returns the total norm as one tensor (max_norm=float(\"inf\") only " +
		"measures). Keep it on the GPU and read it every N steps.",
	Bad:    "for p in model.parameters():\n    total += p.grad.norm(2).item() ** 2",
	Good:   "total = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)  # stays on the GPU",
	Safety: Unsafe, OneWait: true,
	Source: func(p *SourcePass) {
		if !p.Module.InStep() {
			return
		}
		for _, read := range p.readsBack() {
			perParameter := p.readsEachGradient(read)
			if !perParameter && !p.clippedNorm(read.tensor) || p.inProgressBar(read) {
				continue
			}
			path, ok := p.EachStep(read)
			if !ok {
				continue
			}
			r := p.Report(read, path.Sure).Because(path)
			if perParameter {
				r.Saying("%s waits for the GPU once per parameter in every step", p.Short(read))
				loop, _ := p.LoopAround(read).(*pysrc.For)
				p.clipTogether(r, loop)
			} else {
				r.Saying("%s waits for the gradient norm in every step", p.Short(read))
				if p.readLater(r, read); len(r.finding.Fixes) == 0 {
					p.keepOnDevice(r, read)
				}
			}
		}
	},
}

// readsEachGradient reports a read of something made of one gradient after the other.
func (p *SourcePass) readsEachGradient(read readBack) bool {
	return p.inParameterLoop(read) && namesGradient(read.tensor, p)
}

// inParameterLoop reports a node in a for or comprehension over a model's parameters.
func (p *SourcePass) inParameterLoop(n Node) bool {
	at := n.Bounds().Start
	found := false
	p.Inspect(p.Module.StatementAt(at), func(n pysrc.Node) bool {
		if c, ok := n.(*pysrc.Comprehension); ok && p.overParameters(c.Iter, 0) {
			found = true
		}
		return !found
	})
	loop, ok := p.LoopAround(n).(*pysrc.For)
	return found || ok && p.overParameters(loop.Iter, 0)
}

// overParameters reports the parameters of a model, or a variable or parameter of a function that holds them.
func (p *SourcePass) overParameters(e pysrc.Expr, depth int) bool {
	if callsNamed(e, "parameters") || callsNamed(e, "named_parameters") || project.HasWord(lastName(e), "params", "parameters") {
		return true
	}
	name, ok := e.(*pysrc.Name)
	if !ok || depth > 2 {
		return false
	}
	if value := p.Module.SaidOnce(name); value != nil {
		return p.overParameters(value, depth+1)
	}
	fn := p.Function(name)
	return fn.HasParameter(name.ID) && slices.ContainsFunc(p.Project.Callers(fn), func(s *project.Site) bool {
		given := s.Given(fn, name.ID)
		return given != nil && p.In(s.Module()).overParameters(given, depth+1)
	})
}

// namesGradient reports an expression that holds a .grad, or a name assigned from one.
func namesGradient(e pysrc.Expr, p *SourcePass) bool {
	if n, ok := e.(*pysrc.Name); ok {
		if e = p.Module.SaidOnce(n); e == nil {
			return false
		}
	}
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Attribute); ok && a.Attr == "grad" {
			found = true
		}
		return !found
	})
	return found
}

// clippedNorm reports the result of clip_grad_norm_, or a name assigned from it.
func (p *SourcePass) clippedNorm(e pysrc.Expr) bool {
	if n, ok := e.(*pysrc.Name); ok {
		if e = p.Module.SaidOnce(n); e == nil {
			return false
		}
	}
	c, ok := e.(*pysrc.Call)
	if !ok {
		return false
	}
	switch lastName(c.Func) {
	case "clip_grad_norm_", "clip_grad_norm", "get_total_norm":
		return p.Eval(c.Func).Func == nil
	}
	return false
}
