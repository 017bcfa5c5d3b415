package rule

import (
	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// manualPin finds batches that the training loop itself copies to pinned memory first.
var manualPin = Rule{
	Code: "SAT204", Name: "manual-pin", Severity: Warning,
	Title:  "the training loop pins memory before each copy",
	What:   "x.pin_memory().to(device) or x.pin_memory().cuda() in a training step.",
	Why:    "Pinning allocates page-locked memory and copies into it while the host waits; together with the copy to the GPU that takes longer than a plain copy.",
	Fine:   "Pinning in another thread, ahead of the step that needs it.",
	Gain:   Range{1, 1.1, "the copy itself: up to twice as slow as a plain one (PyTorch tutorial on pin_memory and non_blocking)"},
	Bad:    "x = x.pin_memory().to(device, non_blocking=True)",
	Good:   "x = x.to(device)  # or DataLoader(…, pin_memory=True), which pins in a thread of its own",
	Safety: Safe,
	Source: func(p *SourcePass) {
		pinned := map[pysrc.Stmt][]patch.Edit{}
		reports := map[pysrc.Stmt]*Report{}
		for _, move := range p.MethodCalls("to", "cuda") {
			pin, ok := move.Receiver().(*pysrc.Call)
			if !ok {
				continue
			}
			tensor, ok := pin.Func.(*pysrc.Attribute) // and not a function of that name
			if !ok || tensor.Attr != "pin_memory" {
				continue
			}
			path, each := p.EachStep(move)
			if !each {
				continue
			}
			stmt := p.Module.StatementAt(move.Node.Start) // x, y = x.pin_memory()…, y.pin_memory()… is one
			if reports[stmt] == nil {
				reports[stmt] = p.Report(move, path.Sure).Because(path)
			}
			pinned[stmt] = append(pinned[stmt], p.Replace(pin, p.Text(tensor.Value)))
		}
		for stmt, r := range reports {
			r.Fix(Safe, "copy without pinning first", pinned[stmt]...)
		}
	},
}
