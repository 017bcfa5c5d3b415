package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// wholeOnEachRank reports validation data that each of several processes goes through as a whole, beside training data that a
// DistributedSampler shares out.
func (p *SourcePass) wholeOnEachRank() {
	if !p.runsOnGPU() || !p.trains() || !p.trained() || p.Module.Role == project.Evaluation || p.Module.Role == project.Test ||
		!p.nearCalls("torch.nn.parallel.DistributedDataParallel") ||
		p.Uses("accelerate.Accelerator", "lightning.pytorch.Trainer", "lightning.fabric.Fabric", "transformers.Trainer", "deepspeed.initialize") {
		return
	}
	loaders := p.Constructions(loaderClass)
	shared := slices.IndexFunc(loaders, func(c Call) bool {
		return p.Project.LoaderUse(c.Site)&project.Trains != 0 && sharesOut(c.Arg("sampler"))
	})
	if shared < 0 {
		return
	}
	for _, c := range loaders {
		sampler, batches := c.Arg("sampler"), c.Arg("batch_sampler")
		if p.Project.LoaderUse(c.Site)&project.Trains != 0 || !sampler.Missing() && !sampler.IsNone() || !batches.Missing() && !batches.IsNone() ||
			hides(c, "sampler") || p.inOtherArm(c, loaders[shared]) || p.isStream(c) || p.splitsByRank(c) || p.calledByHand(c.Func) || c.Func == p.Module.Main && len(p.Module.ImportedBy) > 0 {
			continue
		}
		at := p.goneOverOnEachRank(c)
		if at == nil {
			continue
		}
		r := p.Report(c.Callee(), likely*p.GPU()).At(Advice).Because(p.At(at, "each process gets here"), loaders[shared].Arg("sampler")).
			Saying("every process evaluates the whole of this dataset").
			Explaining("Each of R processes runs the model on all samples, and an evaluation takes as long as on one GPU.").
			Advising("Give it a DistributedSampler(data, shuffle=False), and sum the results with all_reduce.")
		if !isShareSampler(loaders[shared].Arg("sampler")) {
			r.Small("one process alone evaluates no more than it has to")
		}
	}
}

// sharesOut reports a sampler that is, or may be, a DistributedSampler.
func sharesOut(sampler Value) bool {
	return isShareSampler(sampler) || slices.ContainsFunc(sampler.Either, isShareSampler)
}

func isShareSampler(v Value) bool {
	return v.Kind == project.Instance && project.LastOf(v.Name) == "DistributedSampler"
}

// goneOverOnEachRank is a loop over a loader that it makes, or a call that is given it, if no test keeps all processes but one from any
// of them; else nil.
func (p *SourcePass) goneOverOnEachRank(loader Call) (at pysrc.Node) {
	name := p.variableOf(loader)
	if name == "" {
		return nil
	}
	for _, fn := range p.Module.Functions {
		if fn != loader.Func && (!strings.HasPrefix(name, "self.") || fn.Class != loader.Func.Class) {
			continue
		}
		if loop := p.loopOver(name, fn); loop != nil && !p.isTrainingLoop(loop) {
			if p.onOneRank(loop) || p.returnsOnOthers(fn) {
				return nil
			}
			at = header(loop)
		}
		for _, s := range fn.Sites {
			callee := s.Calls.Func
			if callee == nil || callee.Def == nil || p.Project.Leads(callee) || !slices.ContainsFunc(argumentsOf(s.Node), func(a pysrc.Expr) bool { return pysrc.DottedName(a) == name }) {
				continue
			}
			if in := p.In(callee.Module); p.onOneRank(s) || in.returnsOnOthers(callee) || p.returnsOnOthers(fn) {
				return nil
			}
			if p.LoopAround(s) != nil {
				at = s.Node
			}
		}
	}
	return at
}

// returnsOnOthers reports a function that returns at once in all processes but one: if rank != 0: return.
func (p *SourcePass) returnsOnOthers(fn *project.Function) bool {
	if fn.Def == nil {
		return false
	}
	for _, s := range fn.Def.Body {
		test, ok := s.(*pysrc.If)
		if !ok || len(test.Body) == 0 {
			continue
		}
		_, returns := test.Body[len(test.Body)-1].(*pysrc.Return)
		if c, compares := test.Test.(*pysrc.Compare); returns && compares && len(c.Ops) == 1 && c.Ops[0] != pysrc.Eq && project.HasWord(lastName(c.Left), "rank") {
			return true
		}
	}
	return false
}

// loopOver is the first loop of a function over a variable: for batch in data, for i, batch in enumerate(data); nil where there is none.
func (p *SourcePass) loopOver(name string, fn *project.Function) (found *pysrc.For) {
	if fn.Def == nil {
		return nil
	}
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		if loop, ok := n.(*pysrc.For); ok && found == nil && iterates(loop.Iter, name) {
			found = loop
		}
		return found == nil
	})
	return found
}

// inOtherArm reports two places of a function in different arms of an if: a run gets to one of them.
func (p *SourcePass) inOtherArm(a, b Node) bool {
	arms := map[pysrc.Node]project.Arm{}
	for id := p.Module.BlockAt(a.Bounds().Start); id >= 0; id = p.Module.Block(id).Parent {
		arms[p.Module.Block(id).Owner] = p.Module.Block(id).Arm
	}
	for id := p.Module.BlockAt(b.Bounds().Start); id >= 0; id = p.Module.Block(id).Parent {
		owner := p.Module.Block(id).Owner
		if _, test := owner.(*pysrc.If); !test {
			continue
		}
		if arm, both := arms[owner]; both && arm != p.Module.Block(id).Arm {
			return true
		}
	}
	return false
}
