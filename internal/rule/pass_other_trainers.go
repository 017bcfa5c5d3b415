package rule

// otherTrainersFull reports trainers of Composer that are told to compute in float32, and those of Ignite, which do so
// unless they are told otherwise.
func (p *SourcePass) otherTrainersFull() {
	for _, c := range p.CallsTo("composer.Trainer") {
		if v := c.Arg("precision"); v.Equals("fp32") && !p.EvaluationOnly(c) && !c.Arg("device").Equals("cpu") {
			p.Report(c.Callee(), likely*v.Confidence()).Because(v).Fix(Unsafe, "compute in bfloat16", v.SetTo(`"amp_bf16"`))
		}
	}
	for _, c := range p.CallsTo("ignite.engine.create_supervised_trainer") {
		if v := c.Arg("amp_mode"); (v.Missing() || v.IsNone()) && p.runsOnGPU() &&
			!p.NearSays("autocast", ".half(", "torch.bfloat16", "torch.float64", ".double(") {
			p.Report(c.Callee(), likely*p.GPU()).Because(v).
				Advising("Give it amp_mode=\"amp\" and scaler=True.")
		}
	}
}

// runnersFull reports runners of OpenMMLab that compute in float32: no module of the project names half precision, and so no
// configuration asks for it.
func (p *SourcePass) runnersFull() {
	if !p.runsOnGPU() || p.anySays("fp16", "Fp16OptimizerHook", "AmpOptimWrapper", "autocast", ".half(") {
		return
	}
	for _, s := range p.Module.Sites {
		if s.StartsRunner() && !p.EvaluationOnly(s) && p.Rare(s) == nil {
			p.Report(s.Node.Func, likely*p.GPU()).
				Advising("Compute in half precision: fp16 = dict(loss_scale=\"dynamic\") in the configuration for mmcv, AmpOptimWrapper for mmengine.")
			return
		}
	}
}

// deterministicTrainers reports trainers of Composer that restrict every operation to deterministic algorithms.
func (p *SourcePass) deterministicTrainers() {
	for _, c := range p.CallsTo("composer.Trainer") {
		if v := c.Arg("deterministic_mode"); v.IsTrue() && !p.aidIsFine(c) && !p.onPurpose(c) && p.convolves() {
			p.Report(c.Callee(), likely*v.Confidence()).Because(v).Saying("every operation is restricted to deterministic algorithms")
		}
	}
}

// libraryLoaders are loaders of libraries that decode each sample, and the count of workers that they have by default.
var libraryLoaders = []struct {
	name  string
	usual int64
}{
	{"webdataset.WebLoader", 0},
	{"timm.data.create_loader", 1},
	{"timm.data.loader.create_loader", 1},
	{"torch_geometric.loader.NeighborLoader", 0},
	{"torch_geometric.loader.LinkNeighborLoader", 0},
	{"torch_geometric.loader.HGTLoader", 0},
	{"torch_geometric.loader.NeighborSampler", 0},
	{"torch_geometric.data.NeighborSampler", 0},
}

// fewWorkersOfLibraries reports loaders of webdataset and timm that decode in the training process, or in one worker.
func (p *SourcePass) fewWorkersOfLibraries(none bool) {
	if !p.trains() || p.GPU() == 0 {
		return
	}
	for _, loader := range libraryLoaders {
		for _, c := range p.CallsTo(loader.name) {
			v := c.Arg("num_workers")
			count, known := v.Int()
			if v.Missing() {
				count, known = loader.usual, true
			}
			samples := p.decodedAtOnce(c)
			if !known || count > 1 && (count > 4 || samples < 32*count) || (count == 0) != none || p.EvaluationOnly(c) || c.Arg("is_training").IsFalse() || hides(c, "num_workers") {
				continue
			}
			r := p.Report(c.Callee(), likely*v.Confidence()*p.GPU()).Because(v)
			switch {
			case none:
				r.Advising("Set num_workers to a small number, at most the CPU cores per GPU, and measure.")
			case count > 1:
				r.Saying("num_workers=%d for the %d images of each batch", count, samples)
			default:
				r.Saying("one worker decodes all samples")
			}
		}
	}
}

// decodedAtOnce is how many images a pipeline of webdataset decodes for a batch, in the function that makes the loader; 0 where
// that is not seen.
func (p *SourcePass) decodedAtOnce(loader Call) (samples int64) {
	if loader.Name() != "webdataset.WebLoader" {
		return 0
	}
	decodes := false
	for _, s := range loader.Func.Sites {
		switch c := (Call{s, p}); s.Method() {
		case "decode":
			decodes = decodes || len(s.Node.Args) > 0
		case "batched":
			samples, _ = c.ArgAt(0).Int()
		}
	}
	if !decodes {
		return 0
	}
	return samples
}

// unpinnedOfLibraries reports loaders of webdataset whose batches are in pageable memory. Where the training process makes
// batches of its own of what they give, those are not pinned either way.
func (p *SourcePass) unpinnedOfLibraries() {
	if !p.trains() || !p.trained() || len(p.MethodCalls("unbatched")) > 0 {
		return
	}
	for _, c := range p.CallsTo("webdataset.WebLoader") {
		_, hidden := c.Node.Unpacks()
		pin, gpu := c.Arg("pin_memory"), p.GPU()
		if !off(pin) || hidden || noWorkers(c.Arg("num_workers")) || p.EvaluationOnly(c) || gpu == 0 {
			continue
		}
		p.Report(c.Callee(), likely*pin.Confidence()*gpu).Because(pin).Fix(Safe, copyPinned, pin.SetTo("True"))
	}
}
