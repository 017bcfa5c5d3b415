package project

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// findOff finds the arms of ifs that settings, defaults and scripts leave out in every run: if args.chunks > 1 with a
// default of 1. What users may well turn on is none: an arm that moves tensors to the GPU, or without which nothing trains.
func (p *Project) findOff() {
	p.off = map[*Module][]pysrc.Span{}
	p.written = make(map[*Source]*Module, len(p.Modules)) // before several files are looked at at a time
	for _, m := range p.Modules {
		p.written[m.Source] = m
	}
	e := p.NewEval()
	defer e.Release()
	library := p.isLibrary()
	for _, m := range p.Modules {
		if m.Role == Test || m.Outline {
			continue
		}
		for i := range m.blocks {
			b := &m.blocks[i]
			test, ok := b.Owner.(*pysrc.If)
			if !ok || m.isUnreached(b.Span.Start) {
				continue
			}
			e.steps = mostSteps
			holds, known := e.decided(m, test.Test, library)
			if known && holds != (b.Arm == Body) && !movesToGPU(bodyOf(b)) && !p.trainsOnlyIn(m, test, b.Arm) {
				p.off[m] = append(p.off[m], b.Span)
			}
		}
	}
}

// trainsOnlyIn reports an if of which this arm trains and the other does not: if args.do_train.
func (p *Project) trainsOnlyIn(m *Module, test *pysrc.If, arm Arm) bool {
	this, other := test.Body, test.Orelse
	if arm == Else {
		this, other = other, this
	}
	return p.trainsIn(m, this) && !p.trainsIn(m, other)
}

// trainsAround reports an if before or behind which its function trains in any case, or each function that calls that one: if
// args.pretrain.
func (p *Project) trainsAround(m *Module, test *pysrc.If) bool {
	return p.trainsBesides(m, test.Start, 2)
}

// trainsBesides reports a place in a function that trains in any case by other statements than the one there, or of which all
// callers do.
func (p *Project) trainsBesides(m *Module, at int32, calls int) (found bool) {
	m.around(at, func(b *Block) bool {
		for _, s := range m.statementsOf(b) {
			if _, choice := s.(*pysrc.If); !choice && !s.Bounds().Contains(int(at)) && p.trainsIn(m, []pysrc.Stmt{s}) {
				found = true
			}
		}
		return !found
	})
	users := m.FunctionAt(at).callers()
	return found || calls > 0 && len(users) > 0 && !slices.ContainsFunc(users, func(s *Site) bool {
		return s.Func.Def == nil || !p.trainsBesides(s.Module(), s.Node.Start, calls-1)
	})
}

// trainsIn reports statements that take a training step, or call what does.
func (p *Project) trainsIn(m *Module, list []pysrc.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	first, last := list[0].Bounds().Start, list[len(list)-1].Bounds().End
	for _, s := range m.FunctionAt(first).Sites {
		if first <= s.Node.Start && s.Node.Start < last && (isStep(s) || s.startsTrainer() || s.Calls.Func != nil && p.leading[s.Calls.Func]) {
			return true
		}
	}
	return false
}

// decided reports whether a test holds in every run, if what sets its values is seen: unlike holds, it believes no value
// that a user of a library or a command may give.
func (e *Eval) decided(m *Module, test pysrc.Expr, library bool) (holds, known bool) {
	return truth(test, func(x pysrc.Expr) (holds, known bool) {
		switch t := x.(type) {
		case *pysrc.Name, *pysrc.Attribute, *pysrc.Compare, *pysrc.Subscript:
			if c, ok := t.(*pysrc.Compare); ok && (c.Ops[0] == pysrc.Is || c.Ops[0] == pysrc.IsNot) {
				return false, false // x is None asks what a caller gave, and is most of the tests there are
			}
			if len(e.p.Scripts) == 0 && e.settable(Value{}, x, m.setAgain) {
				return false, false // whatever the value is
			}
			v := e.Of(m, x)
			holds, known = v.Truth()
			return holds, known && v.Kind == Literal && e.settled(m, x, v, library)
		}
		return false, false
	})
}

// settled reports a value that is the same in every run and in every step.
func (e *Eval) settled(m *Module, test pysrc.Expr, v Value, library bool) bool {
	switch v.Origin.How {
	case Nowhere, InPlace, ByEnvironment:
		return false
	case ByScript:
		return true
	case ByDefault:
		if library || !e.p.isCalled(v.Origin) {
			return false
		}
	case ByField:
		if library {
			return false
		}
	case BySettings:
		if e.p.isChoice(v.Origin.Source) {
			return false
		}
	}
	if !e.p.isSetOnce(test) && e.Steady(m, test) != Always {
		return false
	}
	return !e.settable(v, test, m.setAgain)
}

