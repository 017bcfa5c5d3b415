package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// weightsAveragedOneByOne finds averages of the weights that are updated tensor by tensor in every step.
var weightsAveragedOneByOne = Rule{
	Code: "SAT320", Name: "weights-averaged-one-by-one", Severity: Advice, Subject: AboutHostCode,
	Areas: []Area{HostArea, OptimizerArea},
	Title: "the average of the weights is updated one tensor at a time in every step",
	What: "A loop over parameters() or state_dict() of a model that mixes each tensor with the matching tensor of " +
		"another model, in every training step: an exponential moving average, a target network. Also one that changes each " +
		"gradient or each weight, as a decay of the weights does, or that computes the norm of each gradient, for a sum that may not even be read.",
	Why: "Each tensor takes two to four small kernels, and Python launches them one by one: a thousand launches for a model " +
		"of 300 tensors. torch._foreach_lerp_ updates all tensors with a few.",
	Fine: "A model of a few tensors. An average that is updated every few steps.",
	Advice: "Call torch._foreach_lerp_(averages, weights, 1 - decay) on two lists of tensors, or use torch.optim.swa_utils.AveragedModel with " +
		"multi_avg_fn=get_ema_multi_avg_fn(decay).",
	Bad:    "for a, w in zip(average.parameters(), model.parameters()):\n    a.data.mul_(decay).add_(w.data, alpha=1 - decay)",
	Good:   "torch._foreach_lerp_(list(average.parameters()), list(model.parameters()), 1 - decay)",
	Safety: Safe, AtWorst: Unsafe,
	Since: []Since{{
		Library: "torch", Version: "2.0", Lacks: "cannot mix lists of tensors", Then: "call torch._foreach_lerp_(averages, weights, 1 - decay)",
	}},
	Source: func(p *SourcePass) {
		if !p.runsOnGPU() {
			return
		}
		seen, said := map[pysrc.Stmt]bool{}, map[*project.Function]*Report{}
		lookAt := func(loop *pysrc.For, is func(*pysrc.For) bool) {
			if seen[loop] || !is(loop) || !p.mixes(loop) {
				return
			}
			seen[loop] = true
			if way, ok := p.eachUpdate(loop); ok {
				if r := said[p.Function(loop)]; r != nil {
					r.Too(p.At(header(loop), "and here"))
					p.mixAlso(r, loop)
					return
				}
				r := p.Report(header(loop), likely*way.Sure).Because(way)
				p.mixTogether(r, loop)
				if _, each := p.Hot(loop); !each {
					r.Saying("the average of the weights is updated one tensor at a time every few steps")
				}
				said[p.Function(loop)] = r
			}
		}
		look := func(c Call, is func(*pysrc.For) bool) {
			loop, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.For)
			if ok && loop.Iter.Bounds().Contains(int(c.Node.Start)) {
				lookAt(loop, is)
			}
		}
		for _, c := range p.MethodCalls("parameters", "named_parameters", "state_dict", "keys", "items", "values") {
			look(c, func(loop *pysrc.For) bool { return p.overWeights(loop.Iter) })
		}
		for _, c := range p.CallsTo("zip") {
			look(c, takesShares)
		}
		for _, c := range p.MethodCalls("copy_", "mul_", "lerp_") { // over a field that holds them
			loop, ok := p.LoopAround(c).(*pysrc.For)
			if ok && pysrc.DottedName(loop.Iter) != "" {
				lookAt(loop, func(loop *pysrc.For) bool { return p.overWeights(loop.Iter) })
			}
		}
		p.mixedStates(func(loop *pysrc.For) {
			lookAt(loop, func(loop *pysrc.For) bool { return p.overWeights(loop.Iter) })
		})
		p.gradientsOneByOne()
	},
}

// weightsToHost reports loops over the tensors of a model that copy each of them to the host in every step, for an
// average that is kept there.
func (p *SourcePass) weightsToHost() {
	if !p.runsOnGPU() {
		return
	}
	for _, c := range p.MethodCalls("cpu", "to") {
		tensor, ok := c.Receiver().(*pysrc.Name)
		loop, inFor := p.LoopAround(c).(*pysrc.For)
		if !ok || !inFor || c.Method() == "to" && !toHost(c.Node) || !storesName(loop.Target, tensor.ID) || !p.overWeights(loop.Iter) {
			continue
		}
		if way, ok := p.eachUpdate(loop); ok && p.mixes(loop) {
			p.Report(c, likely*way.Sure).Because(way).Saying("every weight is copied to the host in every step").
				Advising("Keep the average on the GPU, and copy it when it is saved.")
		}
	}
}

// overWeights reports an expression that goes over the tensors of a model, or over a variable that holds them.
func (p *SourcePass) overWeights(e pysrc.Expr) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		found = found || givesWeights(n)
		if name, ok := n.(*pysrc.Name); ok && name.Ctx == pysrc.Load {
			if value := p.Module.SaidLast(name); value != nil {
				pysrc.Inspect(value, func(n pysrc.Node) bool { // OrderedDict(model.named_parameters())
					found = found || givesWeights(n)
					return !found
				})
			}
		}
		if field, ok := n.(*pysrc.Attribute); ok && project.IsSelf(field.Value) && field.Ctx == pysrc.Load && p.Function(field).Class != nil {
			if value := p.onlyField(p.Function(field).Class, field.Attr); value != nil {
				found = found || givesWeights(value) || p.filledFromWeights(value)
			}
		}
		return !found
	})
	return found
}

