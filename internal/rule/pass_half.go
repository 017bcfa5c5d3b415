package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// halfPrecision is what the code near a module does about types other than float32.
type halfPrecision struct {
	used     bool           // something computes in another type, or may
	governed bool           // a framework decides: Accelerate, Lightning, DeepSpeed, …
	off      []Value        // the switches that leave half precision off
	casts    []Call         // the autocasts that they switch off
	scaled   bool           // a GradScaler that is on scales the loss, or a framework does
	apex     []project.Step // where Apex would turn float16 on, were its switch on
	partly   []Value        // the switches of settings files that leave it off, where other files turn it on
}

// half follows the values that decide in which type the code near this module computes. A word in a comment,
// in a name or in a file that nothing reads decides nothing.
func (p *SourcePass) half() *halfPrecision {
	if p.shared.half == nil {
		h := &halfPrecision{}
		for _, m := range p.Near() {
			if m.Role != project.Test {
				h.gather(p.In(m))
			}
		}
		h.settings(p)
		p.shared.half = h
	}
	return p.shared.half
}

func (h *halfPrecision) gather(p *SourcePass) {
	for _, c := range p.CallsTo("torch.amp.autocast") {
		if p.EvaluationOnly(c) {
			continue
		}
		by, off := p.turnedOff(c)
		if off && by.Origin.How == project.InPlace && p.Module.Role != project.Training {
			continue // a part of a model that needs float32 says nothing of the rest
		}
		if off || c.Arg("dtype").Name == "torch.float32" {
			h.off, h.casts = append(h.off, by), append(h.casts, c)
		} else {
			h.used = true
			h.partly = append(h.partly, offInSettings(c.enabled())...)
		}
	}
	for _, c := range p.CallsTo("torch.amp.GradScaler") {
		if by, off := p.turnedOff(c); off {
			h.off = append(h.off, by)
		} else {
			h.scaled = true
		}
	}
	for _, c := range p.CallsTo("accelerate.Accelerator", "lightning.fabric.Fabric", "lightning.pytorch.Trainer", "deepspeed.initialize",
		"apex.amp.initialize", "colossalai.*", "speechbrain.*", "fastai.*", "composer.*", "torch.set_default_dtype", "ignite.*") {
		if by, off := p.neverTaken(c); off {
			h.off = append(h.off, by)
			if c.Name() == "apex.amp.initialize" {
				h.apex = append(h.apex, p.At(c, "the switch would turn Apex on, which computes in float16"))
			}
			continue
		}
		full := p.computesFull(c)
		if full && c.Name() == "torch.set_default_dtype" {
			continue // which is what it is anyway
		}
		h.governed, h.scaled = true, true
		h.used = h.used || !full
	}
	h.scaled = h.scaled || len(p.CallsTo("apex.amp.scale_loss")) > 0
	if len(p.Classes("lightning.pytorch.LightningModule")) > 0 {
		h.governed, h.scaled = true, true
	}
	h.used = h.used || p.namesHalf()
}

// settings takes notice of a key of a settings file that the program reads whole and hands on: what gets it may be of
// a library, and turn half precision on.
func (h *halfPrecision) settings(p *SourcePass) {
	if h.used || len(h.off) > 0 || h.governed {
		return
	}
	for _, s := range p.Project.Settings {
		if s.Role == project.Test {
			continue
		}
		for _, key := range s.Find(".fp16", ".bf16", ".precision", ".mixed_precision", ".use_amp", ".amp", ".fp16_run", ".half", ".dtype") {
			if key.Kind == project.ScalarSetting && asksForHalf(key.Value()) && p.Project.HandsOn(key) {
				h.used = true
			}
		}
	}
}

// asksForHalf reports a value of a setting that turns half precision on.
func asksForHalf(v Value) bool {
	text, _ := v.Str()
	return v.IsTrue() || v.Equals(16) || strings.Contains(text, "16")
}

// enabled is the argument that turns autocast or a scaler on. The first argument of torch.cuda.amp.autocast is it, too.
func (c Call) enabled() Value {
	v := c.Arg("enabled")
	if first := c.ArgAt(0); v.Missing() && (first.IsFalse() || first.IsTrue() || first.Unknown() && len(c.Node.Args) > 0) {
		return first
	}
	return v
}

// turnedOff returns the switch that leaves an autocast or a scaler off, and whether there is one.
func (p *SourcePass) turnedOff(c Call) (Value, bool) {
	if v := c.enabled(); v.IsFalse() || v.IsNone() {
		return v, true
	}
	return p.neverTaken(c)
}

// offInSettings are the alternatives of a switch that some of the project's settings files leave off, and others turn on.
func offInSettings(v Value) (off []Value) {
	for _, one := range v.Either {
		switch {
		case one.Setting == nil || !one.IsFalse() && !one.IsTrue():
			return nil
		case one.IsFalse() && one.Setting.File.Role != project.Test:
			off = append(off, one)
		}
	}
	return off
}

// computesFull reports whether a framework is told to compute in float32, by what it is given or by its default.
func (p *SourcePass) computesFull(c Call) bool {
	switch c.Name() {
	case "accelerate.Accelerator":
		v := p.acceleratedIn(c)
		return v.Equals("no") || v.Missing() && p.settingsSay("accelerate", fullAccelerate)
	case "deepspeed.initialize":
		return p.settingsSay("deepspeed", switchesHalfOff)
	case "lightning.fabric.Fabric", "lightning.pytorch.Trainer":
		v := c.Arg("precision")
		return v.Missing() || fullPrecisionValue(v)
	case "torch.set_default_dtype":
		return c.ArgAt(0).Name == "torch.float32"
	case "apex.amp.initialize":
		return c.Arg("opt_level").Equals("O0")
	}
	return false
}

