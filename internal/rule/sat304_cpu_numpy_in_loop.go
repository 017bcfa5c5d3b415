package rule

import (
	"bytes"
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// cpuNumpyInLoop finds tensors that are brought to the host in every step.
var cpuNumpyInLoop = Rule{
	Code: "SAT304", Name: "cpu-numpy-in-loop", Severity: Warning, Subject: AboutWaits,
	Areas: []Area{HostArea},
	Asks:  [][]string{{"sync=result"}},
	Title: "a tensor is copied to the host in every step",
	What: ".cpu() or .to(\"cpu\") on a tensor that the model computed, in a training step and not behind a condition. " +
		"In the loop of an evaluation, all scores copied for np.argmax.",
	Why: "A copy to the host waits until every queued kernel has run, so the launch queue runs empty. Metrics " +
		"computed on the host then add to the step.",
	Fine:   "A loss or an assignment problem that only the host can compute. Training on the CPU.",
	Advice: "Keep sums and predictions on the GPU. Move them once after the loop or every N steps.",
	Bad:    "for x, y in loader:\n    …\n    predictions += out.argmax(-1).cpu().tolist()",
	Good: "for x, y in loader:\n    …\n    predictions.append(out.argmax(-1))\npredictions = " +
		"torch.cat(predictions).tolist()",
	Safety: Safe, AtWorst: Unsafe, OneWait: true,
	Source: func(p *SourcePass) {
		p.weightsToHost()
		p.argmaxOnHost()
		defer p.storesOnHost() // after what waits for more
		for _, call := range p.MethodCalls("cpu", "to") {
			if !p.mayStep(call) || call.Method() == "to" && !toHost(call.Node) || call.Method() == "cpu" && len(call.Node.Args) > 0 {
				continue
			}
			tensor := call.Receiver()
			sure := p.OnDevice(tensor)
			if bytes.HasPrefix(p.Module.Text[call.Node.End:], []byte(".numpy()")) && !p.asLoaded(tensor) {
				sure = max(sure, likely) // nobody fetches what is not on the device
			}
			_, computed := tensor.(*pysrc.Call)
			if class := p.Class(call); computed && class != nil && class.Derives("torch.nn.Module") && call.Method() == "cpu" {
				sure = max(sure, likely) // what a model computes
			}
			if sure < likely || p.isModel(tensor) || p.asksForWeights(call) || p.inProgressBar(call) || p.Module.Says("distributed.rpc") {
				continue
			}
			path, ok := p.EachStep(call)
			if !ok || path.Kind == project.Forward && sure < nearlyCertain {
				continue
			}
			acts := p.acts(call)
			if acts && !p.actsOnOne(call) {
				continue
			}
			r := p.Report(call, sure*path.Sure).Because(path).
				Saying("%s copies to the host and waits for the GPU in every step", p.Short(call))
			p.becauseGiven(r, call, tensor)
			p.moveTableOnce(r, call)
			p.keepCopiedSum(r, call)
			if acts {
				r.sayActing()
				continue
			}
			if p.forPacking(call) {
				r.Advising("Keep a copy of the lengths on the host, from before the batch was copied: packing needs them there.")
			}
			if p.solvesOnHost(call) {
				r.At(Advice).Saying("%s copies to the host in every step for a solver that runs there", p.Short(call)).
					Advising("Use a solver that runs on the GPU (assignment and monotonic alignment have one), or solve in another " +
						"thread while the GPU continues.")
			}
		}
	},
}

// argmaxOnHost reports scores that the loop of an evaluation copies whole to the host, where NumPy takes their argmax.
func (p *SourcePass) argmaxOnHost() {
	if !p.runsOnGPU() || !p.Project.Starts(p.Module) {
		return
	}
	for _, c := range p.CallsTo("numpy.argmax") {
		axis := c.Node.Keyword("axis")
		if p.LoopAround(c) == nil || len(c.Node.Args) == 0 || len(c.Node.Args) == 1 && axis == nil {
			continue // an argmax over everything is of one list
		}
		copied := p.copiedScores(p.onceSaid(c.Node.Args[0]))
		if copied == nil || p.LoopAround(copied) != p.LoopAround(c) {
			continue
		}
		if _, hot := p.EachStep(copied); !hot { // which is said below
			p.Report(copied, likely*p.GPU()).At(Advice).
				Saying("%s copies every score to the host for an argmax", p.Short(copied)).
				Advising("Take the argmax on the GPU and copy only the classes: scores.argmax(dim).cpu().")
		}
	}
}

// copiedScores is the copy to the host in scores.cpu().numpy(); nil otherwise.
func (p *SourcePass) copiedScores(e pysrc.Expr) *pysrc.Call {
	for range 4 {
		c, ok := e.(*pysrc.Call)
		if !ok {
			return nil
		}
		method, ok := c.Func.(*pysrc.Attribute)
		if !ok || len(c.Args) > 0 {
			return nil
		}
		if method.Attr == "cpu" {
			return c // nobody fetches what is not on the device
		}
		e = method.Value
	}
	return nil
}

// toHost reports x.to("cpu") and x.to(device=torch.device("cpu")).
func toHost(c *pysrc.Call) bool {
	if k := c.Keyword("device"); k != nil && namesHost(k.Value) {
		return true
	}
	return slices.ContainsFunc(c.Args, namesHost)
}

func namesHost(e pysrc.Expr) bool {
	if c, ok := e.(*pysrc.Call); ok && lastName(c.Func) == "device" {
		e = firstArg(c)
	}
	text, _ := pysrc.StringValue(e)
	return text == "cpu"
}

// asLoaded reports a part of a batch as a loader gives it, on the host: labels.detach() of for images, labels in loader.
func (p *SourcePass) asLoaded(e pysrc.Expr) bool {
	name := project.RootName(e)
	return name != nil && p.eval.FromLoader(p.Module, name)
}

// solvesOnHost reports a copy whose function hands it to a solver that only the host has.
func (p *SourcePass) solvesOnHost(c Call) bool {
	for _, s := range c.Func.Sites {
		switch lastName(s.Node.Func) {
		case "linear_sum_assignment", "lap", "lapjv", "maximum_path_c", "pesq", "stoi":
			return true
		}
	}
	return false
}

// asksForWeights reports x.cpu().parameters() and its like: x is a model.
func (p *SourcePass) asksForWeights(c Call) bool {
	rest := p.Module.Text[c.Node.End:]
	for _, method := range []string{".parameters", ".named_parameters", ".state_dict", ".eval", ".train", ".save"} {
		if bytes.HasPrefix(rest, []byte(method)) {
			return true
		}
	}
	return false
}
