package rule

import "saturate/internal/pysrc"

// fp32MatmulDefault finds projects of JAX that turn the tensor cores off for float32.
var fp32MatmulDefault = Rule{
	Code: "SAT809", Name: "fp32-matmul-default", Severity: Advice, Subject: AboutPrecision, General: true,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Title: "float32 matrix products of JAX do not use the tensor cores",
	What: "jax_default_matmul_precision set to float32 or highest in a project that trains: by " +
		"jax.config.update, in the environment, or by jax.default_matmul_precision around the training loop.",
	Why: "By default, JAX computes float32 products in TF32 on NVIDIA tensor cores and in bfloat16 on a TPU. " +
		"float32 needs several passes or does not use the tensor cores.",
	Fine:   "Solvers, physics and geometry that need full precision. Comparing results.",
	Bad:    "jax.config.update(\"jax_default_matmul_precision\", \"float32\")",
	Good:   "jax.config.update(\"jax_default_matmul_precision\", \"tensorfloat32\")",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		if !p.usesJAX() || !p.trained() {
			return
		}
		for _, c := range p.CallsTo("jax.config.update") {
			if name, _ := c.ArgAt(0).Str(); name == "jax_default_matmul_precision" {
				p.fullProducts(c, c.ArgAt(1), c.ArgAt(1))
			}
		}
		for _, c := range p.CallsTo("jax.default_matmul_precision") {
			if with, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.With); ok && p.trainsWithin(with) {
				p.fullProducts(c, c.ArgAt(0), c.ArgAt(0))
			}
		}
		for _, a := range p.AssignsTo("jax.config.jax_default_matmul_precision") {
			p.fullProducts(a.Target, p.Eval(a.Value), p.Eval(a.Value))
		}
		for _, e := range p.environment("JAX_DEFAULT_MATMUL_PRECISION") {
			p.fullProducts(e.at, e.value, e.because())
		}
	},
}

// fullProducts reports a precision that stands for all of float32.
func (p *SourcePass) fullProducts(at Node, precision Value, because any) {
	switch text, _ := precision.Str(); text {
	case "float32", "highest", "F32_F32_F32":
	default:
		return
	}
	if p.EvaluationOnly(at) {
		return
	}
	r := p.Report(at, nearlyCertain*precision.Confidence()).Because(because)
	if e, ok := precision.Expr.(*pysrc.Constant); ok && at.Bounds().Start <= e.Start && e.End <= at.Bounds().End {
		r.Fix(Unsafe, "compute products in TF32", p.Replace(e, `"tensorfloat32"`))
	}
}

// trainsWithin reports whether a training loop stands in a statement.
func (p *SourcePass) trainsWithin(s pysrc.Stmt) bool {
	for _, l := range p.JAXLoops() {
		if s.Bounds().Contains(int(l.Bounds().Start)) {
			return true
		}
	}
	return false
}
