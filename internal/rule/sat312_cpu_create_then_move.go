package rule

import (
	"strings"

	"saturate/internal/patch"
	"saturate/internal/project"
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
		type cause struct {
			in   *project.Function
			what string
		}
		said := map[cause]*Report{} // a line that is written again and again is one finding
		for _, c := range p.MethodCalls("to", "cuda") {
			made := p.madeOnHost(c.Receiver())
			if made == nil {
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
			safety := Safe
			if name := lastName(made.Func); strings.HasPrefix(name, "rand") || strings.HasSuffix(name, "_window") ||
				strings.HasSuffix(name, "space") {
				safety = Unsafe // another generator gives other numbers, another device other last digits
			}
			_, hidden := made.Unpacks()
			var edits []patch.Edit
			if !hidden && plain && !boundToHost(made) && c.Receiver() == pysrc.Expr(made) {
				edits = p.makeThere(c, made, device)
			}
			same := cause{c.Func, p.Text(made)}
			if r := said[same]; r != nil && (len(edits) > 0) == (len(r.finding.Fixes) > 0) {
				r.Because(p.At(c, "and here"))
				if len(edits) > 0 {
					r.finding.Fixes[0].Edits = append(r.finding.Fixes[0].Edits, edits...)
				}
				continue
			}
			said[same] = p.Report(c, path.Sure).Because(path).Saying("%s is created on the host and copied in every step", p.Short(made)).
				Fix(safety, "create it on the GPU", edits...)
		}
	},
}

// madeOnHost is the call that fills the tensor which an expression is, perhaps in another shape or type, or nil. A
// tensor that waits in a variable counts where nothing else reads it or writes to it before.
func (p *SourcePass) madeOnHost(e pysrc.Expr) *pysrc.Call {
	switch e := e.(type) {
	case *pysrc.Call:
		if p.makesTensor(e) {
			if e.Keyword("device") != nil {
				return nil
			}
			return e
		}
		if a, ok := e.Func.(*pysrc.Attribute); ok && reshapes[a.Attr] {
			return p.madeOnHost(a.Value)
		}
	case *pysrc.Name:
		value := p.Module.SaidLast(e)
		if value == nil || p.usedBetween(e.ID, value.Bounds().End, e) {
			return nil
		}
		return p.madeOnHost(value)
	}
	return nil
}

// reshapes are the methods that give a tensor another shape or type, where it is.
var reshapes = setOfNames("long", "float", "int", "bool", "double", "half", "type", "unsqueeze", "squeeze", "view", "reshape",
	"expand", "expand_as", "repeat", "transpose", "t", "permute", "contiguous", "tril", "triu", "flip", "requires_grad_")

// usedBetween reports a variable that is read or written to behind an offset and before a use of it.
func (p *SourcePass) usedBetween(name string, from int32, at *pysrc.Name) bool {
	found := false
	var body pysrc.Node = p.Module.File.Module
	if fn := p.Function(at); fn.Def != nil {
		body = fn.Def
	}
	pysrc.Inspect(body, func(n pysrc.Node) bool {
		if x, ok := n.(*pysrc.Name); ok && x.ID == name && x != at && x.Start >= from && x.Start < at.Start && x.Ctx == pysrc.Load {
			found = true
		}
		return !found
	})
	return found
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
