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
	What:  "x.pin_memory().to(device) or x.pin_memory().cuda() in a training step.",
	Why: "Pinning copies into page-locked memory, and allocates it if sizes vary, while the host waits. If the " +
		"copy to the GPU also blocks, both together take longer than a plain copy.",
	Fine: "Pinning in another thread, ahead of the step. Small batches of one size with non_blocking=True: the " +
		"host copies them quickly and continues, while a copy from pageable memory waits for queued kernels (SAT311).",
	Gain:   Range{1, 1.1, "the copy itself: up to twice as slow as a plain one (PyTorch tutorial on pin_memory and non_blocking)"},
	Bad:    "x = x.pin_memory().to(device)",
	Good:   "x = x.to(device)  # or DataLoader(…, pin_memory=True), which pins in its own thread",
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
				r.At(Advice).Advising("Use DataLoader(…, pin_memory=True), or pin ahead of the step in your own thread. Removing only the pinning can be slower: a copy from pageable memory waits for queued kernels.")
				r.finding.Confidence = round(perhaps * r.finding.Confidence)
				continue
			}
			r.Fix(Safe, "copy without pinning first", pinned[stmt]...)
		}
	},
}
