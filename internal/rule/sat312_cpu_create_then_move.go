package rule

import (
	"strings"

	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// cpuCreateThenMove finds tensors that are made on the host and then moved, in every step.
var cpuCreateThenMove = Rule{
	Code: "SAT312", Name: "cpu-create-then-move", Severity: Warning, Subject: AboutCopies,
	Areas: []Area{TransferArea, HostArea}, NeedsGPU: true,
	Title: "a tensor is created on the host and then copied to the GPU",
	What: "torch.zeros, ones, full, arange, eye, linspace, rand or similar, followed by .to(device) or .cuda(), " +
		"in every training step.",
	Why: "The host allocates and fills the tensor, then waits for a copy from pageable memory. device= fills it " +
		"on the GPU with one kernel.",
	Fine:   "Random numbers that must come from the CPU generator. Training on the CPU.",
	Bad:    "positions = torch.arange(x.size(1)).to(x.device)",
	Good:   "positions = torch.arange(x.size(1), device=x.device)",
	Safety: Safe,
	Source: func(p *SourcePass) {
		for _, c := range p.MethodCalls("to", "cuda") {
			made, ok := c.Receiver().(*pysrc.Call)
			if !ok || !p.makesTensor(made) || made.Keyword("device") != nil {
				continue
			}
			device, plain := targetDevice(c.Node)
			if c.Method() == "to" && !p.anyDevice(device) {
				continue
			}
			path, ok := p.EachStep(c)
			if !ok {
				continue
			}
			r := p.Report(c, path.Sure).Because(path).Saying("%s is created on the host and copied in every step", p.Short(made))
			safety := Safe
			if name := lastName(made.Func); strings.HasPrefix(name, "rand") || strings.HasSuffix(name, "_window") ||
				strings.HasSuffix(name, "space") {
				safety = Unsafe // another generator gives other numbers, another device other last digits
			}
			if _, hidden := made.Unpacks(); !hidden && plain && !boundToHost(made) {
				r.Fix(safety, "create it on the GPU", p.makeThere(c, made, device)...)
			}
		}
	},
}

// creators are the functions of torch that fill a new tensor.
var creators = setOfNames("zeros", "ones", "full", "empty", "arange", "range", "eye", "linspace", "logspace", "rand",
	"randn", "randint",
	"randperm", "tril_indices", "triu_indices", "hann_window", "hamming_window")

// makesTensor reports a call that fills a new tensor on the host: torch.zeros(3), torch.tensor(0.0).
func (p *SourcePass) makesTensor(made *pysrc.Call) bool {
	name, ok := strings.CutPrefix(p.NameOf(made.Func), "torch.")
	switch {
	case !ok:
		return false
	case name == "tensor" && len(made.Args) > 0:
		_, number := pysrc.FloatValue(made.Args[0])
		return number
	}
	return creators[name]
}

// boundToHost reports a tensor that only the host can make so: pinned, from a generator of the host's, or into another.
func boundToHost(made *pysrc.Call) bool {
	return made.Keyword("pin_memory") != nil || made.Keyword("generator") != nil || made.Keyword("out") != nil ||
		made.Keyword("requires_grad") != nil
}

// anyDevice reports a device, also that of another tensor.
func (p *SourcePass) anyDevice(e pysrc.Expr) bool {
	if a, ok := e.(*pysrc.Attribute); ok && a.Attr == "device" {
		return true
	}
	return e != nil && p.deviceArgument(e)
}

// makeThere gives the edits that pass device= to the function and drop the move.
func (p *SourcePass) makeThere(c Call, made *pysrc.Call, device pysrc.Expr) []patch.Edit {
	text := `"cuda"`
	if device != nil {
		text = p.Text(device)
	}
	tail := pysrc.Span{Start: made.End, End: c.Node.End}
	return []patch.Edit{p.CallAt(made).SetArg("device", text), p.Module.Edit(tail, "")}
}
