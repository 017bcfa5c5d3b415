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
	What: "torch.zeros, ones, full, arange, eye, linspace, rand or similar, or a tensor computed from them, followed " +
		"by .to(device) or .cuda() or used to index a GPU tensor, in every training step. An array that a model computes " +
		"with NumPy, or reads from a list, and then copies. Also torch.tensor(1.0, device=device), which creates the " +
		"tensor on the host first. Also a table that an object, a module or a variable from before the loop keeps on the host: self.betas.to(x.device); and jnp.asarray of what " +
		"NumPy draws in a training loop of JAX.",
	Why: "The host allocates and fills the tensor, then waits for a copy from pageable memory. device= fills it " +
		"on the GPU with one kernel.",
	Fine:   "Random numbers that must come from the CPU generator. Training on the CPU.",
	Bad:    "positions = torch.arange(x.size(1)).to(x.device)",
	Good:   "positions = torch.arange(x.size(1), device=x.device)",
	Safety: Safe, AtWorst: Unsafe,
	Source: func(p *SourcePass) {
		type cause struct {
			in   *project.Function
			what string
		}
		said := map[cause]*Report{} // a line that is written again and again is one finding
		for _, c := range p.MethodCalls("to", "cuda", "type_as", "type") {
			if !p.mayStep(c) {
				continue
			}
			made, through := p.madeOnHost(c.Receiver()), false
			if made == nil {
				made, through = p.computedOnHost(c.Receiver()), true
			}
			if made == nil {
				continue
			}
			device, plain := targetDevice(c.Node)
			if c.Method() == "type" {
				device, plain = p.ofType(device), false
			}
			if c.Method() != "cuda" && !p.anyDevice(device) && (device == nil || !p.isOnDevice(device)) {
				continue
			}
			path, ok := p.EachStep(c)
			if !ok || p.keptOnTheWay(path, c) || p.createdOnGPU(made, path) {
				continue
			}
			safety := Safe
			if name := lastName(made.Func); strings.HasPrefix(name, "rand") || strings.HasSuffix(name, "_window") ||
				strings.HasSuffix(name, "space") {
				safety = Unsafe // another generator gives other numbers, another device other last digits
			}
			_, hidden := made.Unpacks()
			var edits []patch.Edit
			if !hidden && !through && plain && !boundToHost(made) && (device == nil || p.anyDevice(device)) && p.takesDevice(made) {
				var how computed
				if how, edits = p.makeThere(c, made, device); how == rounded {
					safety = Unsafe
				}
			}
			same := cause{c.Func, p.Text(made)}
			few := p.besideWaits(c.Receiver())
			if r := said[same]; r != nil && (len(edits) > 0) == (len(r.finding.Fixes) > 0) {
				r.Too(p.At(c, "and here")).also(few)
				if len(edits) > 0 {
					r.finding.Fixes[0].Edits = append(r.finding.Fixes[0].Edits, edits...)
				}
				continue
			}
			r := p.Report(c, path.Sure).Because(path).Beside(few)
			if c.Receiver() != pysrc.Expr(made) {
				r.Because(p.At(made, "created here"))
			}
			if at := p.madeIn(made); at != nil {
				r.Because(*at)
			}
			said[same] = r.Saying("%s is created on the host and copied in every step", p.Short(made)).
				Fix(safety, "create it on the GPU", edits...)
		}
		p.hostIndexes()
		p.hostPartsStored()
		p.hostArrays()
		p.keptCopies()
		p.drawnForJAX()
		p.listsForJAX()
	},
}

// ofType is the tensor whose type a cast asks for, and with it the device: y of x.type(y.type()). It is nil for other casts.
func (p *SourcePass) ofType(e pysrc.Expr) pysrc.Expr {
	c, ok := e.(*pysrc.Call)
	if !ok || len(c.Args) > 0 || lastName(c.Func) != "type" {
		return nil
	}
	of, ok := c.Func.(*pysrc.Attribute)
	if !ok {
		return nil
	}
	return of.Value
}

// anyDevice reports a device, also that of another tensor.
func (p *SourcePass) anyDevice(e pysrc.Expr) bool {
	if a, ok := e.(*pysrc.Attribute); ok && a.Attr == "device" {
		return true
	}
	return e != nil && p.deviceArgument(e)
}

// fillNumber gives the edits that make torch.full((), 1.0) of torch.tensor(1.0).
func (p *SourcePass) fillNumber(made *pysrc.Call) []patch.Edit {
	name, ok := made.Func.(*pysrc.Attribute)
	if !ok || p.NameOf(made.Func) != "torch.tensor" {
		return nil
	}
	at := made.Args[0].Bounds().Start
	return []patch.Edit{
		p.Module.Edit(name.Span, p.Text(name.Value)+".full"),
		p.Module.Edit(pysrc.Span{Start: at, End: at}, "(), "),
	}
}
