package rule

import (
	"slices"

	"saturate/internal/project"
)

// tqdmPostfixSync finds progress bars that show the loss of every step.
var tqdmPostfixSync = Rule{
	Code: "SAT303", Name: "tqdm-postfix-sync", Severity: Warning, Subject: AboutWaits,
	Areas: []Area{HostArea}, NeedsGPU: true,
	Asks:  [][]string{{"sync=scalar"}},
	Title: "the progress bar reads a value back from the GPU in every step",
	What: "set_postfix, set_description or a similar method of a progress bar, called in every training step with a " +
		"GPU tensor or its .item(). self.log(…, prog_bar=True) in a Lightning step: its bar reads the value in every " +
		"step.",
	Why: "The bar redraws at most ten times a second, but the value is read in every step, and each read waits " +
		"for every queued kernel.",
	Fine: "Training on the CPU. Steps so long that one wait is negligible. refresh=False does not help: it only " +
		"skips drawing.",
	Advice: "Update the bar only every N steps.",
	Gain:   Range{1.0, 1.1, "5 to 10% in fvdb-reality-capture"},
	Bad:    "for step, batch in enumerate(bar):\n    …\n    bar.set_postfix(loss=loss.item())",
	Good: "for step, batch in enumerate(bar):\n    …\n    if step % 20 == 0:\n        " +
		"bar.set_postfix(loss=loss.item())",
	Safety: Unsafe, OneWait: true,
	Source: func(p *SourcePass) {
		for _, call := range p.MethodCalls(barMethods...) {
			path, ok := p.EachStep(call)
			if !ok {
				continue
			}
			shown := p.Shown(call)
			for _, read := range p.readsBack() {
				if call.Node.Span.Contains(int(read.Node.Start)) && p.isOnDevice(read.tensor) {
					shown = append(shown, read.tensor)
				}
			}
			if len(shown) == 0 {
				continue
			}
			r := p.Report(call.Callee(), path.Sure*p.OnDevice(shown[0])).Because(path).
				Saying("the progress bar reads %s back from the GPU in every step", p.Short(shown[0]))
			p.onlyEvery(r, Unsafe, call, 20)
		}
		p.lightningBar()
	},
}

// lightningBar reports the values that a training step of Lightning logs to the progress bar, one finding for each
// function: the bar reads them whenever it is drawn, which is in every step unless it is told otherwise.
func (p *SourcePass) lightningBar() {
	said := map[*project.Function]*Report{}
	for _, c := range p.MethodCalls("log", "log_dict") {
		shown, class := c.Arg("prog_bar"), p.Class(c)
		if !shown.IsTrue() || c.Arg("on_step").IsFalse() || class == nil || len(c.Node.Args) == 0 ||
			!class.Derives("lightning.pytorch.LightningModule") || rootName(c.Receiver()) != c.Func.Self() {
			continue
		}
		way, ok := p.EachStep(c)
		if !ok || p.OnDevice(c.Node.Args[len(c.Node.Args)-1]) < perhaps || p.barRefreshes() {
			continue
		}
		if r := said[c.Func]; r != nil {
			r.Too(p.At(c, "and here"))
			continue
		}
		advice := "Draw the bar less often: Trainer(callbacks=[TQDMProgressBar(refresh_rate=50)])."
		if p.lightningAtLeast("1.5") == project.No {
			advice = "Log it with prog_bar=False: before Lightning 1.5, it is read in every step, however often the bar is drawn."
		}
		said[c.Func] = p.Report(c.Callee(), likely*way.Sure).Because(way).
			Saying("the progress bar reads %s back from the GPU in every step", p.Short(c.Node.Args[len(c.Node.Args)-1])).
			Advising("%s", advice)
	}
}

// barRefreshes reports a program that says how often its progress bar is drawn, or has none.
func (p *SourcePass) barRefreshes() bool {
	return slices.ContainsFunc(p.Project.Modules, func(m *project.Module) bool {
		return m.Says("refresh_rate") || m.Says("enable_progress_bar")
	})
}
