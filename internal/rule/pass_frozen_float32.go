package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// quantizedInFloat32 reports 4-bit weights that are turned into float32 to compute with them.
func (p *SourcePass) quantizedInFloat32() {
	if !p.trains() {
		return
	}
	for _, c := range p.CallsTo("transformers.BitsAndBytesConfig") {
		dtype := c.Arg("bnb_4bit_compute_dtype")
		text, _ := dtype.Str()
		if !c.Arg("load_in_4bit").IsTrue() || dtype.Name != "torch.float32" && text != "float32" || p.EvaluationOnly(c) {
			continue
		}
		r := p.Report(c.Callee(), likely*dtype.Confidence()).Because(dtype).Saying("4-bit weights compute in float32")
		if dtype.Name != "" {
			bfloat16, imports := p.Import("torch.bfloat16")
			r.Fix(Unsafe, "compute in bfloat16", append(imports, dtype.SetTo(bfloat16))...)
		} else {
			r.Fix(Unsafe, "compute in bfloat16", dtype.SetTo(`"bfloat16"`))
		}
	}
}

// frozenInFloat32 reports pretrained models that take no gradients and run in each step in float32, beside a model that computes
// in half precision: under autocast, which does not hold for them.
func (p *SourcePass) frozenInFloat32() {
	if !p.runsOnGPU() || !p.Module.Says("from_pretrained") || p.Module.Role == project.Test {
		return
	}
	said := map[*project.Site]bool{}
	for _, s := range p.Module.Sites {
		name := modelNamed(s)
		model := p.pretrainedRun(s)
		if name == "" || model == nil || model.Made == nil || !p.madeBeside(model.Made, s, name) || said[model.Made] || model.Made.Method() != "from_pretrained" ||
			p.Rare(s) != nil || p.EvaluationOnly(s) || p.Under(s, "torch.amp.autocast") || !p.Under(s, "torch.no_grad", "torch.inference_mode") {
			continue
		}
		way, hot := p.Hot(s)
		at := p.keptInFloat32(model.Made, name)
		if !hot || way.Kind != project.TrainingLoop || at == nil || p.explained(at) || p.castOnTheWay(way) {
			continue
		}
		if !p.half().used || p.NearSays("StableDiffusionXL", "stable-diffusion-xl") { // asked last: it takes time
			return
		}
		said[model.Made] = true
		p.Report(at, likely*p.GPU()).Because(p.At(s, "each step runs it")).
			Saying("%s is frozen and computes in float32 while the trained model computes in half precision", name).
			Advising("Move it to bfloat16 or float16, and keep in float32 only what overflows.")
	}
}

// castOnTheWay reports a path with a call under autocast: it holds for all that the call runs.
func (p *SourcePass) castOnTheWay(way project.Path) bool {
	return slices.ContainsFunc(way.Calls, func(s *project.Site) bool { return p.In(s.Module()).Under(s, "torch.amp.autocast") })
}

// modelNamed is the variable or field of the model that a call runs: vae of vae.encode(x), self.vae of self.vae.encode(x).
func modelNamed(s *project.Site) string {
	first, rest, _ := strings.Cut(pysrc.DottedName(s.Node.Func), ".")
	if first == "self" && s.Func.Class != nil {
		field, _, _ := strings.Cut(rest, ".")
		return "self." + field
	}
	return first
}

// madeBeside reports a model that is made in the function that runs it or, for a field, in the constructor of its class.
func (p *SourcePass) madeBeside(made, run *project.Site, name string) bool {
	if strings.HasPrefix(name, "self.") {
		return made.Func.Class == run.Func.Class && made.Func.BaseName() == "__init__" && made.Module() == p.Module && !p.runWithGraph(run.Func.Class, name)
	}
	return made.Func == run.Func
}

// runWithGraph reports a field of a class that one of its methods runs with gradients on: what flows through it is trained.
func (p *SourcePass) runWithGraph(c *project.Class, field string) bool {
	for _, fn := range c.Methods {
		if slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
			return modelNamed(s) == field && p.pretrainedRun(s) != nil && !p.Under(s, "torch.no_grad", "torch.inference_mode")
		}) {
			return true
		}
	}
	return false
}

// keptInFloat32 is the call that leaves a pretrained model in float32: the one that loads it, or the last that gives it a
// type; nil where it has or may have another, and where a framework prepares it.
func (p *SourcePass) keptInFloat32(made *project.Site, name string) Node {
	load := Call{made, p}
	var at Node = load.Callee()
	for _, key := range [...]string{"torch_dtype", "dtype"} {
		if given := load.Arg(key); given.Given() && given.Name != "torch.float32" {
			return nil
		}
	}
	statement := p.Module.StatementAt(made.Node.Start)
	for _, s := range made.Func.Sites {
		f, ok := s.Node.Func.(*pysrc.Attribute)
		if handed := slices.ContainsFunc(s.Node.Args, func(a pysrc.Expr) bool { return pysrc.DottedName(a) == name }); handed && s.Method() == "prepare" {
			return nil
		}
		if !ok || pysrc.DottedName(f.Value) != name && p.Module.StatementAt(s.Node.Start) != statement {
			continue
		}
		switch f.Attr {
		case "half", "bfloat16":
			return nil
		case "float":
			at = s.Node
		case "to":
			switch dtype, given := p.typeGiven(s.Node); {
			case given && dtype.Name != "torch.float32":
				return nil
			case given:
				at = s.Node
			}
		}
	}
	return at
}

// typeGiven is the type that model.to(device, dtype=torch.float32) gives, and whether it gives one.
func (p *SourcePass) typeGiven(call *pysrc.Call) (dtype Value, given bool) {
	if k := call.Keyword("dtype"); k != nil {
		return p.Eval(k.Value), true
	}
	for i, a := range call.Args {
		if v := p.Eval(a); strings.HasPrefix(v.Name, "torch.float") || strings.HasPrefix(v.Name, "torch.bfloat") || i > 0 {
			return v, true
		}
	}
	return Value{}, false
}

// explained reports a statement with a comment of its own: somebody had a reason.
func (p *SourcePass) explained(n Node) bool {
	line := p.Module.LineAt(n.Bounds().Start)
	return strings.Contains(p.Module.Line(line), "#") || line > 1 && strings.HasPrefix(strings.TrimSpace(p.Module.Line(line-1)), "#")
}
