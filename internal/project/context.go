package project

import (
	"slices"
	"strings"
	"sync"

	"saturate/internal/pysrc"
)

// EvaluationOnly reports whether a node serves evaluation, inference or tests and not training.
func (p *Project) EvaluationOnly(m *Module, n interface{ Bounds() pysrc.Span }) bool {
	serves, settled := p.servesEvaluation(m, n)
	return serves || !settled && m.withoutGradients(n.Bounds().Start)
}

// ServesEvaluation is EvaluationOnly of what needs no gradients in training, either: the work of a dataset.
func (p *Project) ServesEvaluation(m *Module, n interface{ Bounds() pysrc.Span }) bool {
	serves, _ := p.servesEvaluation(m, n)
	return serves
}

// servesEvaluation reports whether a node serves evaluation alone, and whether that is settled: by the function around it, or by
// what is done with what it makes.
func (p *Project) servesEvaluation(m *Module, n interface{ Bounds() pysrc.Span }) (serves, settled bool) {
	if m.Role == Evaluation || m.Role == Test {
		return true, true
	}
	span := n.Bounds()
	fn := m.FunctionAt(span.Start)
	if path, hot := p.Hot(m, n); hot && path.Kind != Forward {
		return false, true // also what has no gradients: a metric of each step
	}
	if p.evaluates(fn) {
		return true, true
	}
	if use := p.useAround(m, span); use&Trains != 0 || use != NoUse && p.Trains() { // where nothing trains, all loaders are looked at
		return use&Trains == 0, true
	}
	named := p.namedForEvaluation(m, fn, span)
	return named, named
}

// useAround is the use of what a call makes that holds a place, or of a data set whose method holds it and that trains.
func (p *Project) useAround(m *Module, span pysrc.Span) (use Use) {
	p.uses.once.Do(p.findLoaderUses)
	fn := m.FunctionAt(span.Start)
	for _, s := range fn.Sites {
		if s.Node.Start <= span.Start && span.End <= s.Node.End {
			use |= p.uses.made[s]
		}
	}
	if use == NoUse && fn.Class != nil && slices.ContainsFunc(fn.Class.Method("__init__").callers(), func(s *Site) bool { return p.uses.made[s]&Trains != 0 }) {
		return Trains
	}
	return use
}

// namedForEvaluation is the last resort, where no program of the project shows what a library's function or data set is for: its name,
// or that of what it is assigned to.
func (p *Project) namedForEvaluation(m *Module, fn *Function, span pysrc.Span) bool {
	for ; fn != nil && p.hot[fn] == nil; fn = fn.Outer {
		if namesEvaluation(fn.BaseName()) || fn.Class != nil && namesEvaluation(fn.Class.Name) {
			return true
		}
	}
	return slices.ContainsFunc(m.labels(span), namesEvaluation)
}

func namesEvaluation(name string) bool {
	return HasWord(name, evaluationWords...) && !HasWord(name, "train")
}

// labels are the names that stand beside a node, nearest first: of the keyword
// or dict key it is the value of, of the variable it is assigned to, and of a
// call's first argument.
func (m *Module) labels(span pysrc.Span) []string {
	var names []string
	s := m.StatementAt(span.Start)
	if s == nil {
		return nil
	}
	holds := func(x pysrc.Node) bool {
		b := x.Bounds()
		return b.Start <= span.Start && span.End <= b.End
	}
	pysrc.Inspect(s, func(n pysrc.Node) bool {
		if stmt, ok := n.(pysrc.Stmt); ok && stmt != s {
			return false
		}
		if !holds(n) {
			return false
		}
		switch n := n.(type) {
		case *pysrc.Keyword:
			names = append([]string{n.Name}, names...)
		case *pysrc.Dict:
			for i, v := range n.Values {
				if key, ok := pysrc.StringValue(n.Keys[i]); ok && holds(v) {
					names = append([]string{key}, names...)
				}
			}
		case *pysrc.Call:
			if n.Func.Bounds().Start <= span.Start && span.End <= n.Func.Bounds().End || n.Span == span {
				if len(n.Args) > 0 && lastName(n.Func) != "to" { // whose dev is a device
					names = append(names, lastName(n.Args[0]))
				}
				for _, k := range n.Keywords {
					if k.Name == "dataset" || k.Name == "split" {
						text, _ := pysrc.StringValue(k.Value)
						names = append(names, lastName(k.Value), text)
					}
				}
			}
		}
		return true
	})
	switch s := s.(type) {
	case *pysrc.Assign:
		for _, t := range s.Targets {
			if elts, values := elements(t), elements(s.Value); elts != nil && len(elts) == len(values) {
				for i, v := range values {
					if holds(v) {
						names = append(names, targetLabel(elts[i]))
					}
				}
				continue
			}
			names = append(names, targetLabel(t))
		}
	case *pysrc.AnnAssign:
		names = append(names, targetLabel(s.Target))
	}
	return names
}

// targetLabel is the name, attribute or string key that is assigned to.
func targetLabel(t pysrc.Expr) string {
	if s, ok := t.(*pysrc.Subscript); ok {
		if key, ok := pysrc.StringValue(s.Slice); ok {
			return key
		}
		return lastName(s.Value)
	}
	return lastName(t)
}