// filledFromWeights reports an expression made of a list that a loop over the tensors of a model fills: dict(references), behind
// for name, w in model.named_parameters(): references.append((name, w)).
func (p *SourcePass) filledFromWeights(e pysrc.Expr) bool {
	return slices.ContainsFunc(p.Function(e).Sites, func(s *project.Site) bool {
		list, isName := (Call{s, p}).Receiver().(*pysrc.Name)
		loop, ok := p.LoopAround(s).(*pysrc.For)
		return ok && isName && s.Method() == "append" && mentionsDotted(e, list.ID) && p.overWeights(loop.Iter)
	})
}

// indexName is the variable that a subscript looks up: k in shadow[k].
func indexName(e pysrc.Expr) string {
	if at, ok := e.(*pysrc.Subscript); ok {
		return pysrc.DottedName(at.Slice)
	}
	return ""
}

func givesWeights(n pysrc.Node) bool {
	call, ok := n.(*pysrc.Call)
	return ok && slices.Contains([]string{"parameters", "named_parameters", "state_dict"}, lastName(call.Func))
}

// mixes reports a loop that writes a product of two tensors' values back: a * decay + b * (1 - decay), mul_ and add_,
// lerp_. A loop that looks at gradients is an optimizer or clips them.
func (p *SourcePass) mixes(loop *pysrc.For) bool {
	scaled, written, other := false, false, false
	turns := map[string]bool{}
	pysrc.Inspect(loop.Target, func(n pysrc.Node) bool {
		if name, ok := n.(*pysrc.Name); ok {
			turns[name.ID] = true
		}
		return true
	})
	for _, stmt := range loop.Body {
		pysrc.Inspect(stmt, func(n pysrc.Node) bool {
			switch n := n.(type) {
			case *pysrc.Attribute:
				switch n.Attr {
				case "grad", "item", "numel", "norm", "backward":
					other = true
				case "mul_":
					scaled = true
				case "lerp_":
					scaled, written = true, true
				case "lerp":
					scaled = true
				case "copy_", "add_":
					written = true
				case "data":
					written = written || n.Ctx == pysrc.Store
				}
			case *pysrc.BinOp:
				scaled = scaled || n.Op == pysrc.Mult
			case *pysrc.Call:
				scaled = scaled || p.returnsMix(n)
			case *pysrc.Subscript:
				written = written || n.Ctx == pysrc.Store
			case *pysrc.AugAssign:
				if turns[rootName(n.Target)] || turns[indexName(n.Target)] { // and not a penalty that is summed over all weights
					scaled = scaled || n.Op == pysrc.Mult
					written = written || n.Op == pysrc.Add
				}
			}
			return !other
		})
	}
	return scaled && written && !other
}

// returnsMix reports a call of a function that mixes what it is given: old * self.decay + new * (1 - self.decay).
func (p *SourcePass) returnsMix(c *pysrc.Call) bool {
	fn := p.Eval(c.Func).Func
	return fn != nil && len(c.Args) > 1 && slices.ContainsFunc(fn.Returns(), isMix)
}

// eachUpdate is EachStep for what stands under no_grad, as an average does. A target network is updated every step or
// two: a test of a number that the source does not say counts as that.
func (p *SourcePass) eachUpdate(loop pysrc.Stmt) (project.Path, bool) {
	way, hot := p.Hot(loop)
	if !hot {
		way, hot = p.everyFewSteps(loop)
	}
	if !hot || p.Rare(loop) != nil || p.rareOnTheWay(way) || p.jaxOnly() || way.Root == nil || !p.optimizesOn(way) {
		return project.Path{}, false
	}
	way.Sure *= p.GPU()
	return way, true
}

// everyFewSteps is a way from a training step to the function of a node by a call that a test lets through every few steps.
func (p *SourcePass) everyFewSteps(n Node) (project.Path, bool) {
	for _, s := range p.Project.Callers(p.Function(n)) {
		if test := p.In(s.Module()).everyFewAround(s); test != nil {
			if way, hot := p.Project.Hot(s.Module(), test); hot {
				return way, true
			}
		}
	}
	return project.Path{}, false
}

// everyFew is how many steps may lie between two runs of what still costs something in each of them.
const everyFew = 4

// everyFewAround is the test that lets a call through every few steps, as far as is known; nil for any other call.
func (p *SourcePass) everyFewAround(s *project.Site) pysrc.Expr {
	guard := p.Rare(s)
	if guard == nil || guard.Kind != project.EveryN {
		return nil
	}
	stmt, ok := p.Module.StatementAt(guard.Span.Start).(*pysrc.If)
	if !ok {
		return nil
	}
	often := false
	pysrc.Inspect(stmt.Test, func(n pysrc.Node) bool {
		if mod, ok := n.(*pysrc.BinOp); ok && mod.Op == pysrc.Mod {
			every, known := p.Eval(mod.Right).Int()
			often = !known || every <= everyFew
		}
		return !often
	})
	if !often {
		return nil
	}
	return stmt.Test
}

// takesShares reports a loop over two lists that mixes their elements with the shares r and 1 - r, as nothing but an average does.
func takesShares(loop *pysrc.For) bool {
	pair, ok := loop.Target.(*pysrc.Tuple)
	if !ok || len(pair.Elts) != 2 {
		return false
	}
	share := ""
	for _, stmt := range loop.Body {
		pysrc.Inspect(stmt, func(n pysrc.Node) bool {
			if rest, ok := n.(*pysrc.BinOp); ok && rest.Op == pysrc.Sub {
				if one, ok := pysrc.FloatValue(rest.Left); ok && one == 1 {
					share = pysrc.DottedName(rest.Right)
				}
			}
			return share == ""
		})
	}
	if share == "" {
		return false
	}
	reads := 0
	for _, stmt := range loop.Body {
		pysrc.Inspect(stmt, func(n pysrc.Node) bool {
			if e, ok := n.(pysrc.Expr); ok && pysrc.DottedName(e) == share {
				reads++
				return false
			}
			return true
		})
	}
	return reads > 1
}
