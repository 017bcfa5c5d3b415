package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// compilerDenied reports a program that calls torch.compile and then keeps it from doing anything: the compiler is
// switched off, given a backend that compiles nothing, kept out of forward, or its result is not what is trained.
func (p *SourcePass) compilerDenied() {
	if !p.Project.Uses("torch.compile") || !p.trains() || !p.runsOnGPU() {
		return
	}
	for _, f := range p.flags("torch._dynamo.config.disable") {
		if f.value.IsTrue() && !p.aidIsFine(f.at) {
			p.Report(f.at, likely*f.value.Confidence()).Because(f.value).Saying(compilerOff).Fix(DisplayOnly, "let torch.compile compile", f.value.SetTo("False"))
		}
	}
	for _, f := range p.flags("torch._dynamo.config.suppress_errors") {
		if f.value.IsTrue() && !p.aidIsFine(f.at) {
			p.Report(f.at, perhaps*f.value.Confidence()).Because(f.value).Saying("what torch.compile cannot compile runs op by op, and nothing says so").
				Advising("Leave suppress_errors off, and take the parts that fail out of the compiled function.")
		}
	}
	for _, name := range []string{"TORCHDYNAMO_DISABLE", "TORCH_COMPILE_DISABLE"} {
		for _, e := range p.environment(name) {
			if isSet(e.value) && !p.aidIsFine(e.at) {
				p.Report(e.at, likely*e.value.Sure).Because(e.because()).Saying(compilerOff).Advising("Start it without %s.", name)
			}
		}
	}
	for _, c := range p.CallsTo("torch.compile") {
		p.compiledForNothing(c)
	}
	p.forwardDenied()
}

const compilerOff = "torch.compile is switched off, so the model runs op by op"

// compiledForNothing reports a call of torch.compile that compiles nothing, or whose result training does not call.
func (p *SourcePass) compiledForNothing(c Call) {
	if p.aidIsFine(c) {
		return
	}
	if v := c.Arg("disable"); v.IsTrue() {
		p.Report(c.Callee(), likely*v.Confidence()).Because(v).Saying(compilerOff).Fix(DisplayOnly, "let torch.compile compile", v.SetTo("False"))
		return
	}
	if v := c.Arg("backend"); v.Equals("eager") || v.Equals("aot_eager") {
		p.Report(c.Callee(), likely*v.Confidence()).Because(v).Saying("this backend of torch.compile compiles nothing: the model runs op by op")
		return
	}
	if s, alone := p.Module.StatementAt(c.Node.Start).(*pysrc.ExprStmt); alone && s.Value == pysrc.Expr(c.Node) {
		p.Report(c.Callee(), nearlyCertain).Saying("the result of torch.compile is not used, so the model runs op by op").
			Advising("Write model = torch.compile(model), or model.compile().")
		return
	}
	p.compiledBeside(c)
}

// compiledBeside reports a compiled model that only evaluation calls, while training calls the model itself.
func (p *SourcePass) compiledBeside(c Call) {
	compiled, model := p.variableOf(c), ""
	if given := firstArg(c.Node); given != nil {
		model = pysrc.DottedName(given)
	}
	if compiled == "" || model == "" || compiled == model {
		return
	}
	trained, mentioned := false, false
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		e, ok := n.(pysrc.Expr)
		if !ok || e.Bounds().Start < c.Node.End || pysrc.DottedName(e) != compiled {
			return true
		}
		if _, each := p.EachStep(e); each && !p.withoutGradients(e) || p.isArgument(e) {
			mentioned = true
		}
		return false
	})
	if mentioned {
		return
	}
	for _, f := range p.ForwardPasses() {
		if call, ok := f.model.(*pysrc.Call); ok && pysrc.DottedName(call.Func) == model {
			trained = true
		}
	}
	if trained {
		p.Report(c.Callee(), likely*p.GPU()).Saying("training calls %s, and not the compiled %s, so the steps run op by op", model, compiled).
			Advising("Call %s in the training loop, too.", compiled)
	}
}

// isArgument reports an expression that is given to a call, which may train with it.
func (p *SourcePass) isArgument(e pysrc.Expr) bool {
	return slices.ContainsFunc(p.Module.Sites, func(s *project.Site) bool {
		return slices.Contains(s.Node.Args, e) || slices.ContainsFunc(s.Node.Keywords, func(k *pysrc.Keyword) bool { return k.Value == e })
	})
}

// forwardDenied reports a network of a compiled program whose forward is kept from the compiler.
func (p *SourcePass) forwardDenied() {
	for _, class := range p.Classes("torch.nn.Module") {
		fn := class.Methods["forward"]
		if fn == nil || fn.Def == nil {
			continue
		}
		for _, d := range fn.Decorators() {
			of := d
			if call, ok := d.(*pysrc.Call); ok {
				of = call.Func
			}
			switch p.NameOf(of) {
			case "torch.compiler.disable", "torch._dynamo.disable":
				if p.compilesClass(class) {
					p.Report(d, likely).Saying("the forward of %s is kept from torch.compile, so it runs op by op", class.Name)
				}
			}
		}
	}
}

// compilesClass reports whether something near this module compiles an instance of the class itself.
func (p *SourcePass) compilesClass(class *project.Class) bool {
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		return slices.ContainsFunc(p.In(m).CallsTo("torch.compile"), func(c Call) bool {
			v := c.ArgAt(0)
			return v.Class == class || slices.ContainsFunc(v.Either, func(w Value) bool { return w.Class == class })
		})
	})
}
