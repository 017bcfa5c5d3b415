package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// made is a mapping of a settings file that makes an object.
type made struct {
	target    *Setting // the dotted name of the class or function
	arguments *Setting
}

// makers are the keys of such a mapping, for the name and for the arguments: Hydra's, beside which the arguments stand,
// and those of its first versions, Lightning's command line, and the programs that came from latent diffusion.
var makers = [][2]string{{"_target_", ""}, {"class_path", "init_args"}, {"class", "params"}, {"target", "params"}}

// madeBy reads a mapping as one that makes an object.
func madeBy(s *Setting) (made, bool) {
	for _, keys := range makers {
		t := s.Child(keys[0])
		if t == nil || t.Scalar.Type != String {
			continue
		}
		if keys[1] == "" {
			return made{t, s}, true
		}
		arguments := s.Child(keys[1])
		if arguments == nil {
			if keys[0] != "class_path" && !strings.Contains(t.Scalar.Text, ".") {
				continue // class: car
			}
			arguments = &Setting{Kind: MappingSetting, File: s.File, Parent: s}
		}
		return made{t, arguments}, true
	}
	return made{}, false
}

// gatherMade finds the mappings of settings files that make objects, by the last part of the name.
func (p *Project) gatherMade() {
	p.made = map[string][]made{}
	for _, f := range p.Settings {
		if f.Role == Test || f.Top == nil {
			continue
		}
		f.Top.each(func(s *Setting) {
			if m, ok := madeBy(s); ok && s.Kind == MappingSetting {
				last := LastOf(m.target.Scalar.Text)
				p.made[last] = append(p.made[last], m)
			} else if s.Kind == MappingSetting && len(p.keptNames) > 0 {
				for _, c := range s.Children {
					if c.Scalar.Type == String && p.keptNames[c.Scalar.Text] {
						p.made[c.Scalar.Text] = append(p.made[c.Scalar.Text], made{c, s})
					}
				}
			}
		})
	}
	p.gatherCommandLine()
}

// gatherCommandLine finds the classes that Lightning's command line is given: settings files give their arguments under model and
// data, without their names.
func (p *Project) gatherCommandLine() {
	e := p.NewEval()
	defer e.Release()
	for _, m := range p.Modules {
		if !m.imports["lightning"] && !m.imports["pytorch_lightning"] {
			continue
		}
		for _, s := range m.Sites {
			if s.Calls.Name != commandLine {
				continue
			}
			for i, key := range [...]string{"model", "data"} {
				given := s.ArgumentNode(key+"_class", i)
				if key == "data" {
					given = s.ArgumentNode("datamodule_class", i)
				}
				if given == nil {
					continue
				}
				if c := e.Of(m, given).Class; c != nil {
					p.settledAt(c, key)
				}
			}
		}
	}
}

// settledAt notes the mappings under a key of settings files as the arguments of a class.
func (p *Project) settledAt(c *Class, key string) {
	for _, f := range p.Settings {
		arguments := f.Top.Child(key)
		if f.Role == Test || arguments == nil || arguments.Kind != MappingSetting || f.Top.Child("trainer") == nil {
			continue
		}
		if _, named := madeBy(arguments); named {
			continue
		}
		target := &Setting{File: f, Parent: arguments, Scalar: Scalar{Type: String, Text: c.FullName()}}
		p.made[c.Name] = append(p.made[c.Name], made{target, arguments})
	}
}

// EachMade visits the mappings of the settings file that make an object of one of the canonical names, a library's,
// with the arguments that it is given.
func (f *Settings) EachMade(visit func(name string, target, arguments *Setting)) {
	f.Top.each(func(s *Setting) {
		if m, ok := madeBy(s); ok && s.Kind == MappingSetting {
			visit(Canonical(m.target.Scalar.Text), m.target, m.arguments)
		}
	})
}

// fromSettings are the values that settings files give a parameter of a constructor or function.
func (e *Eval) fromSettings(f *Function, name string) []Value {
	if len(e.p.made) == 0 || f.Def == nil {
		return nil
	}
	full := f.Module.Name + "." + f.Name
	if f.Def.Name == "__init__" && f.Class != nil {
		full = f.Class.FullName()
	}
	var values []Value
	for _, m := range e.p.made[LastOf(full)] {
		if !sameName(m.target.Scalar.Text, full) {
			continue
		}
		if c := m.arguments.Child(name); c != nil {
			values = append(values, c.Value())
		} else if v := e.defaultOf(f, name); v.Kind != Missing {
			values = append(values, v)
		}
		if len(values) > mostCallers {
			return nil
		}
	}
	return values
}

