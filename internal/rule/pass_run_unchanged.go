package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// changedBetween reports arguments of a call, or the model it runs, that a function changes between that call and a later one.
func (p *SourcePass) changedBetween(first, again *project.Site) bool {
	var keys []string
	for _, a := range argumentsOf(first.Node) {
		if key := p.keyOf(a); key != "" {
			keys = append(keys, key)
		}
	}
	model := p.modelKey(first)
	keys = append(keys, model)
	touches := func(key string) bool {
		return slices.ContainsFunc(keys, func(k string) bool {
			return k == key || strings.HasPrefix(k, key+".") || strings.HasPrefix(key, k+".")
		})
	}
	for _, set := range p.settingsIn(first.Func) {
		if set.end >= first.Node.End && set.end <= again.Node.Start && touches(set.key) {
			return true
		}
	}
	for _, s := range sitesBetween(first, again) {
		a, ok := s.Node.Func.(*pysrc.Attribute)
		if !ok {
			continue
		}
		switch on := p.keyOf(a.Value); {
		case on == "":
		case strings.HasSuffix(a.Attr, "_") && !strings.HasPrefix(a.Attr, "requires_grad") && touches(on): // x.add_(noise)
			return true
		case on == model && !leavesModel[a.Attr] && (s.Calls.Func == nil || len(s.Node.Args) == 0): // model.eval(), model.reset()
			return true
		case on == "self" && s.Calls.Func != nil && slices.ContainsFunc(keys, func(k string) bool { return setsFieldOf(s.Calls.Func, k) }):
			return true
		}
	}
	return false
}

// leavesModel are methods of a model that change neither its weights nor how it runs.
var leavesModel = setOfNames("parameters", "named_parameters", "zero_grad", "requires_grad_", "state_dict", "modules", "no_sync")

// setsFieldOf reports a method that sets self.x of a key that begins so.
func setsFieldOf(fn *project.Function, key string) bool {
	if fn.Def == nil || !strings.HasPrefix(key, "self.") {
		return false
	}
	field, _, _ := strings.Cut(strings.TrimPrefix(key, "self."), ".")
	found := false
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		a, ok := n.(*pysrc.Attribute)
		found = found || ok && a.Ctx == pysrc.Store && a.Attr == field && project.IsSelf(a.Value)
		return !found
	})
	return found
}

// modelKey names the model that a call runs, or whose method it is.
func (p *SourcePass) modelKey(s *project.Site) string {
	if a, ok := s.Node.Func.(*pysrc.Attribute); ok && s.Calls.Kind == project.Callable {
		return p.keyOf(a.Value)
	}
	return p.keyOf(s.Node.Func)
}

// sitesBetween are the calls of a function behind one of its calls and before another.
func sitesBetween(first, again *project.Site) (list []*project.Site) {
	for _, s := range first.Func.Sites {
		if s.Node.Start >= first.Node.End && s.Node.End <= again.Node.Start {
			list = append(list, s)
		}
	}
	return list
}

// updatedBetween reports whether an optimizer steps between two calls of a model that is seen not to hold its weights. It reports
// other where the model's own weights may be updated: by an optimizer that is not seen, by a function that is given the model.
func (p *SourcePass) updatedBetween(first, again *project.Site, model string) (updated, other bool) {
	parts := strings.Split(model, ".")
	for _, s := range sitesBetween(first, again) {
		if s.Method() == "step" {
			if strings.HasPrefix(s.Calls.Name, "torch.optim.lr_scheduler.") {
				continue
			}
			held := p.heldBy(p.steppedBy(s))
			if len(held) == 0 || slices.ContainsFunc(parts, func(part string) bool { return held[part] }) {
				return updated, true
			}
			updated = true
			continue
		}
		if fn := s.Calls.Func; fn != nil && stepsWithin(fn, 2) {
			return updated, true
		}
		if name := lastName(s.Node.Func); strings.Contains(name, "requires_grad") || strings.Contains(name, "toggle") {
			continue
		}
		if slices.ContainsFunc(argumentsOf(s.Node), func(e pysrc.Expr) bool { return p.keyOf(e) == model }) {
			return updated, true // soft_update(target, model), clip(model)
		}
	}
	return updated, false
}

// stepsWithin reports a function of the project that steps an optimizer, or calls one that does.
func stepsWithin(fn *project.Function, calls int) bool {
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		return s.Method() == "step" || calls > 0 && s.Calls.Func != nil && s.Calls.Func != fn && stepsWithin(s.Calls.Func, calls-1)
	})
}

// hasLayers reports a method of a model that runs its layers.
func (p *SourcePass) hasLayers(fn *project.Function) bool {
	init := fn.Class.Method("__init__")
	if init == nil || !slices.ContainsFunc(init.Sites, func(s *project.Site) bool {
		return s.Calls.Kind == project.Instance && s.Calls.IsInstance("torch.nn.Module") || weighs[s.Calls.Name] ||
			s.Calls.Class != nil && s.Calls.Class.Derives("torch.nn.Module")
	}) {
		return false
	}
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		_, local := s.Node.Func.(*pysrc.Name)
		return s.Calls.Kind == project.Instance && s.Calls.IsInstance("torch.nn.Module") || local && s.Calls.Unknown() ||
			rootName(s.Node.Func) == "self" && s.Calls.Unknown()
	})
}

// drawsInRun reports a method of a model that gives something else each time it runs, by random numbers or, if asked, by dropout; also
// one of whose layers that is not known.
func (p *SourcePass) drawsInRun(fn *project.Function, dropout bool) bool {
	seen := map[*project.Function]bool{}
	var visit func(fn *project.Function) bool
	visit = func(fn *project.Function) bool {
		if fn == nil || fn.Def == nil || seen[fn] {
			return false
		}
		seen[fn] = true
		return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
			name := s.Calls.Name
			switch last := lastName(s.Node.Func); {
			case project.HasWord(last, "dropout", "drop") || strings.HasPrefix(name, "torch.nn.Dropout") || name == "torch.nn.functional.dropout":
				return dropout
			case last == "sample" || last == "rsample" || fn.BaseName() != "__init__" && isRandom(s):
				return true
			case dropout && s.Calls.Class == nil && s.Calls.IsInstance("torch.nn.Module") && !strings.HasPrefix(name, "torch.nn."):
				return true
			}
			if c := s.Calls.Class; c != nil && c.Derives("torch.nn.Module") {
				return visit(c.Method("__init__")) || visit(c.Method("forward"))
			}
			return visit(s.Calls.Func)
		})
	}
	return fn.Class != nil && visit(fn.Class.Method("__init__")) || visit(fn)
}
