package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// pinMemory finds training loaders whose batches are copied to the GPU from pageable memory.
var pinMemory = Rule{
	Code: "SAT203", Name: "no-pin-memory", Severity: Warning, Subject: AboutCopies,
	Areas: []Area{DataArea, TransferArea}, NeedsGPU: true, Group: LoaderGroup,
	Asks:  [][]string{{"copies=pinned"}},
	Title: "batches are copied to the GPU from pageable memory",
	What: "A training DataLoader, or a loader of webdataset, that feeds a GPU, with pin_memory missing or False. A transformers " +
		"trainer with dataloader_pin_memory=False, in code or in a settings file.",
	Why: "A copy from pageable memory goes through a staging buffer and blocks the host. A copy from pinned " +
		"memory is a DMA transfer that overlaps compute.",
	Fine: "Batches already on the GPU. MPS. Custom batch types without pin_memory. Hosts with little memory. Loaders without workers: the " +
		"training process itself pins each batch, which took 0.94 to 1.06 of the time on an H200.",
	Gain:   Range{1.0, 1.4, "1.02× to 1.39× with 4 workers on an H200, small batches included; from 9.5 to 9.8 it/s in one report"},
	Bad:    `DataLoader(ds, batch_size=16, num_workers=4)`,
	Good:   `DataLoader(ds, batch_size=16, num_workers=4, pin_memory=True)`,
	Safety: Safe,
	Source: func(p *SourcePass) {
		if p.Imports("jax") && len(p.MethodCalls("backward")) == 0 {
			return // JAX copies
		}
		for _, loader := range p.Constructions("torch.utils.data.DataLoader") {
			pin, gpu := p.pageable(loader)
			if gpu == 0 {
				continue
			}
			p.Report(loader.Callee(), pin.Confidence()*gpu).
				Because(pin).
				Fix(Safe, copyPinned, pin.SetTo("True")). // edits where the value is set: here, or in config.yaml
				beingLittle(p.cheapCopy(loader))
		}
		p.unpinnedOfLibraries()
		for _, base := range p.loaderBases() {
			if _, hidden := base.Node.Unpacks(); hidden {
				continue // who makes one gives it
			}
			if pin := base.Arg("pin_memory"); off(pin) && p.FeedsGPU(base) > 0 && !p.collatesObjects(base) {
				p.Report(base.Callee(), likely*pin.Confidence()*p.FeedsGPU(base)).Because(pin).Fix(Safe, copyPinned, pin.SetTo("True"))
			}
		}
		for _, args := range p.HFArguments() { // True unless it is given
			if pin := args.Arg("dataloader_pin_memory"); pin.IsFalse() && p.GPU() > 0 {
				p.Report(args.Callee(), pin.Confidence()*p.GPU()).Because(pin).Fix(Safe, copyPinned, pin.SetTo("True"))
			}
		}
	},
	Settings: func(p *SettingsPass) {
		if p.EvaluationOnly() || p.mentions("use_cpu: true", `"use_cpu": true`) {
			return
		}
		for _, s := range p.TrainerSettings("dataloader_pin_memory") {
			if s.Value().IsFalse() {
				p.Report(s, likely).Fix(Safe, copyPinned, p.Set(s, "True"))
			}
		}
	},
}

// pageable is the setting of a training loader that leaves its batches in pageable memory, and how sure it is that they are
// copied to a GPU.
func (p *SourcePass) pageable(loader Call) (pin Value, gpu float64) {
	pin = loader.Arg("pin_memory")
	if !off(pin) || hides(loader, "pin_memory") || p.EvaluationOnly(loader) || inHandler(p.Module, loader) ||
		p.collatesObjects(loader) || p.usesGPUWhileLoading(loader) || p.forOtherThanTraining(loader) ||
		len(p.JAXLoops()) > 0 { // JAX copies by itself
		return pin, 0
	}
	if _, hidden := loader.Node.Unpacks(); hidden && (p.Module.Says(`"pin_memory": True`) || p.Module.Says("'pin_memory': True")) {
		return pin, 0 // it may come to hold it: options.update({"pin_memory": True})
	}
	if gpu = p.FeedsGPU(loader); p.loadsGraphs() {
		gpu = 0
	}
	return pin, gpu
}

// loaderBases are the calls super().__init__(…) of loader classes of the project that training uses: what they do not
// pass on, nobody can set.
func (p *SourcePass) loaderBases() []Call {
	if !p.trains() {
		return nil
	}
	var list []Call
	for _, c := range p.CallsTo("torch.utils.data.DataLoader.__init__") {
		if !p.EvaluationOnly(c) && c.Func.Class != nil && c.Func.BaseName() == "__init__" {
			list = append(list, c)
		}
	}
	return list
}

const copyPinned = "copy from pinned memory"

// forOtherThanTraining reports whether a project that trains uses the loader for
// something else: to prepare data, to decode.
func (p *SourcePass) forOtherThanTraining(loader Call) bool {
	switch use := p.Project.LoaderUse(loader.Site); {
	case use&project.Trains != 0:
		return false
	case use&project.LooksAt != 0:
		return true
	}
	return p.trains() && (p.onlyLooksAt(loader) || !p.forTraining(loader))
}

// makesTensors reports whether a collate function makes or hands on tensors, as
// far as is known: it calls torch, or asks a tokenizer for tensors, or returns
// what something else made of the samples.
func (p *SourcePass) makesTensors(fn *project.Function) bool {
	if m := fn.Module; !m.Says("numpy") && !m.Says("np.") {
		return true
	}
	_, found := p.Reaches(fn, func(s *project.Site) bool {
		if strings.HasPrefix(s.Calls.Name, "numpy.") {
			return false // np.stack makes an array, and arrays are not pinned
		}
		return strings.HasPrefix(s.Calls.Name, "torch.") || s.Node.Keyword("return_tensors") != nil ||
			lastName(s.Node.Func) == "collate" || lastName(s.Node.Func) == "stack"
	}, 3)
	return found
}

// collatesObjects reports whether the loader's batches are lists of what the data
// set gives, strings perhaps, in which there is nothing to pin.
func (p *SourcePass) collatesObjects(loader Call) bool {
	collate := loader.Arg("collate_fn")
	if collate.Name == "list" || collate.Name == "tuple" {
		return true
	}
	if collate.Func != nil && collate.Func.Def != nil {
		return !p.In(collate.Func.Module).makesTensors(collate.Func)
	}
	if collate.Func == nil || collate.Func.Lambda == nil {
		return false
	}
	l := collate.Func.Lambda
	body, ok := l.Body.(*pysrc.Name)
	return ok && len(l.Args.Args) == 1 && l.Args.Args[0].Name == body.ID
}