// withoutGradients reports a place under no_grad or inference_mode in its function.
func (m *Module) withoutGradients(at int32) bool {
	found := false
	m.around(at, func(b *Block) bool {
		if w, ok := b.Owner.(*pysrc.With); ok {
			for _, item := range w.Items {
				found = found || isNoGrad(item.Context)
			}
		}
		return !found
	})
	for f := m.FunctionAt(at); f != nil && !found; f = f.Outer {
		found = f.withoutGradients()
	}
	return found
}

// withoutGradients reports a function that is decorated with no_grad or inference_mode.
func (f *Function) withoutGradients() bool {
	for _, d := range f.Decorators() {
		if isNoGrad(d) {
			return true
		}
	}
	return false
}

func isNoGrad(x pysrc.Expr) bool {
	if c, ok := x.(*pysrc.Call); ok {
		x = c.Func
	}
	name := lastName(x)
	return strings.HasSuffix(name, "no_grad") || strings.HasSuffix(name, "inference_mode") // smart_inference_mode
}

// Under reports whether a node runs in a with block, or in a function with a
// decorator, of one of the canonical names: in its own function, or in every
// call of it.
func (p *Project) Under(e *Eval, m *Module, n interface{ Bounds() pysrc.Span }, names ...string) bool {
	want := make([]string, len(names))
	for i, name := range names {
		want[i] = canonical(name)
	}
	return p.under(e, m, n.Bounds().Start, want, 0)
}

func (p *Project) under(e *Eval, m *Module, at int32, names []string, depth int) bool {
	found := false
	m.around(at, func(b *Block) bool {
		if w, ok := b.Owner.(*pysrc.With); ok {
			for _, item := range w.Items {
				found = found || p.enters(e, m, item.Context, names, depth)
			}
		}
		return !found
	})
	fn := m.FunctionAt(at)
	for f := fn; f != nil && !found; f = f.Outer {
		for _, d := range f.Decorators() {
			found = found || p.enters(e, m, d, names, depth)
		}
	}
	if found || depth >= 3 {
		return found
	}
	users := fn.callers()
	if len(users) == 0 || len(users) > mostCallers {
		return false
	}
	for _, s := range users {
		if s.Func == fn || !p.under(e, s.Module(), s.Node.Start, names, depth+1) {
			return false
		}
	}
	return true
}

// Uses reports whether the project calls or assigns to one of the canonical
// names; a name may end in .*.
func (p *Project) Uses(names ...string) bool {
	return slices.ContainsFunc(p.programs, func(g *program) bool { return g.uses(names) })
}

// UsedWith is Uses for a module and the modules that imports connect it with, in either direction. Unrelated programs
// of the project do not count: a folder of examples holds many.
func (p *Project) UsedWith(m *Module, names ...string) bool { return m.program.uses(names) }

// Program tells programs apart: it is the same for modules that imports connect, in either direction.
func (m *Module) Program() any { return m.program }

// program is the modules that imports connect.
type program struct {
	used  map[string]bool // canonical names that are called or assigned to
	asked sync.Map        // what uses has answered
}

func (g *program) uses(names []string) bool {
	for _, name := range names {
		used, known := g.asked.Load(name)
		if !known {
			used = g.find(name)
			g.asked.Store(name, used)
		}
		if used.(bool) {
			return true
		}
	}
	return false
}

func (g *program) find(name string) bool {
	prefix, below := strings.CutSuffix(name, ".*")
	prefix = Canonical(prefix)
	if !below {
		return g.used[prefix]
	}
	for name := range g.used {
		if rest, ok := strings.CutPrefix(name, prefix); ok && strings.HasPrefix(rest, ".") {
			return true
		}
	}
	return false
}

// Canonical gives the one name that this package uses for a name of a library.
func Canonical(name string) string {
	canonicals.RLock()
	known, ok := canonicals.names[name]
	canonicals.RUnlock()
	if ok {
		return known
	}
	c := canonical(name)
	canonicals.Lock()
	canonicals.names[name] = c
	canonicals.Unlock()
	return c
}

// canonicals are the names that rules ask for, over and over.
var canonicals = struct {
	sync.RWMutex
	names map[string]string
}{names: map[string]string{}}

// Prepared reports whether the result of a call is passed to a framework that replaces it: accelerator.prepare(loader),
// trainer.fit(model, loader).
func (p *Project) Prepared(e *Eval, s *Site) bool {
	stmt, ok := s.Module().StatementAt(s.Node.Start).(*pysrc.Assign)
	if !ok {
		return false
	}
	for _, t := range stmt.Targets {
		name := pysrc.DottedName(t)
		if name == "" {
			continue
		}
		for _, user := range s.Module().Sites {
			switch user.Method() {
			case "prepare", "prepare_data_loader", "setup_dataloaders", "fit":
				for _, a := range user.Node.Args {
					if pysrc.DottedName(a) == name {
						return true
					}
				}
				for _, k := range user.Node.Keywords {
					if pysrc.DottedName(k.Value) == name {
						return true
					}
				}
			}
		}
	}
	return false
}
