package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// printTensorInLoop finds tensors that are printed or logged in every step.
var printTensorInLoop = Rule{
	Code: "SAT302", Name: "print-tensor-in-loop", Severity: Warning, Subject: AboutWaits,
	Areas: []Area{HostArea}, NeedsGPU: true,
	Asks:  [][]string{{"sync=scalar"}},
	Title: "a tensor is printed in every step",
	What: "print(…) or a logger call that shows a GPU tensor, or a text made of one, in a training step and not behind " +
		"a condition such as step % 100 == 0.",
	Why: "To show a value, the host waits until every queued kernel has run. The GPU then idles while the host " +
		"fills the queue again.",
	Fine:   "Training on the CPU. A branch that is rarely taken. Debugging.",
	Advice: "Print only every N steps.",
	Gain:   Range{1.0, 1.2, "as for .item(): 1.18× in fairchem, under 1% in LANfactory"},
	Bad:    "for step, batch in enumerate(loader):\n    …\n    print(f\"loss {loss}\")",
	Good:   "for step, batch in enumerate(loader):\n    …\n    if step % 100 == 0:\n        print(f\"loss {loss}\")",
	Safety: Safe, AtWorst: Unsafe, Waits: true,
	Source: func(p *SourcePass) {
		if !p.Module.InStep() {
			return
		}
		for _, call := range p.printing() {
			path, ok := p.EachStep(call)
			if !ok {
				continue
			}
			shown := p.Shown(call)
			if len(shown) == 0 || p.testedAbove(shown[0]) {
				continue
			}
			r := p.Report(shown[0], path.Sure*p.OnDevice(shown[0])).Because(path).
				Saying("%s is printed in every step, which waits for the GPU", p.Short(shown[0]))
			if call.Node.Span.Contains(int(shown[0].Bounds().Start)) { // and not in a text that was made before
				p.onlyEvery(r, Safe, call, 100)
			}
		}
		p.formatted()
		p.writtenTexts()
	},
}

// formatted reports tensors that a step turns into text, whoever shows it: bar.suffix = "{:.3f}".format(loss).
func (p *SourcePass) formatted() {
	said := p.shownEachStep()
	for _, s := range p.Module.Sites {
		if !p.mayStep(s) {
			continue
		}
		text := p.textIn(s)
		if text == nil || slices.ContainsFunc(said, func(c Call) bool { return c.Node.Span.Contains(int(text.Bounds().Start)) }) {
			continue
		}
		path, ok := p.EachStep(Call{s, p})
		if !ok {
			continue
		}
		if shown := p.shownIn(text, nil); len(shown) > 0 && !p.testedAbove(shown[0]) {
			p.Report(shown[0], path.Sure*p.OnDevice(shown[0])).Because(path).
				Saying("%s is turned into text in every step, which waits for the GPU", p.Short(shown[0]))
		}
	}
}

// writtenTexts reports texts that a step makes of tensors in a statement of its own: message = f"{loss}", return "%f" % loss.
func (p *SourcePass) writtenTexts() {
	text := func(e pysrc.Expr) {
		shown := p.shownIn(e, nil)
		if len(shown) == 0 {
			return
		}
		if path, ok := p.EachStep(e); ok {
			p.Report(shown[0], path.Sure*p.OnDevice(shown[0])).Because(path).
				Saying("%s is turned into text in every step, which waits for the GPU", p.Short(shown[0]))
		}
	}
	if !p.runsOnGPU() {
		return
	}
	said := p.shownEachStep()
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		a, ok := n.(*pysrc.Assign)
		if ok && makesText(a.Value) && p.mayStep(a.Value) && !slices.ContainsFunc(said, func(c Call) bool { return mentions(c.Node, rootName(a.Targets[0])) }) { // which is said there
			text(a.Value)
		}
		return true
	})
	for _, fn := range p.Module.Functions {
		for _, r := range fn.Returns() {
			if makesText(r) && p.mayStep(r) {
				text(r)
			}
		}
	}
}

// shownEachStep are the calls of each step that show what they get. One behind a condition leaves the text to be made in each step.
func (p *SourcePass) shownEachStep() (list []Call) {
	for _, c := range append(p.printing(), p.MethodCalls(barMethods...)...) {
		if _, ok := p.EachStep(c); ok {
			list = append(list, c)
		}
	}
	return list
}

// makesText reports an f-string, or a text that is filled in with %.
func makesText(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.JoinedStr:
		return true
	case *pysrc.BinOp:
		return x.Op == pysrc.Mod && isText(x.Left)
	}
	return false
}

// textIn is the text that a call makes, or that it is given: "…".format(x), str(x), or f"{x}" and "%f" % x among its arguments.
func (p *SourcePass) textIn(s *project.Site) pysrc.Expr {
	if a, ok := s.Node.Func.(*pysrc.Attribute); ok && a.Attr == "format" && isText(a.Value) || isNamed(s.Node.Func, "str") {
		return s.Node
	}
	for _, given := range s.Node.Args {
		switch x := given.(type) {
		case *pysrc.JoinedStr:
			return x
		case *pysrc.BinOp:
			if isText(x) {
				return x
			}
		}
	}
	return nil
}

// isLogger reports a logger of logging or loguru; one that comes from elsewhere is known by its name.
func (p *SourcePass) isLogger(e pysrc.Expr) bool {
	name := p.NameOf(e)
	return strings.HasPrefix(name, "logging.") || strings.HasPrefix(name, "loguru.") || project.HasWord(lastName(e), loggerWords...)
}

// printing returns the calls that print or log.
func (p *SourcePass) printing() []Call {
	list := p.CallsTo("print", "tqdm.tqdm.write", "pprint.pprint", "logging.info", "logging.warning", "logging.error",
		"logging.log")
	for _, c := range p.MethodCalls("info", "warning", "error", "critical") {
		if p.isLogger(c.Receiver()) {
			list = append(list, c)
		}
	}
	return inOrder(list)
}
