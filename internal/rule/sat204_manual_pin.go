package rule

import (
	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// manualPin finds batches that the training loop itself copies to pinned memory first.
var manualPin = Rule{
	Code: "SAT204", Name: "manual-pin", Severity: Warning, Subject: AboutCopies,
	Areas: []Area{TransferArea, HostArea}, NeedsGPU: true,
	Title: "the training loop pins memory before each copy",
	What:  "x.pin_memory().to(device) or x.pin_memory().cuda() in a training step, without non_blocking=True.",
	Why: "Pinning copies into page-locked memory, and allocates it if sizes vary, while the host waits. If the " +
		"copy to the GPU also blocks, both together take longer than a plain copy.",
	Fine: "Pinning in another thread, ahead of the step. non_blocking=True: the host copies the batch quickly and continues, " +
		"while a copy from pageable memory waits for queued kernels (SAT311).",
	Gain:   Range{1, 1.1, "the copy itself: up to twice as slow as a plain one (PyTorch tutorial on pin_memory and non_blocking)"},
	Bad:    "x = x.pin_memory().to(device)",
	Good:   "x = x.to(device)  # or DataLoader(…, pin_memory=True), which pins in its own thread",
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
			if later := move.Arg("non_blocking"); later.Given() && !later.IsFalse() {
				continue // the host goes on, and would not without pinning
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