// sameName reports two dotted names of which one is the end of the other: a program may be started in a folder of its
// own.
func sameName(a, b string) bool {
	return a == b || strings.HasSuffix(a, "."+b) || strings.HasSuffix(b, "."+a)
}

// instantiated tells what hydra.utils.instantiate makes of a mapping.
func (e *Eval) instantiated(of Value, site *Site) Value {
	if of.Kind != Key {
		return Value{}
	}
	var values []Value
	for _, node := range of.nodes() {
		m, ok := madeBy(node)
		if !ok {
			continue
		}
		v := Value{Kind: Instance, Name: Canonical(m.target.Scalar.Text), Made: site, Sure: Likely}
		if c := e.p.classNamed(m.target.Scalar.Text); c != nil {
			v.Name, v.Class = c.FullName(), c
		}
		if partial := node.Child("_partial_"); partial != nil && partial.Scalar.Bool {
			v.Kind = Type
		}
		values = append(values, v)
	}
	return merge(values)
}

// classNamed is the class of the project that a dotted name means, or nil.
func (p *Project) classNamed(name string) *Class {
	last := LastOf(name)
	for _, m := range p.Modules {
		for _, c := range m.Classes {
			if c.Name == last && sameName(name, c.FullName()) {
				return c
			}
		}
	}
	return nil
}

// madeClasses are the classes of the project of which settings files make objects.
func (p *Project) madeClasses() []*Class {
	if len(p.made) == 0 {
		return nil
	}
	var list []*Class
	for _, m := range p.Modules {
		for _, c := range m.Classes {
			if slices.ContainsFunc(p.made[c.Name], func(m made) bool { return sameName(m.target.Scalar.Text, c.FullName()) }) {
				list = append(list, c)
			}
		}
	}
	return list
}

// makesFromSettings reports a library's function that makes what settings files name.
func makesFromSettings(name string) bool {
	switch name {
	case "hydra.utils.instantiate", "hydra.utils.call", commandLine, "jsonargparse.CLI":
		return true
	}
	return false
}

// commandLineGPU is the confidence that the trainer which Lightning's command line makes runs on a GPU: it takes one where there is
// one, unless a settings file has another accelerator.
func (p *Project) commandLineGPU(s *Site) float64 {
	if d, ok := s.Node.KeywordValue("trainer_defaults").(*pysrc.Dict); ok {
		for i, key := range d.Keys {
			if name, _ := pysrc.StringValue(key); key != nil && name == "accelerator" && !onGPUByName(d.Values[i]) {
				return 0
			}
		}
	}
	files, other := 0, 0
	for _, f := range p.Settings {
		trainer := f.Top.Child("trainer")
		if f.Role == Test || trainer == nil {
			continue
		}
		files++
		if on := trainer.Child("accelerator"); on != nil && (on.Scalar.Text == "cpu" || on.Scalar.Text == "mps" || on.Scalar.Text == "tpu") {
			other++
		}
	}
	if files > 0 && other == files {
		return 0
	}
	return NearlyCertain
}

// onGPUByName reports a name of Lightning's accelerator that is, or may be, a GPU.
func onGPUByName(e pysrc.Expr) bool {
	name, _ := pysrc.StringValue(e)
	return name != "cpu" && name != "mps" && name != "tpu"
}

// settingsGPU is the confidence that the trainer which a settings file makes runs on a GPU.
func (p *Project) settingsGPU() float64 {
	best := 0.0
	for _, m := range p.made["Trainer"] {
		if Canonical(m.target.Scalar.Text) != "lightning.pytorch.Trainer" {
			continue
		}
		best = max(best, Perhaps)
		if on := m.arguments.Child("accelerator"); on == nil || on.Scalar.Text != "cpu" && on.Scalar.Text != "mps" {
			return NearlyCertain
		}
	}
	if best > 0 {
		for _, f := range p.Settings {
			if on := f.Top.Child("accelerator"); on != nil && f.Role != Test && (on.Scalar.Text == "gpu" || on.Scalar.Text == "cuda" || on.Scalar.Text == "auto") {
				return Likely
			}
		}
	}
	return best
}
