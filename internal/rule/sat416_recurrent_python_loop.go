package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// recurrentPythonLoop finds recurrent cells that Python steps through time.
var recurrentPythonLoop = Rule{
	Code: "SAT416", Name: "recurrent-python-loop", Severity: Warning, Subject: AboutKernels,
	Areas: []Area{ComputeArea},
	Title: "a recurrent cell runs in a Python loop over time",
	What: "nn.LSTMCell, GRUCell or RNNCell called in a for loop over time, where no input depends on the " +
		"previous output. With severity advice: a module of the project that runs once for each frame, on its own state.",
	Why: "Each time step launches several small kernels from Python. nn.LSTM runs the whole sequence in one " +
		"cuDNN call that batches the input products.",
	Fine:   "Cells that take their own output as input. Customized cells. Sequences of a few frames.",
	Advice: "Use nn.LSTM or nn.GRU over the whole sequence. The weights of a cell fit a layer of the same sizes.",
	Bad:    "for t in range(x.size(1)):\n    h, c = self.cell(x[:, t], (h, c))",
	Good:   "out, (h, c) = self.lstm(x)",
	Source: func(p *SourcePass) {
		p.frameLoops()
		for _, s := range p.Module.Sites {
			if s.Calls.Kind != project.Instance ||
				!s.Calls.IsInstance("torch.nn.LSTMCell", "torch.nn.GRUCell", "torch.nn.RNNCell") {
				continue
			}
			call := Call{s, p}
			loop, ok := p.LoopAround(call).(*pysrc.For)
			input := firstArg(s.Node)
			if !ok || input == nil || p.isTrainingLoop(loop) || !usesTarget(input, loop) || setIn(input, loop) ||
				p.EvaluationOnly(call) {
				continue
			}
			if way, ok := p.EachStep(call); ok {
				p.Report(call.Callee(), way.Sure*nearlyCertain).Because(way)
			}
		}
	},
}

// usesTarget reports an expression that reads the variable of a loop.
func usesTarget(e pysrc.Expr, loop *pysrc.For) bool {
	found := false
	pysrc.Inspect(loop.Target, func(n pysrc.Node) bool {
		if name, ok := n.(*pysrc.Name); ok {
			found = found || mentionsName(e, name.ID)
		}
		return true
	})
	return found
}

// setIn reports an expression that reads a name which the body of a loop sets.
func setIn(e pysrc.Expr, loop *pysrc.For) bool {
	found := false
	for _, s := range loop.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			if name, ok := n.(*pysrc.Name); ok && name.Ctx == pysrc.Store && mentionsName(e, name.ID) {
				found = true
			}
			return !found
		})
	}
	return found
}
