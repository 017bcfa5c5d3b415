package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
)

// float64Training finds networks that are trained in double precision.
var float64Training = Rule{
	Code: "SAT423", Name: "float64-training", Severity: Warning, Subject: AboutPrecision,
	Areas: []Area{ComputeArea, TransferArea},
	Title: "the network is trained in float64",
	What: "torch.set_default_dtype(torch.float64), model.double(), model.to(torch.float64), layers with dtype=torch.float64 or " +
		"precision=64 of Lightning in a program that trains on a GPU; " +
		"in JAX, jax_enable_x64 or JAX_ENABLE_X64 in a program that trains a network. A dataset whose samples are float64, which " +
		"each step turns into float32; a step that turns logits or a target into float64 to compute the loss.",
	Why: "float64 moves twice the bytes of float32 and uses no TF32 or bfloat16 tensor cores: products take 8 times as long or " +
		"more on a data-centre GPU, and float64 runs at 1/32 to 1/64 of the float32 rate on others.",
	Fine:   "Solvers, Gaussian processes, physics and geometry that need the digits.",
	Advice: "Train in float32 or bfloat16. Cast only what needs float64.",
	Bad:    "torch.set_default_dtype(torch.float64)",
	Good:   "torch.set_default_dtype(torch.float32)",
	Settings: func(p *SettingsPass) {
		if p.EvaluationOnly() || p.Framework() != "lightning" {
			return
		}
		for _, s := range p.TrainerSettings("precision") {
			if v := s.Value(); v.Equals(64) || v.Equals("64") || v.Equals("64-true") {
				p.Report(s, project.Likely)
			}
		}
	},
	Source: func(p *SourcePass) {
		if p.Module.Role == project.Test || !p.trained() && p.trainingPlace() == nil || p.needsDigits() {
			return
		}
		if p.usesJAX() {
			p.doubleInJAX()
		}
		if !p.runsOnGPU() {
			return
		}
		p.doubleSamples()
		p.doubleTransforms()
		p.doubleInStep()
		for _, c := range append(p.doubleInTorch(), p.doubleLayers()...) {
			if p.Rare(c) == nil && !p.EvaluationOnly(c) {
				p.Report(c, likely*p.GPU()).Because(c.ArgAt(0))
			}
		}
		for _, c := range p.CallsTo("lightning.pytorch.Trainer") {
			if v := c.Arg("precision"); (v.Equals(64) || v.Equals("64") || v.Equals("64-true")) && !p.EvaluationOnly(c) {
				p.Report(c.Callee(), v.Confidence()*p.GPU()).Because(v)
			}
		}
	},
}

// doubleInTorch are the calls that make torch compute in float64: for all new tensors, or for one model.
func (p *SourcePass) doubleInTorch() (list []Call) {
	for _, c := range p.CallsTo("torch.set_default_dtype", "torch.set_default_tensor_type") {
		v := c.ArgAt(0)
		text, _ := v.Str()
		if isDouble(v.Name) || isDouble(text) {
			list = append(list, c)
		}
	}
	for _, c := range p.MethodCalls("double", "to", "type") {
		if c.Method() == "double" && len(c.Node.Args) > 0 || !p.isModel(c.Receiver()) || !p.leadsToTraining(p.Function(c)) {
			continue
		}
		to := c.Arg("dtype")
		if k := c.Node.Keyword("dtype"); k != nil {
			to = p.Eval(k.Value)
		} else if len(c.Node.Args) > 0 {
			to = p.Eval(c.Node.Args[len(c.Node.Args)-1])
		}
		if c.Method() == "double" || isDouble(to.Name) {
			list = append(list, c)
		}
	}
	return list
}

// doubleLayers are the first layers of each class that are made in float64: nn.Linear(8, 8, dtype=torch.float64).
func (p *SourcePass) doubleLayers() (list []Call) {
	said := map[*project.Function]bool{}
	for _, c := range p.Constructions("torch.nn.Module") {
		k := c.Node.Keyword("dtype")
		if k == nil || said[c.Func] || !strings.HasPrefix(c.Name(), "torch.nn.") || !isDouble(p.Eval(k.Value).Name) {
			continue
		}
		said[c.Func] = true
		list = append(list, c)
	}
	return list
}

// leadsToTraining reports a function that trains, prepares a program that does, or serves one: the top level of a module,
// and what a function that trains calls.
func (p *SourcePass) leadsToTraining(fn *project.Function) bool {
	return fn.Def == nil || p.Project.Leads(fn) ||
		slices.ContainsFunc(p.Project.Callers(fn), func(s *project.Site) bool { return s.Func.Def == nil || p.Project.Leads(s.Func) }) ||
		slices.ContainsFunc(p.Module.Functions, func(inner *project.Function) bool { return inner.Outer == fn && p.Project.Leads(inner) })
}

// isDouble reports a name of the type: torch.float64, torch.double, torch.cuda.DoubleTensor.
func isDouble(name string) bool {
	return strings.HasPrefix(name, "torch.") &&
		(strings.HasSuffix(name, ".float64") || strings.HasSuffix(name, ".double") || strings.HasSuffix(name, ".DoubleTensor"))
}

// doubleInJAX reports the switches that make JAX compute in float64, in a program that trains a network.
func (p *SourcePass) doubleInJAX() {
	if !p.Uses("equinox.nn.*", "flax.linen.*", "flax.nnx.*", "haiku.*", "optax.*") {
		return
	}
	report := func(at Node, v Value, because any) {
		if (v.IsTrue() || isSet(v)) && !p.aidIsFine(at) {
			p.Report(at, likely*v.Confidence()).Because(because).Saying("JAX computes in float64 while it trains a network")
		}
	}
	for _, c := range p.CallsTo("jax.config.update") {
		if name, _ := c.ArgAt(0).Str(); name == "jax_enable_x64" {
			report(c, c.ArgAt(1), c.ArgAt(1))
		}
	}
	for _, a := range p.AssignsTo("jax.config.jax_enable_x64", "jax.config.x64_enabled") {
		report(a.Target, p.Eval(a.Value), p.Eval(a.Value))
	}
	for _, e := range p.environment("JAX_ENABLE_X64") {
		report(e.at, e.value, e.because())
	}
}

// needsDigits reports a program that solves equations beside the network, or fits what floating point makes hard. A norm does not.
func (p *SourcePass) needsDigits() bool {
	return p.Uses(solvers...) || p.Uses("jax.scipy.linalg.*", "jax.scipy.sparse.*", "gpytorch.*", "torchdiffeq.*",
		"diffrax.*", "lineax.*", "optimistix.*", "jaxopt.*", "numpyro.*", "torchsde.*", "torch.cholesky", "torch.optim.LBFGS",
		"jax_md.*", "netket.*",
		"jax.hessian", "jax.jacfwd", "torch.autograd.functional.hessian", "e3nn.*", "ase.*")
}

// solvers are the functions of linear algebra that lose digits: all but norms and products.
var solvers = func() (names []string) {
	for _, f := range []string{
		"cholesky", "cholesky_ex", "cond", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "inv_ex", "ldl_factor", "ldl_solve", "lstsq",
		"lu", "lu_factor", "lu_solve", "matrix_exp", "matrix_power", "matrix_rank", "pinv", "qr", "slogdet", "solve", "solve_ex",
		"solve_triangular", "svd", "svdvals", "tensorinv", "tensorsolve",
	} {
		names = append(names, "torch.linalg."+f, "jax.numpy.linalg."+f)
	}
	return names
}()