// setAgain reports a name that nothing in sight sets, or more than one statement.
func (m *Module) setAgain(name *pysrc.Name) bool {
	_, b := m.blocks[m.BlockAt(name.Start)].Scope.find(name.ID)
	return b == nil || b.prior != nil
}

// settable reports a value that a run may give in another way: an option with a default that a file may change, a name in the
// expression that a script gives, or a variable of which other says so, if that is not nil.
func (e *Eval) settable(v Value, test pysrc.Expr, other func(*pysrc.Name) bool) bool {
	found := v.Origin.How == ByOption && e.p.takesDefaults(v.Origin.Source)
	pysrc.Inspect(test, func(n pysrc.Node) bool {
		name := ""
		switch x := n.(type) {
		case *pysrc.Name:
			name = x.ID
			found = found || other != nil && other(x)
		case *pysrc.Attribute:
			name = x.Attr
		case *pysrc.Subscript:
			name, _ = pysrc.StringValue(x.Slice)
		}
		found = found || name != "" && e.p.givenByScripts(name)
		return !found && name == "" // of args.deep, scripts give deep
	})
	return found
}

// isChoice reports a settings file that lies beside others, of which a run may take another: loss/dpo.yaml, loss/sft.yaml.
func (p *Project) isChoice(source *Source) bool {
	count := 0
	for _, s := range p.Settings {
		if path.Dir(slashed(s.Path)) == path.Dir(slashed(source.Path)) {
			count++
		}
	}
	return count != 1
}

// isSetOnce reports a test of a field, self.deep, that one statement of the project sets and no other.
func (p *Project) isSetOnce(test pysrc.Expr) bool {
	field := FieldOfSelf(test)
	return field != "" && len(p.AssignmentsTo(field)) == 1
}

// neverSet reports that no statement of the project sets an attribute that a test asks for: args.deep, args.deep > 1.
func (p *Project) neverSet(test pysrc.Expr) bool {
	if c, ok := test.(*pysrc.Compare); ok {
		test = c.Left
	}
	a, ok := test.(*pysrc.Attribute)
	return ok && len(p.AssignmentsTo(a.Attr)) == 0
}

// takesDefaults reports a module that changes the defaults of its options, to those of a file perhaps.
func (p *Project) takesDefaults(source *Source) bool {
	m := p.moduleOf(source)
	return m == nil || p.defaultsOpen[m] || m.Says("__dict__") || m.imports["configargparse"] || m.imports["jsonargparse"]
}

// isCalled reports a default of a function that the project calls.
func (p *Project) isCalled(at Origin) bool {
	fn := p.functionOf(at)
	return fn != nil && len(fn.callers()) > 0
}

// functionOf is the function whose parameter has a default, or nil.
func (p *Project) functionOf(at Origin) *Function {
	m := p.moduleOf(at.Source)
	if m == nil {
		return nil
	}
	for _, f := range m.Functions {
		if f.Def != nil && len(f.Def.Body) > 0 && f.Def.Start <= at.Span.Start && at.Span.End <= f.Def.Body[0].Bounds().Start {
			return f
		}
	}
	return nil
}

// moduleOf is the module whose text a source is, nil for a settings file or a script.
func (p *Project) moduleOf(source *Source) *Module {
	return p.written[source]
}

// givenByScripts reports a name that some script or README gives a value.
func (p *Project) givenByScripts(name string) bool {
	if given, known := p.scriptGives.Load(name); known {
		return given.(bool)
	}
	given := false
	for _, s := range p.Scripts {
		for _, form := range []string{"-" + name, "-" + strings.ReplaceAll(name, "_", "-"), name + "="} {
			given = given || containsWhole(s.Text, form) && (form[0] == '-' || !isReadme(s.Path) || s.commandSays(form))
		}
	}
	p.scriptGives.Store(name, given)
	return given
}

// commandSays reports a README in which a command that starts a program of Python has a word, and not only code that it shows.
func (s *Source) commandSays(word string) bool {
	return slices.ContainsFunc(commands.FindAll(s.Text, -1), func(line []byte) bool {
		starts := bytes.Contains(line, []byte(".py")) || bytes.Contains(line, []byte("python")) || !bytes.ContainsAny(line, "(,[") && len(wordsOf(line, 0)) > 1
		return starts && containsWhole(line, word)
	})
}

// containsWhole reports a text that has a word, and not only as a part of a longer one.
func containsWhole(text []byte, word string) bool {
	for from := 0; ; {
		at := bytes.Index(text[from:], []byte(word))
		if at < 0 {
			return false
		}
		at += from
		from = at + len(word)
		before := at == 0 || !isWordByte[text[at-1]] || word[0] == '-'
		after := from == len(text) || !isWordByte[text[from]] && text[from] != '-' || word[len(word)-1] == '='
		if before && after {
			return true
		}
	}
}