// acceleratedIn is the type that an Accelerator computes in, as it is made or as `accelerate launch` says.
func (p *SourcePass) acceleratedIn(c Call) Value {
	if v := c.Arg("mixed_precision"); !v.Missing() {
		return v
	}
	return p.eval.Launched(p.Module, "mixed_precision")
}

// settingsSay reports whether the project has settings files of a framework, and all say the same.
func (p *SourcePass) settingsSay(framework string, is func(*SettingsPass) bool) bool {
	found := false
	for _, f := range p.Project.Settings {
		if f.Framework() != framework || f.Role == project.Test {
			continue
		}
		if !is(&SettingsPass{Project: p.Project, File: f}) {
			return false
		}
		found = true
	}
	return found
}

// fullAccelerate reports settings of Accelerate that say mixed_precision: no.
func fullAccelerate(p *SettingsPass) bool {
	s := p.File.Top.Child("mixed_precision")
	return s != nil && (s.Value().Equals("no") || s.Value().IsFalse()) // YAML reads a bare no as false
}

// neverTaken returns the switch that keeps an expression from being reached, and whether there is one: if args.amp around
// it, GradScaler() if args.amp else None.
func (p *SourcePass) neverTaken(x Node) (Value, bool) {
	at := x.Bounds().Start
	if g := p.Rare(x); g != nil {
		if by := p.switchAround(x); g.Kind == project.Off || by.IsFalse() && by.Origin.Source != nil {
			return by, true
		}
	}
	var by Value
	found := false
	pysrc.Inspect(p.Module.StatementAt(at), func(n pysrc.Node) bool {
		if x, ok := n.(*pysrc.IfExp); ok && !found {
			test := p.Eval(x.Test)
			if test.IsFalse() && x.Body.Bounds().Contains(int(at)) || test.IsTrue() && x.Orelse.Bounds().Contains(int(at)) {
				by, found = test, true
			}
		}
		return !found
	})
	return by, found
}

// switchAround is the value of the innermost test around an expression that is known.
func (p *SourcePass) switchAround(x Node) Value {
	v := Value{Kind: project.Literal}
	p.Module.Around(x.Bounds().Start, func(owner pysrc.Node) bool {
		if s, ok := owner.(*pysrc.If); ok {
			if test := p.Eval(s.Test); test.IsFalse() || test.IsTrue() {
				v = test
				return false
			}
		}
		return true
	})
	return v
}

// namesHalf reports code of training that hands a type other than float32 on, or turns a model into one:
// model.half(), x.to(torch.bfloat16), {"fp16": torch.float16}. An autocast that is not called here counts, too.
func (p *SourcePass) namesHalf() bool {
	for _, c := range p.MethodCalls("half", "bfloat16", "double") {
		if len(c.Node.Args) > 0 || p.EvaluationOnly(c) || p.Project.Unused(p.Module, c.Node.Start) {
			continue
		}
		if _, off := p.neverTaken(c); !off && (c.Method() != "double" || p.isModel(c.Receiver())) && !p.castApart(c) {
			return true
		}
	}
	for _, c := range p.MethodCalls("to") {
		if to := firstArg(c.Node); to != nil && p.NameOf(to) == "torch.float64" && p.isModel(c.Receiver()) {
			return true
		}
	}
	found := false
	callee := map[pysrc.Expr]bool{}          // of those that otherTypes name
	casts := p.CallsTo("torch.amp.autocast") // which are asked themselves
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Import, *pysrc.ImportFrom:
			return false
		case *pysrc.Call:
			if slices.Contains(otherTypes, lastName(n.Func)) {
				callee[n.Func] = true
			}
		case *pysrc.Compare: // x.dtype == torch.float16 only asks
			if lastName(n.Left) == "dtype" {
				for _, other := range n.Comparators {
					callee[other] = true
				}
			}
		case *pysrc.Assign:
			if lastName(n.Value) == "autocast" { // another name for it, whose calls are asked
				for _, target := range append(n.Targets, n.Value) {
					callee[target] = true
				}
			}
		case *pysrc.Attribute, *pysrc.Name:
			x := n.(pysrc.Expr)
			last := lastName(x)
			if !slices.Contains(otherTypes, last) || p.EvaluationOnly(x) ||
				slices.ContainsFunc(casts, func(c Call) bool { return c.Node.Span.Contains(int(x.Bounds().Start)) }) {
				return true
			}
			if callee[x] {
				return true // calls are asked themselves: autocast(…), x.half()
			}
			// An instance of autocast was made by a call, too.
			if v := p.Eval(x); strings.HasPrefix(v.Name, "torch.") && v.Kind != project.Instance {
				_, off := p.neverTaken(x)
				found = !off && !p.onlyOffered(x) && !p.ofFrozen(x) && !p.typeToStore(x) && !p.typeApart(x)
			}
		}
		return !found
	})
	return found
}

// otherTypes are the last parts of the names of torch's types that are narrower than float32, and of what leads to
// them.
var otherTypes = []string{"bfloat16", "float16", "half", "autocast"}

// fullPrecision reports whether this module trains with PyTorch on a GPU and computes in float32 throughout.
func (p *SourcePass) fullPrecision() bool {
	if !p.runsOnGPU() || p.jaxOnly() || len(p.trainingLoopsHere()) == 0 || p.half().used || p.fitsTensors() {
		return false
	}
	for _, l := range p.trainingLoopsHere() {
		if optimizes(l.Module) || optimizes(p.Module) {
			return true
		}
	}
	return false
}
