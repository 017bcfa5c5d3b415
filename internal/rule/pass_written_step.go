package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// stepWrites are functions that write files, draw or start programs, and what they do.
var stepWrites = map[string]string{
	"matplotlib.pyplot.savefig":         "draws and writes a figure",
	"matplotlib.figure.Figure.savefig":  "draws and writes a figure",
	"torchvision.utils.save_image":      "copies images to the host and writes them",
	"cv2.imwrite":                       "writes an image",
	"imageio.imwrite":                   "writes an image",
	"numpy.save":                        "writes a file",
	"numpy.savez":                       "writes a file",
	"numpy.savetxt":                     "writes a file",
	"json.dump":                         "writes a file",
	"pickle.dump":                       "writes a file",
	"os.fsync":                          "waits for the disk",
	"os.system":                         "starts a program",
	"subprocess.run":                    "starts a program",
	"subprocess.call":                   "starts a program",
	"subprocess.check_call":             "starts a program",
	"subprocess.check_output":           "starts a program",
	"torch.cuda.memory_summary":         "formats every counter of the allocator",
	"torch.cuda.memory.memory_summary":  "formats every counter of the allocator",
	"torch.cuda.memory_snapshot":        "copies the state of the allocator",
	"torch.cuda.memory.memory_snapshot": "copies the state of the allocator",
}

// writtenInSteps reports what every step writes besides metrics: files, figures, the answers of other programs. One
// finding for each function.
func (p *SourcePass) writtenInSteps() {
	said := map[*project.Function]*Report{}
	report := func(c Call, what string) {
		way, ok := p.EachStep(c)
		if !ok || way.Kind != project.TrainingLoop && way.Kind != project.TrainingHook || p.fetches(c) || p.underTest(c) ||
			slices.ContainsFunc(way.Calls, func(s *project.Site) bool { return p.In(s.Module()).underTest(s) }) {
			return // perhaps in few steps
		}
		if r := said[c.Func]; r != nil {
			r.Too(p.At(c, "and here"))
			return
		}
		said[c.Func] = p.Report(c.Callee(), likely*way.Sure).Because(way).Saying("%s %s in every step", p.Short(c.Callee()), what).
			Advising("Do it every N steps, or once after the loop: gather what it needs in a list.")
	}
	for name, what := range stepWrites {
		for _, c := range p.CallsTo(name) {
			report(c, what)
		}
	}
	for _, c := range p.MethodCalls("savefig", "to_csv", "to_parquet", "flush") {
		switch {
		case c.Method() == "savefig" && stepWrites[c.Name()] == "":
			report(c, "draws and writes a figure")
		case c.Method() == "flush" && !p.isFile(c.Receiver()):
		case c.Method() != "savefig" && len(c.Node.Args)+len(c.Node.Keywords) > 0 || c.Method() == "flush":
			report(c, "writes a file")
		}
	}
	for _, c := range p.CallsTo("open") {
		if mode, _ := c.ArgAt(1).Str(); strings.ContainsAny(mode, "wax") {
			report(c, "opens a file to write")
		}
	}
	p.watchedModels()
}

// isFile reports an open file: what open gave, by a variable or a field.
func (p *SourcePass) isFile(e pysrc.Expr) bool {
	if name, ok := e.(*pysrc.Name); ok {
		if said := p.Module.SaidOutside(name); said != nil {
			e = said
		} else if said := p.Module.SaidLast(name); said != nil {
			e = said
		} else if said := p.Module.SaidOnce(name); said != nil {
			e = said
		}
	}
	c, ok := e.(*pysrc.Call)
	return ok && p.NameOf(c.Func) == "open"
}

// fetches reports a program whose answer the step trains on: that is another rule's.
func (p *SourcePass) fetches(c Call) bool {
	_, sample := p.PerSample(c)
	return sample
}

// watchedModels reports wandb.watch: histograms of all gradients every few steps, or at least a hook for each of them in every step.
func (p *SourcePass) watchedModels() {
	for _, c := range p.CallsTo("wandb.watch") {
		every := c.Arg("log_freq")
		if every.Missing() || every.Unknown() {
			if k := c.Node.Keyword("log_freq"); k != nil {
				every = p.Eval(k.Value)
			}
		}
		if n, ok := every.Int(); ok && n > 0 && n <= 10 && !p.EvaluationOnly(c) && p.runsOnGPU() {
			p.Report(c.Callee(), likely*p.GPU()).Because(every).Saying("histograms of all weights are made and read back %s", everySteps(n)).
				Advising("Leave log_freq at its default of 1000 steps.")
		} else if !p.EvaluationOnly(c) && p.Rare(c) == nil && p.runsOnGPU() && p.trains() {
			p.Report(c.Callee(), likely*p.GPU()).At(Advice).
				Saying("W&B hooks into every gradient of the model to make histograms").
				Advising("Leave it out once the model trains well.").
				Small("it makes them every 1000 steps, unless log_freq says otherwise, and counts the steps in between")
		}
	}
}
