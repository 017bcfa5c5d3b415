package rule

import (
	"slices"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// hoistableConstant finds tables that are made again in every step and are always the same.
var hoistableConstant = Rule{
	Code: "SAT318", Name: "hoistable-constant", Severity: Advice, Subject: AboutHostCode,
	Areas: []Area{ComputeArea, HostArea},
	Title: "a constant table is computed in every step",
	What: "A window, mel filter bank, DCT matrix, or list of numbers copied to the GPU, created in every " +
		"training step from constant arguments; positions, grids, schedules and masks that several operations compute from values " +
		"which never change, or change only with the length; the scale of a frozen batch norm; metrics, losses and transforms that a step builds. Also a filter bank " +
		"made for every sample, and a pretrained " +
		"or frozen model that gets the samples of a dataset which draws nothing (small: of one that draws). In JAX, a value that " +
		"jax.device_put or replicate copies in every step and nothing changes. A function that a step calls with what the training " +
		"loop never changes, or whose costly result only a rare log reads; a metric over all samples so far.",
	Why: "A window takes five kernels (arange, mul, cos, mul, add), a filter bank 0.8 ms on the host (80 bands, " +
		"n_fft 1024), and a list is copied from pageable memory while the host waits. Each could be computed once and kept.",
	Fine: "Arguments that differ between steps, such as a length.",
	Advice: "Create it once in __init__ and keep it. self.register_buffer(\"window\", …, persistent=False) " +
		"moves with the module.",
	Bad:    "def forward(self, x):\n    window = torch.hann_window(self.n_fft, device=x.device)",
	Good:   "def __init__(self):\n    self.register_buffer(\"window\", torch.hann_window(self.n_fft), persistent=False)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		p.frozenEncoders()
		for _, c := range p.CallsTo(slices.Concat(windows, filterBanks, []string{"torch.tensor"})...) {
			bank := slices.Contains(filterBanks, c.Name())
			moved := p.movedAtOnce(c)
			switch {
			case c.Name() == "torch.tensor":
				if !isNumberList(firstArg(c.Node)) || moved == nil && c.Node.Keyword("device") == nil {
					continue
				}
			case !bank && moved != nil:
				continue // made on the host and copied: another rule's
			}
			same := p.sameArguments(c)
			if fn := p.Function(c); fn.BaseName() == "__init__" || project.HasWord(fn.BaseName(), "dequantize") ||
				!same && !bank || cached(fn) {
				continue
			}
			way, ok := p.EachStep(c)
			if !ok && bank {
				way, ok = p.EverySample(c)
			}
			if !ok || p.keptOnTheWay(way, c) || !same && !p.ConstantArguments(way, c) {
				continue
			}
			what := "is created in every step but never changes"
			if way.Kind != project.TrainingLoop && way.Kind != project.Forward && bank {
				what = "is created each time but never changes"
			}
			r := p.Report(c, nearlyCertain*way.Sure).Because(way).Saying("%s %s", p.Short(c), what)
			if bank {
				r.At(Warning)
			} else if c.Name() == "torch.tensor" {
				r.Beside(p.besideWaits(c.Node))
			}
			r.Fix(Unsafe, "keep it in a buffer of the module; it then follows the module's device and dtype", p.inBuffer(c, moved)...)
		}
		p.steadyTables()
		p.steadyCalls()
		p.seldomRead()
		p.metricsOfAll()
		p.steadyObjects()
		p.fixedBuffers()
		p.constantsForJAX()
	},
}

var windows = []string{"torch.hann_window", "torch.hamming_window", "torch.blackman_window", "torch.bartlett_window", "torch.kaiser_window"}

// filterBanks are computed on the host, or in many kernels.
var filterBanks = []string{
	"librosa.filters.mel", "torchaudio.functional.melscale_fbanks", "torchaudio.functional.create_dct",
	"torchaudio.functional.linear_fbanks", "torchaudio.functional.create_fb_matrix",
}

// movedAtOnce returns x.to(…) or x.cuda() around a call x, or nil.
func (p *SourcePass) movedAtOnce(c Call) *pysrc.Call {
	for _, m := range p.MethodCalls("to", "cuda", "type_as") {
		if m.Receiver() == pysrc.Expr(c.Node) {
			return m.Node
		}
	}
	return nil
}

// isNumberList reports a list of at least two numbers that are written out.
func isNumberList(e pysrc.Expr) bool {
	list, ok := e.(*pysrc.List)
	if !ok || len(list.Elts) < 2 {
		return false
	}
	for _, x := range list.Elts {
		if u, ok := x.(*pysrc.UnaryOp); ok {
			x = u.Operand
		}
		if _, number := pysrc.FloatValue(x); !number && !isNumberList(x) {
			return false
		}
	}
	return true
}

// sameArguments reports whether a call is given the same in every step, its device and type apart.
func (p *SourcePass) sameArguments(c Call) bool {
	for _, a := range c.Node.Args {
		if !p.Constant(a) {
			return false
		}
	}
	for _, k := range c.Node.Keywords {
		if k.Name != "device" && k.Name != "dtype" && !p.Constant(k.Value) {
			return false
		}
	}
	return true
}

// cached reports a function whose results functools keeps.
func cached(fn *project.Function) bool {
	for _, d := range fn.Decorators() {
		if strings.Contains(lastName(d), "cache") {
			return true
		}
	}
	return false
}

// inBuffer gives the edits that make a tensor once, at the end of __init__, as a buffer of its module.
func (p *SourcePass) inBuffer(c Call, moved *pysrc.Call) []patch.Edit {
	fn := p.Function(c)
	if fn.Class == nil || !fn.Class.Derives("torch.nn.Module") || !strings.HasPrefix(c.Name(), "torch") ||
		moved != nil && lastName(moved.Func) == "type_as" {
		return nil
	}
	name := "table"
	if slices.Contains(windows, c.Name()) {
		name = "window"
	}
	made, parts := p.Text(c.Node.Func)+"(", []pysrc.Expr{c.Node.Func}
	for i, a := range c.Node.Args {
		if i > 0 {
			made += ", "
		}
		made, parts = made+p.Text(a), append(parts, a)
	}
	for _, k := range c.Node.Keywords {
		if k.Name == "dtype" && !p.Constant(k.Value) {
			return nil
		}
		if k.Name != "device" {
			made, parts = made+", "+k.Name+"="+p.Text(k.Value), append(parts, k.Value)
		}
	}
	place := c.Node
	if moved != nil {
		if _, plain := targetDevice(moved); !plain {
			return nil
		}
		place = moved
	}
	return p.hoist(place, parts, name, func(self, name string) string {
		return self + `.register_buffer("` + name + `", ` + made + "), persistent=False)"
	})
}
