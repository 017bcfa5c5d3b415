package rule

import (
	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// manualPin finds batches that the training loop itself copies to pinned memory first.
var manualPin = Rule{
	Code: "SAT204", Name: "manual-pin", Severity: Warning,
	Areas: []Area{TransferArea, HostArea}, NeedsGPU: true,
	Title:  "the training loop pins memory before each copy",
	What:   "x.pin_memory().to(device) or x.pin_memory().cuda() in a training step.",
	Why:    "Pinning copies into page-locked memory, and allocates it where sizes vary, while the host waits; where the host then waits for the copy to the GPU too, both together take longer than a plain copy.",
	Fine:   "Pinning in another thread, ahead of the step that needs it. With non_blocking=True, small batches of one size: the host copies them quickly and goes on, while from pageable memory it would wait for the kernels that are queued (SAT311).",
	Gain:   Range{1, 1.1, "the copy itself: up to twice as slow as a plain one (PyTorch tutorial on pin_memory and non_blocking)"},
	Bad:    "x = x.pin_memory().to(device)",
	Good:   "x = x.to(device)  # or DataLoader(…, pin_memory=True), which pins in a thread of its own",
	Safety: Safe,
	Source: func(p *SourcePass) {
		pinned := map[pysrc.Stmt][]patch.Edit{}
		reports := map[pysrc.Stmt]*Report{}
		goesOn := map[pysrc.Stmt]bool{} // the host does not wait for the copy, and would without pinning
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
			if later := move.Arg("non_blocking"); later.Given() && !later.IsFalse() {
				goesOn[stmt] = true
			}
			pinned[stmt] = append(pinned[stmt], p.Replace(pin, p.Text(tensor.Value)))
		}
		for stmt, r := range reports {
			if goesOn[stmt] {
				r.At(Advice).Advising("Let DataLoader(…, pin_memory=True), or a thread of your own, pin ahead of the step. To drop the pinning alone may cost more: from pageable memory the copy waits for the kernels that are queued.")
				r.finding.Confidence = round(perhaps * r.finding.Confidence)
				continue
			}
			r.Fix(Safe, "copy without pinning first", pinned[stmt]...)
		}
	},
}
