package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// compiling is what the code near a module does about compiling a model.
type compiling struct {
	on  bool
	off []Value        // the switches that leave a compiler out
	at  []project.Step // where it would compile
}

// compiling follows the calls that compile a model near this module, or leave that to an engine. A call behind a switch
// that is off compiles nothing.
func (p *SourcePass) compiling() compiling {
	var c compiling
	c.on = p.NearSays("@torch.compile", "torch_compile", "dynamo", "cuda.graph", "CUDAGraph", "make_graphed_callables") ||
		p.nearCalls("deepspeed.initialize", "lightning.fabric.Fabric") || p.settingsCompile()
	for _, m := range p.Near() {
		near := p.In(m)
		c.on = c.on || len(near.Classes("torch.jit.ScriptModule")) > 0 || near.scripts()
		for _, call := range near.CallsTo("torch.compile") {
			c.take(near, call)
		}
		for _, call := range near.MethodCalls("compile") {
			on, ok := call.Node.Func.(*pysrc.Attribute)
			library, _, _ := strings.Cut(call.Name(), ".")
			if library != "re" && library != "regex" && (!ok || p.eval.Of(m, on.Value).Kind != project.Package) {
				c.take(near, call) // a method of an object; a regular expression is compiled by a function of a module
			}
		}
	}
	return c
}

func (c *compiling) take(near *SourcePass, call Call) {
	by, never := near.neverTaken(call)
	if !never {
		c.on = true
		return
	}
	c.off, c.at = append(c.off, by), append(c.at, near.At(call, "the switch for the compiler is off"))
}

// compiles reports whether a module near this one compiles a model, records CUDA graphs, or leaves both to an engine.
func (p *SourcePass) compiles() bool { return p.compiling().on }

// fixesShapes reports a program that is compiled, so that each new shape costs time.
func (p *SourcePass) fixesShapes() bool {
	c := p.compiling()
	return p.Uses("torch.compile") && (c.on || len(c.off) == 0)
}

// settingsCompile reports settings of Accelerate that compile the model.
func (p *SourcePass) settingsCompile() bool {
	return p.nearCalls("accelerate.Accelerator") && slices.ContainsFunc(p.Project.Settings, func(f *project.Settings) bool {
		return f.Framework() == "accelerate" && len(f.Find(".dynamo_config", ".dynamo_backend")) > 0
	})
}

// scripts reports a module that turns models into TorchScript. A model that is loaded from a file, such as one for a metric, is not
// what is trained, and a function that is scripted by itself leaves the rest as it was.
func (p *SourcePass) scripts() bool {
	if !p.Module.Says("jit") {
		return false
	}
	found := false
	alone := map[pysrc.Expr]bool{}
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Import, *pysrc.ImportFrom:
			return false
		case *pysrc.FunctionDef:
			for _, d := range n.Decorators {
				alone[d] = true
			}
		case *pysrc.Call:
			if fn := firstArg(n); fn != nil && p.Eval(fn).Kind == project.Callable {
				alone[n.Func] = true
			}
		case *pysrc.Attribute, *pysrc.Name:
			x := n.(pysrc.Expr)
			name, ok := strings.CutPrefix(p.NameOf(x), "torch.jit.")
			if ok && !alone[x] && compilesModels[name] {
				found = true
			}
			return !ok
		}
		return !found
	})
	return found
}

// compilesModels are the names in torch.jit that make a model's class or what it computes TorchScript.
var compilesModels = setOfNames("script", "trace", "trace_module", "ScriptModule", "script_method", "freeze", "optimize_for_inference", "interface")
