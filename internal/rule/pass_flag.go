package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
)

// torchFlag is where a flag of torch is set, and to what.
type torchFlag struct {
	at    Node
	value Value
}

// flags lists where flags of torch are set, by canonical names: torch.backends.cudnn.benchmark = False,
// setattr(torch.backends.cudnn, "benchmark", False), torch.backends.cudnn.set_flags(benchmark=False) and
// with torch.backends.cudnn.flags(benchmark=False).
func (p *SourcePass) flags(names ...string) (list []torchFlag) {
	for _, a := range p.AssignsTo(names...) {
		list = append(list, torchFlag{a.Target, p.Eval(a.Value)})
	}
	for _, c := range p.CallsTo("torch.backends.cudnn.flags", "torch.backends.cudnn.set_flags") {
		for _, name := range names {
			short, ok := strings.CutPrefix(name, "torch.backends.cudnn.")
			if !ok {
				continue
			}
			if k := c.Node.Keyword(short); k != nil {
				list = append(list, torchFlag{c, p.Eval(k.Value)})
			}
		}
	}
	return list
}

// matrixPrecision are the flags that say how float32 matrix products are computed.
var matrixPrecision = []string{
	"torch.backends.cuda.matmul.allow_tf32", "torch.backends.cuda.matmul.fp32_precision", "torch.backends.fp32_precision",
}

// deniedProducts are the places of this module that switch TF32 off for matrix products.
func (p *SourcePass) deniedProducts() (list []torchFlag) {
	for _, c := range p.CallsTo("torch.set_float32_matmul_precision") {
		if level := c.ArgAt(0); level.Equals("highest") {
			list = append(list, torchFlag{c, level})
		}
	}
	for _, f := range p.flags(matrixPrecision...) {
		if f.value.IsFalse() || f.value.Equals("ieee") {
			list = append(list, f)
		}
	}
	return list
}

// nearDenied are such places in this module and those near it.
func (p *SourcePass) nearDenied() (list []torchFlag) {
	for _, m := range p.Near() {
		list = append(list, p.In(m).deniedProducts()...)
	}
	return list
}

// trainsInFloat32 reports whether the program that this module is part of trains in float32 throughout: its own loop, or
// a framework that is told so or does so by default. A module beside it may hold what is set up before training.
func (p *SourcePass) trainsInFloat32() bool {
	if p.half().used {
		return false
	}
	for _, m := range p.Near() {
		q := p.In(m)
		if m.Role == project.Test {
			continue
		}
		for _, args := range q.HFArguments() {
			if args.TRL || !off(args.Arg("bf16")) || !off(args.Arg("fp16")) || args.Arg("deepspeed").Given() || q.loadedHalf() {
				return false
			}
			return true
		}
		if q.fullPrecision() && !q.tooSmall() || len(q.fullPrecisionTrainers()) > 0 || q.toldFloat32() {
			return true
		}
	}
	return p.instantiatesFloat32()
}

// instantiatesFloat32 reports settings that make a trainer of Lightning which computes in float32.
func (p *SourcePass) instantiatesFloat32() bool {
	found := false
	for _, f := range p.Project.Settings {
		if f.Role == project.Test {
			continue
		}
		f.EachMade(func(name string, _, arguments *project.Setting) {
			if name == "lightning.pytorch.Trainer" && !onCPU(arguments.Child("accelerator")) {
				precision := arguments.Child("precision")
				found = found || precision == nil || fullPrecisionValue(precision.Value())
			}
		})
	}
	return found
}

// toldFloat32 reports a framework that is made here and computes in float32 as it is told to.
func (p *SourcePass) toldFloat32() bool {
	for _, c := range p.CallsTo("accelerate.Accelerator", "deepspeed.initialize") {
		if p.computesFull(c) && !p.EvaluationOnly(c) {
			return true
		}
	}
	return false
}

// offBesideLayers reports cuDNN that is off for a part of a function in which no layer runs that needs it: around
// grid_sample or a norm.
func (p *SourcePass) offBesideLayers(off torchFlag) bool {
	from, fn := off.at.Bounds().Start, p.Function(off.at)
	for _, on := range p.flags("torch.backends.cudnn.enabled") {
		if to := on.at.Bounds().Start; on.value.IsTrue() && to > from && p.Function(on.at) == fn {
			return !slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
				at, layer := s.Node.Start, s.Calls.Kind == project.Instance && s.Calls.IsInstance("torch.nn.Module")
				return at > from && at < to && (layer && !strings.HasSuffix(strings.TrimRight(s.Calls.Name, "123d"), "Norm") || strings.Contains(s.Name(), ".conv"))
			})
		}
	}
	return false
}
