package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// dataParallel finds models that one process drives over several GPUs.
var dataParallel = Rule{
	Code: "SAT601", Name: "data-parallel", Severity: Warning, Subject: AboutRanks,
	Areas: []Area{ComputeArea},
	Title: "one process drives all GPUs through DataParallel",
	What: "torch.nn.DataParallel around a model in training, or strategy=\"dp\" in Lightning. device_map=\"auto\" for a model that is " +
		"trained: its layers are on several GPUs, of which one works at a time.",
	Why: "In every step one Python process copies the model to each GPU, runs one thread per GPU under the same " +
		"interpreter lock, and gathers outputs and gradients on the first GPU.",
	Fine: "A machine with one GPU, where it has no effect. Inference. Small where it is one arm of a choice, and the other arm is " +
		"DistributedDataParallel.",
	Advice: "Use DistributedDataParallel with one process per GPU, started by torchrun. Give the loader a " +
		"DistributedSampler.",
	Bad:  "model = nn.DataParallel(model)",
	Good: "model = DistributedDataParallel(model, device_ids=[rank])  # torchrun --nproc-per-node=8 train.py",
	Source: func(p *SourcePass) {
		if !p.trains() && !p.trained() {
			return
		}
		for _, c := range p.Constructions("torch.nn.DataParallel") {
			if gpu := p.GPU(); gpu > 0 && c.Calls.Kind == project.Type && !p.EvaluationOnly(c) &&
				(p.Project.Starts(p.Module) || p.makesTrained(p.Function(c)) || p.wrapsTrained(c) || p.keepsTrained(c)) {
				if _, off := p.neverTaken(c); off || p.onlyLoadsWeights(c) {
					continue
				}
				p.Report(c.Callee(), nearlyCertain*gpu).beingLittle(p.orDistributed(c))
				break // one for all the parts of a model
			}
		}
		for _, c := range p.CallsTo("torch.nn.parallel.replicate", "torch.nn.parallel.data_parallel") {
			if _, off := p.neverTaken(c); off {
				continue
			}
			if way, ok := p.EachStep(c); ok && way.Kind != project.Forward { // whether a model is used is not known
				p.Report(c.Callee(), way.Sure).Because(way).Saying("the model is copied to every GPU in every step")
			}
		}
		p.spreadOverGPUs()
		for _, trainer := range p.Constructions("lightning.pytorch.Trainer") {
			for _, name := range [...]string{"strategy", "accelerator"} {
				if v := trainer.Arg(name); v.Equals("dp") {
					p.Report(trainer.Callee(), v.Confidence()).Because(v)
				}
			}
		}
	},
}

// spreadOverGPUs reports pretrained models that training spreads over the GPUs layer by layer.
func (p *SourcePass) spreadOverGPUs() {
	if p.GPU() == 0 || len(p.Constructions("transformers.Trainer")) == 0 || len(p.MethodCalls("train")) == 0 {
		return
	}
	for _, m := range p.Pretrained() {
		if v := m.Arg("device_map"); v.Equals("auto") && !p.EvaluationOnly(m) && p.Rare(m) == nil {
			p.Report(m.Callee(), plausible*v.Confidence()*p.GPU()).Because(v).
				Saying("device_map=\"auto\" spreads the layers over all GPUs, and one of them works at a time").
				Advising("Start one process per GPU with torchrun, each with device_map={\"\": local_rank}; or shard the model with FSDP.").
				Small("with one GPU it changes nothing, and a model that fits on none needs it")
		}
	}
}

// orDistributed says that the other arm of a choice around a wrapper gives each GPU a process of its own, or nothing.
func (p *SourcePass) orDistributed(c Call) (why string) {
	distributed := p.Constructions("torch.nn.parallel.DistributedDataParallel", "apex.parallel.DistributedDataParallel",
		"torch.distributed.fsdp.FullyShardedDataParallel")
	p.Module.Around(c.Node.Start, func(owner pysrc.Node) bool {
		choice, ok := owner.(*pysrc.If)
		if !ok || len(choice.Orelse) == 0 {
			return true
		}
		orelse := choice.Orelse[0].Bounds().Start
		if slices.ContainsFunc(distributed, func(d Call) bool {
			return choice.Contains(int(d.Node.Start)) && (d.Node.Start < orelse) != (c.Node.Start < orelse)
		}) {
			why = "the project can use DistributedDataParallel, if it is told to"
		}
		return why == ""
	})
	return why
}

// onlyLoadsWeights reports a wrapper of a name of its own that nothing runs: its model takes weights that were saved with one.
func (p *SourcePass) onlyLoadsWeights(c Call) bool {
	assign, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign)
	if !ok || len(assign.Targets) != 1 || assign.Value != pysrc.Expr(c.Node) {
		return false
	}
	name, ok := assign.Targets[0].(*pysrc.Name)
	if !ok || c.Func.Def == nil {
		return false
	}
	loads, other := 0, false
	weights := map[*pysrc.Name]bool{}
	pysrc.Inspect(c.Func.Def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Attribute:
			of, ok := n.Value.(*pysrc.Name)
			if ok && of.ID == name.ID && (n.Attr == "load_state_dict" || n.Attr == "state_dict" || n.Attr == "module") {
				loads++
				weights[of] = true
			}
		case *pysrc.Name:
			other = other || n.ID == name.ID && n.Ctx == pysrc.Load && !weights[n]
		}
		return true
	})
	return loads > 0 && !other
}

// wrapsTrained reports a wrapper of a model whose forward a training step is seen to run. What another program wraps,
// which may only filter data, is not known to be trained.
func (p *SourcePass) wrapsTrained(c Call) bool {
	model := c.Arg("module")
	if p.Module.MainGuard || model.Kind != project.Instance || model.Class == nil {
		return false
	}
	forward := model.Class.Method("forward")
	if forward == nil || forward.Def == nil {
		return false
	}
	way, hot := p.Project.Hot(forward.Module, forward.Def.Body[0])
	return hot && way.Kind != project.Forward
}

// keepsTrained reports a wrapper in a field that a training step runs, in the same class or one derived from it:
// self.model = DataParallel(model) of a trainer whose loop stands in another file.
func (p *SourcePass) keepsTrained(c Call) bool {
	assign, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign)
	class := p.Class(c)
	if !ok || len(assign.Targets) != 1 || class == nil {
		return false
	}
	field := pysrc.DottedName(assign.Targets[0])
	return strings.HasPrefix(field, "self.") && slices.ContainsFunc(class.Heirs(), func(heir *project.Class) bool {
		there := p.In(heir.Module)
		return slices.ContainsFunc(there.ForwardPasses(), func(f forwardPass) bool {
			call, ok := f.model.(*pysrc.Call)
			return ok && pysrc.DottedName(call.Func) == field && there.Class(call) == heir
		})
	})
}

// makesTrained reports a function whose callers keep what it gives where a training step then calls it:
// self.net = make(options), and self.net(x) before the backward.
func (p *SourcePass) makesTrained(fn *project.Function) bool {
	return fn.Def != nil && slices.ContainsFunc(p.Project.Callers(fn), func(s *project.Site) bool {
		assign, ok := s.Module().StatementAt(s.Node.Start).(*pysrc.Assign)
		if !ok || len(assign.Targets) != 1 {
			return false
		}
		name := pysrc.DottedName(assign.Targets[0])
		return name != "" && slices.ContainsFunc(p.In(s.Module()).ForwardPasses(), func(f forwardPass) bool {
			call, ok := f.model.(*pysrc.Call)
			return ok && pysrc.DottedName(call.Func) == name
		})
	})
}
