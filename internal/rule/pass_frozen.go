package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// frozenEncoders reports pretrained models without gradients that a step runs on what the dataset gives, where nothing
// changes a sample from one epoch to the next.
func (p *SourcePass) frozenEncoders() {
	if !p.runsOnGPU() || p.jaxOnly() {
		return
	}
	said := map[*project.Function]bool{}
	for _, s := range p.Module.Sites {
		if said[s.Func] || s.Calls.Kind != project.Instance || s.Calls.Made == nil || s.Calls.Made.Method() != "from_pretrained" ||
			!strings.HasPrefix(s.Calls.Name, "transformers.") || strings.HasSuffix(s.Calls.Name, "()") || ofLibrary(*s.Calls) {
			continue
		}
		if !p.Under(s, "torch.no_grad", "torch.inference_mode") || p.Rare(s) != nil || p.Module.Role == project.Test {
			continue
		}
		way, hot := p.Hot(s)
		if !hot || p.rareOnTheWay(way) || way.Root == nil || !p.takesBatch(s) || p.randomSamples() {
			continue
		}
		said[s.Func] = true
		p.Report(s, probable*p.GPU()*way.Sure).At(Advice).Because(way).
			Saying("a frozen model computes the same for each sample in every epoch: %s", p.Short(Call{s, p}.Callee())).
			Advising("Run it once over the dataset before training, and let the dataset give what it returned.")
	}
}

// takesBatch reports a call whose arguments are what a training loop takes from its data, moved and reshaped perhaps.
func (p *SourcePass) takesBatch(s *project.Site) bool {
	given := slices.Clone(s.Node.Args)
	for _, k := range s.Node.Keywords {
		given = append(given, k.Value)
	}
	return len(given) > 0 && p.ofBatch(s.Func, given[0], 0)
}

// ofBatch reports an expression whose first name leads to the variable of a loop, through variables, tokenizers and the
// parameters of functions; what another model computes does not.
func (p *SourcePass) ofBatch(fn *project.Function, e pysrc.Expr, depth int) bool {
	if depth > 8 || fn == nil || fn.Def == nil {
		return false
	}
	switch x := e.(type) {
	case *pysrc.Attribute:
		return p.ofBatch(fn, x.Value, depth+1)
	case *pysrc.Subscript:
		return p.ofBatch(fn, x.Value, depth+1)
	case *pysrc.BinOp:
		return p.ofBatch(fn, x.Left, depth+1)
	case *pysrc.Call:
		if f, ok := x.Func.(*pysrc.Attribute); ok && p.ofBatch(fn, f.Value, depth+1) { // clips.flatten(0, 1)
			return true
		}
		name, v := p.NameOf(x.Func), p.Eval(x.Func)
		return len(x.Args) > 0 && (name == "list" || name == "tuple" || ofLibrary(v) || strings.HasPrefix(name, "torch.") && v.Kind != project.Instance) &&
			p.ofBatch(fn, x.Args[0], depth+1) // tokenizer(texts), and not what another model computes
	case *pysrc.Name:
		if loop, ok := p.LoopAround(e).(*pysrc.For); ok && storesName(loop.Target, x.ID) {
			return p.isTrainingLoop(loop)
		}
		if value := p.Module.SaidLast(x); value != nil {
			return p.ofBatch(fn, value, depth+1)
		}
		callers := p.Project.Callers(fn)
		return len(callers) > 0 && !slices.ContainsFunc(callers, func(c *project.Site) bool {
			in := p.In(c.Module())
			if in.EvaluationOnly(c) || in.LoopAround(c) == nil && in.Project.Leads(c.Func) {
				return false // for a look at it
			}
			given := c.Given(fn, x.ID)
			return given == nil || !in.ofBatch(c.Func, given, depth+1)
		})
	}
	return false
}

// randomSamples reports datasets near this module that draw something for a sample, but its place in the order; also where
// none is seen.
func (p *SourcePass) randomSamples() bool {
	seen := 0
	for _, m := range p.Near() {
		q := p.In(m)
		if m.Says("albumentations") || m.Says("transforms.Random") || m.Says("v2.Random") || m.Says("augment") {
			return true
		}
		for _, class := range q.Classes("torch.utils.data.Dataset") {
			for _, name := range [...]string{"__getitem__", "__iter__"} {
				fn := class.Methods[name]
				if fn == nil {
					continue
				}
				seen++
				if _, drawn := q.Reaches(fn, func(s *project.Site) bool { return draws(s, 0) && s.Method() != "shuffle" }, 3); drawn {
					return true
				}
			}
		}
	}
	return seen == 0
}
