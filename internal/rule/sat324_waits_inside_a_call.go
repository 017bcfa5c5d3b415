package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// waitsInsideACall finds functions of torch that read values of the GPU back on their own, in every step.
var waitsInsideACall = Rule{
	Code: "SAT324", Name: "waits-inside-a-call", Severity: Advice, Subject: AboutWaits, Once: true,
	Areas: []Area{HostArea},
	Asks:  [][]string{{"sync=scalar"}},
	Title: "a torch function reads a value back from the GPU in every step",
	What: "In every training step, on GPU tensors: torch.distributions that check their arguments, CTCLoss with lengths " +
		"on the GPU, one_hot without num_classes, bincount, torch.equal, torch.allclose, and torch.linalg functions that check for errors.",
	Why: "Each of these looks at values on the host before it returns: whether arguments are valid, how long the result " +
		"is, whether a matrix is singular. The host waits until every queued kernel has run.",
	Fine:   "Steps so long that one wait is negligible. While arguments may still be invalid: the check reports it.",
	Advice: "Pass the function the value it would read from the GPU, or turn its check off.",
	Bad:    "policy = torch.distributions.Normal(mean, std)",
	Good:   "policy = torch.distributions.Normal(mean, std, validate_args=False)",
	Safety: Safe,
	Source: func(p *SourcePass) {
		said := map[*project.Function]*Report{}
		report := func(c Call, sure float64, why, advice string) *Report {
			if sure < likely {
				return nil
			}
			way, ok := p.EachStep(c)
			if !ok {
				return nil
			}
			if r := said[c.Func]; r != nil {
				r.Because(p.At(c, p.Short(c.Callee())+" waits, too"))
				r.finding.Fixes = nil // the other call still waits
				return nil
			}
			said[c.Func] = p.Report(c, sure*way.Sure).Because(way).
				Saying("%s waits for the GPU in every step: %s", p.Short(c.Callee()), why).Advising("%s", advice)
			return said[c.Func]
		}
		p.checkedDistributions(report)
		p.ctcLengths(report)
		p.packedLengths(report)
		p.comparedMasks(report)
		for _, c := range p.CallsTo("torch.nn.functional.one_hot") {
			if len(c.Node.Args) == 1 && c.Node.Keyword("num_classes") == nil {
				report(c, p.OnDevice(c.Node.Args[0]), "it looks for the largest class", "Pass num_classes.")
			}
		}
		for _, c := range p.CallsTo("torch.bincount") {
			report(c, p.firstOnDevice(c), "the largest value decides how long the result is",
				"Count into a tensor of known length: torch.zeros(n, device=x.device).scatter_add_(0, x, ones).")
		}
		for _, c := range p.CallsTo("torch.equal", "torch.allclose") {
			report(c, p.firstOnDevice(c), "it returns a Python bool", "Leave it out of the step, or keep the answer on the GPU: (a == b).all().")
		}
		for _, c := range p.CallsTo("torch.linalg.inv", "torch.linalg.cholesky", "torch.linalg.solve", "torch.linalg.svd", "torch.linalg.eigh",
			"torch.linalg.eig", "torch.linalg.lstsq", "torch.linalg.pinv", "torch.inverse", "torch.cholesky", "torch.svd") {
			report(c, p.firstOnDevice(c), "it checks for errors",
				"Use the variant that leaves the check to you, if one exists (torch.linalg.inv_ex, cholesky_ex, solve_ex).")
		}
	},
}

// checkedClasses are the distributions that compare each argument with what it may be.
var checkedClasses = []string{
	"torch.distributions.Normal", "torch.distributions.Categorical", "torch.distributions.Bernoulli", "torch.distributions.Beta",
	"torch.distributions.Gamma", "torch.distributions.Laplace", "torch.distributions.MultivariateNormal", "torch.distributions.Uniform",
	"torch.distributions.Dirichlet", "torch.distributions.Exponential", "torch.distributions.LogNormal", "torch.distributions.Poisson",
	"torch.distributions.OneHotCategorical", "torch.distributions.Multinomial", "torch.distributions.StudentT", "torch.distributions.Cauchy",
}

