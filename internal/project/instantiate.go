package project

import (
	"slices"
	"strings"
)

// made is a mapping of a settings file that makes an object: Hydra's _target_ with the arguments beside it, or
// class_path with init_args of Lightning's command line.
type made struct {
	target    string // the dotted name of the class or function
	arguments *Setting
}

// madeBy reads a mapping as one that makes an object.
func madeBy(s *Setting) (made, bool) {
	if t := s.Child("_target_"); t != nil && t.Scalar.Type == String {
		return made{t.Scalar.Text, s}, true
	}
	if t := s.Child("class_path"); t != nil && t.Scalar.Type == String {
		arguments := s.Child("init_args")
		if arguments == nil {
			arguments = &Setting{Kind: MappingSetting, File: s.File, Parent: s}
		}
		return made{t.Scalar.Text, arguments}, true
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
				last := LastOf(m.target)
				p.made[last] = append(p.made[last], m)
			}
		})
	}
}

// EachMade visits the mappings of the settings file that make an object of one of the canonical names, a library's,
// with the arguments that it is given.
func (f *Settings) EachMade(visit func(name string, target, arguments *Setting)) {
	f.Top.each(func(s *Setting) {
		if m, ok := madeBy(s); ok && s.Kind == MappingSetting {
			target := s.Child("_target_")
			if target == nil {
				target = s.Child("class_path")
			}
			visit(Canonical(m.target), target, m.arguments)
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
		if !sameName(m.target, full) {
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
		v := Value{Kind: Instance, Name: Canonical(m.target), Made: site, Sure: Likely}
		if c := e.p.classNamed(m.target); c != nil {
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
			if slices.ContainsFunc(p.made[c.Name], func(m made) bool { return sameName(m.target, c.FullName()) }) {
				list = append(list, c)
			}
		}
	}
	return list
}

// makesFromSettings reports a library's function that makes what settings files name.
func makesFromSettings(name string) bool {
	switch name {
	case "hydra.utils.instantiate", "hydra.utils.call", "lightning.pytorch.cli.LightningCLI", "jsonargparse.CLI":
		return true
	}
	return false
}

// settingsGPU is the confidence that the trainer which a settings file makes runs on a GPU.
func (p *Project) settingsGPU() float64 {
	best := 0.0
	for _, m := range p.made["Trainer"] {
		if Canonical(m.target) != "lightning.pytorch.Trainer" {
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
