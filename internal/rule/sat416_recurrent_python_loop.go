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
			if over, below := p.overLayers(loop, input); below {
				loop, input = over, firstSaid(input, over)
			}
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

// overLayers is the loop over time around one that goes over the cells of several layers, each of which takes what the
// one below gives.
func (p *SourcePass) overLayers(loop *pysrc.For, input pysrc.Expr) (over *pysrc.For, below bool) {
	name, ok := input.(*pysrc.Name)
	if loop == nil || !ok || !callsTarget(loop) || !setIn(name, loop) {
		return nil, false
	}
	over, ok = p.LoopAround(loop).(*pysrc.For)
	return over, ok && over != nil
}

// firstSaid is what the body of a loop sets a variable to first: the frame that the lowest layer takes. It is nil where
// the body does not begin with that.
func firstSaid(input pysrc.Expr, loop *pysrc.For) pysrc.Expr {
	for _, s := range loop.Body {
		if a, ok := s.(*pysrc.Assign); ok && len(a.Targets) == 1 && isNamed(a.Targets[0], input.(*pysrc.Name).ID) {
			return a.Value
		}
	}
	return nil
}