// checkedDistributions reports distributions of GPU tensors that check their arguments.
func (p *SourcePass) checkedDistributions(report func(Call, float64, string, string) *Report) {
	if p.Project.UsedWith(p.Module, "torch.distributions.Distribution.set_default_validate_args") {
		return
	}
	for _, c := range p.Constructions(checkedClasses...) {
		if k := c.Node.Keyword("validate_args"); k != nil {
			continue
		}
		report(c, p.mostOnDevice(c.Node), "it checks its arguments, and each value in log_prob",
			"Pass validate_args=False once the program works, or call torch.distributions.Distribution.set_default_validate_args(False).")
	}
}

// firstOnDevice is the confidence that the first argument of a call lies on the device.
func (p *SourcePass) firstOnDevice(c Call) float64 {
	if x := firstArg(c.Node); x != nil {
		return p.OnDevice(x)
	}
	return 0
}

// mostOnDevice is the greatest confidence that an argument of a call lies on the device.
func (p *SourcePass) mostOnDevice(c *pysrc.Call) float64 {
	sure := 0.0
	for _, a := range c.Args {
		sure = max(sure, p.OnDevice(a))
	}
	for _, k := range c.Keywords {
		sure = max(sure, p.OnDevice(k.Value))
	}
	return sure
}

// ctcLengths reports a CTC loss whose lengths lie on the GPU: it needs them on the host.
func (p *SourcePass) ctcLengths(report func(Call, float64, string, string) *Report) {
	for _, s := range p.Module.Sites {
		if !isCTC(s) {
			continue
		}
		sure, onGPU := 0.0, []pysrc.Expr(nil)
		for i, name := range [...]string{"input_lengths", "target_lengths"} {
			if e := s.ArgumentNode(name, i+2); e != nil {
				sure = max(sure, p.OnDevice(e))
				if p.OnDevice(e) > 0 {
					onGPU = append(onGPU, e)
				}
			}
		}
		if sure < likely {
			continue
		}
		edits, onHost := p.leaveOnHost(onGPU)
		if onHost { // though a model gives them back
			continue
		}
		if r := report(p.CallAt(s.Node), sure, "it needs the lengths on the host, but they are on the GPU",
			"Keep the lengths on the CPU: the loss accepts them there."); r != nil {
			r.Fix(Safe, "leave the lengths on the host", edits...)
		}
	}
}

// packedLengths reports sequences that are packed by lengths on the GPU. Later versions of torch refuse them.
func (p *SourcePass) packedLengths(report func(Call, float64, string, string) *Report) {
	if p.AtLeast("torch", "1.7") == project.Yes {
		return
	}
	for _, c := range p.CallsTo("torch.nn.utils.rnn.pack_padded_sequence") {
		if lengths := c.ArgumentNode("lengths", 1); lengths != nil {
			report(c, p.OnDevice(lengths), "it copies the lengths to the host (since torch 1.7 it refuses them on the GPU)",
				"Leave the lengths on the CPU: the loader has them there.")
		}
	}
}

// comparedMasks reports encoders and decoders of torch that are given a mask and are not told whether it is causal: they
// compare it with a causal one.
func (p *SourcePass) comparedMasks(report func(Call, float64, string, string) *Report) {
	for _, s := range p.Module.Sites {
		if s.Calls.Kind != project.Instance {
			continue
		}
		mask, told, at := "", "", 1
		switch {
		case s.Calls.IsInstance("torch.nn.TransformerEncoder"):
			mask, told = "mask", "is_causal"
		case s.Calls.IsInstance("torch.nn.TransformerDecoder"):
			mask, told, at = "tgt_mask", "tgt_is_causal", 2
		default:
			continue
		}
		given := s.ArgumentNode(mask, at)
		if given == nil || pysrc.IsConst(given, pysrc.None) || s.Node.Keyword(told) != nil {
			continue
		}
		report(p.CallAt(s.Node), max(likely*p.GPU(), p.OnDevice(given)), "it compares the mask with a causal one", "Pass "+told+"=True or False.")
	}
}
