package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// GPU is the confidence that a module's code runs on a GPU: 0 when nothing in
// the project says so.
func (p *Project) GPU(m *Module) float64 { return p.gpu[m] }

// findGPU gathers the evidence for a GPU in each module, and spreads it along imports in both directions: a dataset
// does not name the device that it feeds.
func (p *Project) findGPU() {
	p.gpu = map[*Module]float64{}
	var queue []*Module
	best := 0.0
	for _, m := range p.Modules {
		if sure := p.gpuEvidence(m); sure > 0 {
			p.gpu[m] = sure
			best = max(best, sure)
			queue = append(queue, m)
		}
	}
	for len(queue) > 0 {
		m := queue[0]
		queue = queue[1:]
		for _, neighbours := range [...][]*Module{m.ImportsFrom, m.ImportedBy, m.Uses} {
			for _, other := range neighbours {
				if next := p.gpu[m] * throughCall; next > p.gpu[other] && next > Perhaps {
					p.gpu[other] = next
					queue = append(queue, other)
				}
			}
		}
	}
	for _, m := range p.Modules {
		alone := len(p.loops[m]) > 0 && len(m.ImportsFrom) == 0 && len(m.ImportedBy) == 0 // a program beside others
		if p.gpu[m] == 0 && best > 0 && !alone {
			p.gpu[m] = best * GPUElsewhere
		}
	}
}

// deviceGiven is the confidence that torch.device(x) is a GPU: x is followed to the setting that names it. If its
// origin is unknown, somebody else chooses it, and most choose a GPU.
func (p *Project) deviceGiven(s *Site) float64 {
	e := p.NewEval()
	defer e.Release()
	v := e.Of(s.Module(), s.Node.Args[0])
	name, known := v.Str()
	switch {
	case known && strings.HasPrefix(name, "cuda"):
		return max(v.Sure, Likely)
	case known:
		return 0
	case v.Kind == Literal:
		return Certain // a number is that of a GPU
	}
	return Likely
}

// movesModel reports model.to(device), where what is passed is not a type.
func (p *Project) movesModel(s *Site) bool {
	a, ok := s.Node.Func.(*pysrc.Attribute)
	if !ok || a.Attr != "to" || len(s.Node.Args) != 1 || len(s.Node.Keywords) > 0 {
		return false
	}
	e := p.NewEval()
	defer e.Release()
	of, to := e.Of(s.Module(), a.Value), e.Of(s.Module(), s.Node.Args[0])
	return of.IsInstance("torch.nn.Module") && !strings.HasPrefix(to.Name, "torch.") && !to.IsInstance("torch.Tensor")
}

// gpuEvidence is the confidence that a module by itself shows the use of a GPU.
func (p *Project) gpuEvidence(m *Module) float64 {
	if m.Role == Test {
		return 0
	}
	if len(m.devices) > 0 {
		return Certain
	}
	best := 0.0
	if m.imports["fairseq"] {
		best = Likely // whose own program trains on the GPU
	}
	for _, s := range m.Sites {
		name := s.Calls.Name
		switch {
		case s.Method() == "cuda":
			return Certain
		case strings.HasPrefix(name, "torch.cuda.") || strings.HasPrefix(name, "torch.accelerator.") ||
			strings.HasPrefix(name, "deepspeed."):
			return Certain
		case p.namesGPU(s):
			return Certain
		case name == "accelerate.Accelerator":
			best = max(best, NearlyCertain)
		case s.Calls.Kind == Type && s.Calls.IsClass("transformers.Trainer", "transformers.TrainingArguments"):
			if k := s.Node.KeywordValue("use_cpu"); !pysrc.IsConst(k, pysrc.True) {
				best = max(best, NearlyCertain)
			}
		case name == "lightning.pytorch.Trainer" || name == "lightning.pytorch.Trainer.from_argparse_args" || name == "lightning.fabric.Fabric":
			if k, _ := pysrc.StringValue(s.Node.KeywordValue("accelerator")); k != "cpu" && k != "mps" && k != "tpu" {
				best = max(best, NearlyCertain)
			}
		case name == "composer.Trainer":
			if k, _ := pysrc.StringValue(s.Node.KeywordValue("device")); k != "cpu" && k != "mps" && k != "tpu" {
				best = max(best, NearlyCertain)
			}
		case name == "torch.device" && len(s.Node.Args) > 0, best < Likely && p.movesModel(s):
			best = max(best, p.deviceGiven(s))
		case name == commandLine:
			best = max(best, p.commandLineGPU(s))
		case makesFromSettings(name):
			best = max(best, p.settingsGPU())
		case name == "jax.jit" || name == "jax.pmap" || name == "jax.devices" || name == "equinox.filter_jit" || name == "flax.nnx.jit":
			best = max(best, Likely)
		}
	}
	if best < Likely && m.importsJAX() && slices.ContainsFunc(m.Functions, compiledByJAX) {
		best = Likely
	}
	return best
}

// compiledByJAX reports a function with a decorator that compiles it: @jax.jit, @eqx.filter_jit, @partial(jax.jit, …), @pjit.
func compiledByJAX(f *Function) bool {
	return slices.ContainsFunc(f.Decorators(), func(d pysrc.Expr) bool {
		if c, ok := d.(*pysrc.Call); ok {
			d = c.Func
			if lastName(d) == "partial" && len(c.Args) > 0 {
				d = c.Args[0]
			}
		}
		switch lastName(d) {
		case "jit", "filter_jit", "pmap", "filter_pmap", "pjit":
			return true
		}
		return false
	})
}

// namesGPU reports a call that only works with a GPU: a model of which each process drives the GPU of its number, NCCL,
// a tensor or model that moves to a numbered device.
func (p *Project) namesGPU(s *Site) bool {
	switch s.Calls.Name {
	case "torch.nn.parallel.DistributedDataParallel":
		ids := s.Node.KeywordValue("device_ids")
		return ids != nil && len(elements(ids)) > 0
	case "torch.distributed.init_process_group":
		backend, _ := pysrc.StringValue(s.ArgumentNode("backend", 0))
		return backend == "nccl"
	}
	if s.Method() != "to" || len(s.Node.Args) == 0 {
		return false
	}
	name, ok := s.Node.Args[0].(*pysrc.Name)
	if !ok {
		return false
	}
	_, b := s.scope().find(name.ID)
	return b != nil && (b.Kind == Parameter && p.passesRank(b) || b.Kind == Assigned && b.path == 0 && !isText(b.Value) && isNumber(b.Value, b.Scope, 0))
}

// isText reports a string that is written out: device = "cpu".
func isText(e pysrc.Expr) bool {
	_, ok := pysrc.StringValue(e)
	return ok
}

// passesRank reports a parameter for which a launcher passes the number of the process.
func (p *Project) passesRank(b *Binding) bool {
	for _, l := range b.Scope.Func.handed().launched {
		if l.parameters == 1 && b.Scope.Func.position(b.Name) == 0 {
			return true
		}
	}
	return false
}
