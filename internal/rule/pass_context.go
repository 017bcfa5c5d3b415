package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// PerSample reports whether the node runs for every sample (or batch) that is
// loaded: in the __getitem__ or __iter__ of a dataset, in a collate function,
// in a transform, or in anything they call, over any number of files. The Path
// says how it is reached; give it to Because.
func (p *SourcePass) PerSample(n Node) (project.Path, bool) {
	return p.Project.PerSample(p.Module, n)
}

// Hot reports whether the node runs in every training step: in a loop that does
// backward and optimizer.step, in a training_step or compute_loss, or in what
// they call. Code behind a guard that is rarely true is not hot.
func (p *SourcePass) Hot(n Node) (project.Path, bool) {
	if !p.mayStep(n) {
		return project.Path{}, false
	}
	return p.Project.Hot(p.Module, n)
}

// mayStep reports a node in a function that training steps reach, a quick check before questions that take long: where
// they do not, the node is not Hot and does not run in EachStep.
func (p *SourcePass) mayStep(n Node) bool { return p.Module.InStep() && p.Function(n).InStep() }

// EvaluationOnly reports whether the node serves evaluation, inference or tests
// and not training: by the file's role, by what the function around it does, by
// the loops over what it makes, by no_grad around it; by names where none shows.
func (p *SourcePass) EvaluationOnly(n Node) bool {
	return p.Project.EvaluationOnly(p.Module, n)
}

// Rare returns the guard that keeps the node from running in every step, within the
// function it stands in: every N steps, when debugging, when a file is missing, after
// a fault, behind a flag that is off. It is nil when there is none.
func (p *SourcePass) Rare(n Node) *project.Guard { return p.eval.Rare(p.Module, n) }

// TrainingLoops returns the loops of this module that train: the innermost loop
// around each training step.
func (p *SourcePass) TrainingLoops() []*project.Loop { return p.Project.TrainingLoops(p.Module) }

// LoopAround returns the innermost for or while around the node in its
// function, or nil. EpochLoop returns the loop that counts epochs around it.
func (p *SourcePass) LoopAround(n Node) pysrc.Stmt { return p.Module.LoopAround(n) }

// EpochLoop returns the loop around the node that counts epochs: one around a
// training loop, or one whose variable is named so. It is nil when there is none.
func (p *SourcePass) EpochLoop(n Node) pysrc.Stmt { return p.Project.EpochLoop(p.Module, n) }

// Under reports whether the node runs inside a with block, or in a function with
// a decorator, of one of the canonical names: torch.no_grad, torch.autocast.
func (p *SourcePass) Under(n Node, names ...string) bool {
	return p.Project.Under(p.eval, p.Module, n, names...)
}

// GPU is the confidence, 0 to 1, that this module's code runs on a GPU: 0 when
// nothing in the project says so.
func (p *SourcePass) GPU() float64 { return p.Project.GPU(p.Module) }

// FeedsGPU is the confidence, 0 to 1, that what the loader gives goes to a GPU.
func (p *SourcePass) FeedsGPU(loader Call) float64 { return p.GPU() }

// PreparedElsewhere reports whether the loader is passed to a framework that replaces it: accelerator.prepare, a
// Lightning trainer.
func (p *SourcePass) PreparedElsewhere(loader Call) bool {
	return p.Project.Prepared(p.eval, loader.Site)
}

// AtLeast reports whether the project's version of a library is at least the one
// given. It is Maybe when the project does not say.
func (p *SourcePass) AtLeast(library, version string) project.Answer {
	return p.versions().AtLeast(library, version)
}

// Uses reports whether this module, or what imports connect it with, calls or assigns to one of the
// canonical names; a name may end in .*.
func (p *SourcePass) Uses(names ...string) bool { return p.Project.UsedWith(p.Module, names...) }

// Imports reports whether this module imports a library, by its first name: torch.
func (p *SourcePass) Imports(library string) bool { return p.Module.Imports(library) }

// AssignsTo returns the assignments of this module to one of the canonical
// names: torch.backends.cudnn.benchmark, os.environ.CUDA_LAUNCH_BLOCKING (a key
// counts as an attribute).
func (p *SourcePass) AssignsTo(names ...string) []*project.Assignment {
	var list []*project.Assignment
	for _, a := range p.Module.Assignments {
		for _, name := range names {
			if a.Name == name {
				list = append(list, a)
			}
		}
	}
	return list
}

// OnDevice is the confidence, 0 to 1, that the value of the expression is on the GPU, so that the host must wait to
// read it: a model's output, a loss, a batch that was moved, and values computed from them; not a shape, which the host
// knows.
func (p *SourcePass) OnDevice(e pysrc.Expr) float64 { return p.eval.OnDevice(p.Module, e) }

// isOnDevice reports whether the value of the expression is likely to be on the GPU.
func (p *SourcePass) isOnDevice(e pysrc.Expr) bool { return p.OnDevice(e) >= likely }

// Varies reports whether the expression may differ from one call of its function
// to the next: it depends on a parameter other than self, on a loop variable,
// or on something random.
func (p *SourcePass) Varies(e pysrc.Expr) bool { return p.eval.Varies(p.Module, e) }

// Reaches looks for a call that found accepts, in a function or in what it
// calls, at most the given number of calls deep, and returns the path to it.
func (p *SourcePass) Reaches(from *project.Function, found func(*project.Site) bool, most int) (project.Path, bool) {
	return p.Project.Reaches(p.eval, from, found, most)
}

// trained reports whether a training loop or a trainer's hook leads to this
// module: by imports, calls and constructions, over a few files. A forward elsewhere may
// serve inference alone.
func (p *SourcePass) trained() bool { return p.Project.Trained(p.Module) }
