package project

import (
	"context"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"saturate/internal/pysrc"
)

// link connects what was read: imports to modules, bases to classes, calls to
// what they call, and then works out what runs when.
func (p *Project) link(ctx context.Context, opt Options) error {
	p.nameModules()
	p.compose()
	p.joinBases()
	each := func(work func(*Module)) error {
		return inParallel(ctx, opt.Workers, len(p.Modules), func(i int) { work(p.Modules[i]) })
	}
	if err := each((*Module).findAddedFolders); err != nil {
		return err
	}
	if err := each(p.findImports); err != nil {
		return err
	}
	if p.outlined {
		if err := p.fillIn(ctx, opt); err != nil {
			return err
		}
	}
	for i, m := range p.Modules {
		m.Number = i
	}
	if err := each(p.findUnreached); err != nil {
		return err
	}
	p.joinImports()
	p.linkClasses()
	p.findPipes()
	p.findLookups()
	p.findEnvironmentReaders()
	p.gatherMethods()
	p.gatherAppended()
	if err := each(p.linkCalls); err != nil {
		return err
	}
	p.rolesByPath()
	p.findRegistries()
	p.gatherMade()
	p.gatherGin()
	p.gatherLaunches()
	p.gatherOptions()
	p.gatherConfigs()
	p.gatherConfigMerges()
	p.gatherOverridden()
	p.gatherConfigObjects()
	p.gatherUsers()
	p.gatherOptionChanges()
	p.findEvaluating()
	p.findLeadingCalls()
	p.gatherUses()
	if err := each(p.findTurns); err != nil {
		return err
	}
	p.findNamed()
	p.findUnused(nil)
	p.findSamples()
	p.findLoops()
	p.gatherMoves()
	p.findLeading()
	p.findGenerators()
	p.assignRoles()
	p.findTrained()
	p.findOff()
	p.idle = p.findIdle()
	p.findUnused(p.apartFromTraining())
	p.findEvaluation()
	p.findGPU()
	p.gatherNames()
	p.markReached()
	p.linked = true
	return ctx.Err()
}

// linkClasses finds the bases of every class, and tells the bases.
func (p *Project) linkClasses() {
	e := p.NewEval()
	defer e.Release()
	for _, m := range p.Modules {
		for _, c := range m.Classes {
			for _, b := range c.Def.Bases {
				e.steps = mostSteps
				if s, ok := b.(*pysrc.Subscript); ok {
					b = s.Value // Generic[T]
				}
				v := e.expr(b, c.outer)
				if v.Kind == Unknown && len(v.Either) > 0 {
					v = v.Either[0]
				}
				if v.Kind == Unknown {
					v.Name = lastName(b) // a class from nowhere still has a name
				}
				c.bases = append(c.bases, v)
				if v.Class != nil {
					v.Class.subs = append(v.Class.subs, c)
				}
			}
			if e.isModuleOfLibrary(c) {
				c.bases = append(c.bases, Value{Kind: Type, Name: "torch.nn.Module", Sure: Likely})
			}
		}
	}
	for _, m := range p.Modules {
		for _, c := range m.Classes {
			c.line = c.ancestry()
			c.heirs = c.findHeirs()
		}
	}
}

// isModuleOfLibrary reports a class with a forward and layers of torch whose only base is a class of a library of which
// nothing is known: class Backbone(BaseModule).
func (e *Eval) isModuleOfLibrary(c *Class) bool {
	if c.Methods["forward"] == nil || len(c.bases) != 1 {
		return false
	}
	if b := &c.bases[0]; b.Class != nil || b.Name == "" || b.Name == "object" || libraryBase(b.Name) != "" || strings.HasPrefix(b.Name, "torch.") {
		return false
	}
	for _, list := range c.attrs {
		for _, a := range list {
			call, ok := a.value.(*pysrc.Call)
			if !ok {
				continue
			}
			if layer := e.library(call.Func, c.Module.blocks[a.block].Scope); layer != nil && libraryDerives(layer.value.Name, []string{"torch.nn.Module"}) {
				return true
			}
		}
	}
	return false
}

// linkCalls finds what each call of a module calls, and what its assignments set.
func (p *Project) linkCalls(m *Module) {
	e := p.NewEval()
	defer e.Release()
	e.own = m
	for i := len(m.Sites) - 1; i >= 0; i-- { // from the inside out: f(g(x)) lists f first
		if p.plain(e, m.Sites[i]) {
			m.Sites[i].Calls = nothing
			continue
		}
		e.steps = mostSteps
		e.callee(m.Sites[i])
		if s := m.Sites[i]; s.Calls == pending {
			s.Calls = nothing
		}
	}
	for _, a := range m.Assignments {
		e.steps = mostSteps
		a.Name = e.targetName(a)
	}
}

// plain reports whether a method belongs to tensors, strings and containers and to no class of the project. Nothing
// needs its receiver, and finding the receiver would be most of the work.
func (p *Project) plain(e *Eval, s *Site) bool {
	a, ok := s.Node.Func.(*pysrc.Attribute)
	if !ok || !plainMethods[a.Attr] {
		return false
	}
	if _, own := p.methods[a.Attr]; own || s.callsField(a) || s.callsMember(a) {
		return false
	}
	return e.library(a, s.scope()) == nil
}

// callsField reports self.norm(x) in a class that sets such a field: to a layer, whatever methods tensors have.
func (s *Site) callsField(a *pysrc.Attribute) bool {
	return IsSelf(a.Value) && s.Func.Class != nil && s.Func.Class.attrs[a.Attr] != nil
}

// callsMember reports utils.log(x) and tools.utils.log(x), where what the name starts with is a module of the project.
func (s *Site) callsMember(a *pysrc.Attribute) bool {
	name := dottedRoot(a)
	if name == nil {
		return false
	}
	_, b := s.scope().find(name.ID)
	return b != nil && b.Kind == Imported && b.place.found()
}

// callee returns what a call calls. While its module is being linked, the answer is stored with the call. Unknown
// answers are tried again later, when the callers, and with them more types, are known.
func (e *Eval) callee(s *Site) *Value {
	own := e.own != nil && s.Func.Module == e.own
	if _, reading := e.readThrough(s.Func); reading {
		own = false // what it calls now says nothing of other calls
	} else if own && s.Calls != pending || e.own == nil && s.Calls != nothing {
		return s.Calls
	}
	e.hangs(s)
	sc := s.scope()
	if lib := e.library(s.Node.Func, sc); lib != nil {
		if own {
			s.Calls = &lib.value
		}
		return &lib.value
	}
	outer := e.gap
	e.gap = gap{back: whole}
	v := e.intern(e.read(s.Node.Func, sc, true))
	if own && e.gap.none() && e.gap.calls <= 1 {
		s.Calls = v
	}
	e.gap = e.both(e.gap, outer)
	return v
}

// targetName is the canonical name of what is assigned to.
func (e *Eval) targetName(a *Assignment) string {
	sc := a.Module.blocks[a.Block].Scope
	switch t := a.Target.(type) {
	case *pysrc.Attribute:
		if lib := e.library(t, sc); lib != nil {
			return lib.value.Name
		}
		if v := e.expr(t.Value, sc); v.Name != "" && (v.Kind == Instance || v.outsideName()) {
			return v.Name + "." + t.Attr // cudnn = torch.backends.cudnn, too
		}
	case *pysrc.Subscript:
		if key, ok := pysrc.StringValue(t.Slice); ok {
			if lib := e.library(t.Value, sc); lib != nil {
				return lib.value.Name + "." + key
			}
		}
	}
	return ""
}

// gatherUsers lists for each function the calls that may reach it. The arguments of tests, such as save_interval=1, say
// nothing about those of training.
func (p *Project) gatherUsers() {
	use := func(s *Site) (called []*Function) {
		if s.Module().isUnreached(s.Node.Start) {
			return nil
		}
		test := s.Module().Role == Test
		var room fewFunctions
		for _, f := range s.Calls.appendFunctions(room[:0]) {
			if test && f.Module.Role != Test {
				continue
			}
			f.users, called = append(f.users, s), append(called, f)
			if f.Class != nil && f.Def != nil && s.onSelf() { // self.step() of a base runs what derived classes make of it
				for _, o := range f.Class.overrides(f.Def.Name) {
					o.users, called = append(o.users, s), append(called, o)
				}
			}
		}
		return called
	}
	var handed, partials, maps []*Site
	p.makers = map[*Class][]*Site{}
	for _, m := range p.Modules {
		for _, s := range m.Sites {
			if s.Calls == nothing && (s.callsParameter() || p.callsMethodOfGiven(s)) {
				handed = append(handed, s)
			}
			if c := s.Calls.Class; c != nil && s.Calls.Kind == Type && m.Role != Test && c.Dataclass() {
				p.makers[c] = append(p.makers[c], s)
			}
			if s.Calls.Name == "functools.partial" && len(s.Node.Args) > 0 {
				partials = append(partials, s)
			}
			if s.Node.Keyword("fn_kwargs") != nil {
				maps = append(maps, s)
			}
			use(s)
		}
	}
	// Now that callers are known, so is what they hand over to be called: loss_scaler(loss, optimizer).
	e := p.NewEval()
	defer e.Release()
	for _, s := range partials {
		e.steps = mostSteps
		if v := e.expr(s.Node.Args[0], s.scope()); v.Func != nil && v.Kind == Callable && s.Module().Role != Test {
			h := v.Func.handing()
			h.bound = append(h.bound, s)
		}
	}
	for _, s := range maps {
		if v := e.Handed(s); v.Func != nil && v.Kind == Callable && s.Module().Role != Test {
			h := v.Func.handing()
			h.mapped = append(h.mapped, s)
		}
	}
	for _, s := range append(handed, p.unresolvedBesideLookups()...) {
		e.steps = mostSteps
		s.Calls = e.callee(s)
		use(s)
	}
	p.relink(use)
}

// Callers returns the calls that may reach a function. What tests call is left out.
func (p *Project) Callers(f *Function) []*Site { return f.callers() }

// callsMethodOfGiven reports a call of a method, of a class of the project, on what its function was given:
// config.make(…).
func (p *Project) callsMethodOfGiven(s *Site) bool {
	a, ok := s.Node.Func.(*pysrc.Attribute)
	if !ok || plainMethods[a.Attr] {
		return false
	}
	if _, own := p.methods[a.Attr]; !own {
		return false
	}
	name, ok := a.Value.(*pysrc.Name)
	if !ok {
		return false
	}
	_, b := s.scope().find(name.ID)
	return b != nil && b.Kind == Parameter && name.ID != "self"
}

// onSelf reports self.method(…).
func (s *Site) onSelf() bool {
	a, ok := s.Node.Func.(*pysrc.Attribute)
	return ok && IsSelf(a.Value)
}

// callsParameter reports a call of what its function was given.
func (s *Site) callsParameter() bool {
	name, ok := s.Node.Func.(*pysrc.Name)
	if !ok {
		return false
	}
	_, b := s.scope().find(name.ID)
	return b != nil && b.Kind == Parameter
}

// gatherUses lists for each module the modules that it calls into, or whose variables it imports.
func (p *Project) gatherUses() {
	classes, outside := p.madeClasses(), sync.OnceValue(p.classesNamedOutside)
	e := p.NewEval()
	defer e.Release()
	for _, m := range p.Modules {
		seen := map[*Module]bool{m: true}
		use := func(other *Module) {
			if other != nil && !seen[other] {
				seen[other] = true
				m.Uses = append(m.Uses, other)
				other.UsedBy = append(other.UsedBy, m)
			}
		}
		for _, b := range m.imported {
			if other := b.place.module; other != nil && b.from != nil {
				if target := other.Scope.last(b.Node.(*pysrc.Alias).Name); target != nil && target.Kind == Assigned {
					use(other)
				}
			}
		}
		p.joinByName(e, m)
		if p.getsByUnknownName(e, m) {
			for _, c := range outside() {
				if namesEvaluation(path.Base(slashed(c.Module.Path))) && !namesEvaluation(path.Base(slashed(m.Path))) {
					continue // inferencer.py, which the program beside train.py gets by such a name
				}
				use(c.Module)
				m.joins(c.Module)
			}
		}
		for _, s := range m.Sites {
			if makesFromSettings(s.Calls.Name) {
				for _, c := range classes {
					use(c.Module)
					m.joins(c.Module) // by its name in a settings file
				}
			}
			if s.Calls.Name == commandLine { // which makes what it is given
				for i, key := range [...]string{"model_class", "datamodule_class"} {
					if given := s.ArgumentNode(key, i); given != nil {
						if c := e.expr(given, s.scope()).Class; c != nil {
							use(c.Module)
						}
					}
				}
			}
			s.EachPossible(func(v *Value) {
				other := v.Module
				switch {
				case v.Func != nil:
					other = v.Func.Module
				case v.Class != nil:
					other = v.Class.Module
				case inherited(s):
					if c := e.expr(s.Node.Func.(*pysrc.Attribute).Value, s.scope()).Class; c != nil {
						other = c.Module
					}
				}
				use(other)
			})
			for _, v := range e.wideChoice(s) {
				use(v.where())
			}
			if c := e.boundConstructor(s); c != nil {
				use(c.Module)
			}
		}
	}
}

// inherited reports a constructor that a class has from a library: Net.from_pretrained(…).
func inherited(s *Site) bool {
	switch s.Method() {
	case "from_pretrained", "from_config", "load_from_checkpoint", "from_file":
		return true
	}
	return false
}

// functions are the project's functions that calling a value runs: for a class its
// constructor, for an instance its __call__ or forward.
func (callee *Value) functions() []*Function { return callee.appendFunctions(nil) }

// fewFunctions is room for as many functions as most calls may run.
type fewFunctions [4]*Function

// appendFunctions is functions, added to a list.
func (callee *Value) appendFunctions(list []*Function) []*Function {
	if callee == nothing {
		return list
	}
	list = callee.appendOwn(list)
	for i := range callee.Either {
		list = callee.Either[i].appendOwn(list)
	}
	return list
}

// appendOwn is appendFunctions without the alternatives.
func (callee *Value) appendOwn(list []*Function) []*Function {
	switch {
	case callee.Func != nil && callee.Kind == Callable:
		return append(list, callee.Func)
	case callee.Class != nil && callee.Kind == Type:
		for _, name := range [...]string{"__init__", "__post_init__"} {
			if f := callee.Class.Method(name); f != nil {
				list = append(list, f)
			}
		}
	case callee.Class != nil && callee.Kind == Instance:
		for _, name := range [...]string{"__call__", "forward"} {
			if f := callee.Class.Method(name); f != nil {
				return append(list, f)
			}
		}
	}
	return list
}

// runsOwn reports whether calling a value runs a function of the project.
func (callee *Value) runsOwn() bool {
	var room fewFunctions
	return len(callee.appendFunctions(room[:0])) > 0
}

// relative is the path below the project's root.
func (p *Project) relative(file string) string {
	if rel, err := filepath.Rel(p.Root, file); err == nil {
		return rel
	}
	return file
}

// findPrograms puts modules together that imports connect.
func (p *Project) findPrograms() {
	for _, first := range p.Modules {
		if first.program != nil {
			continue
		}
		g := &program{used: map[string]bool{}}
		p.programs = append(p.programs, g)
		first.program = g
		for queue := []*Module{first}; len(queue) > 0; queue = queue[1:] {
			for _, neighbours := range [...][]*Module{queue[0].ImportsFrom, queue[0].ImportedBy} {
				for _, m := range neighbours {
					if m.program == nil {
						m.program = g
						queue = append(queue, m)
					}
				}
			}
		}
	}
}

// gatherNames lists every library name that each program calls or assigns to.
func (p *Project) gatherNames() {
	p.findPrograms()
	var last *Value // calls of a module share theirs
	for _, m := range p.Modules {
		last = nil
		for _, s := range m.Sites {
			if s.Calls.Name != "" && s.Calls != last {
				last = s.Calls
				m.program.used[s.Calls.Name] = true
			}
		}
		for _, a := range m.Assignments {
			if a.Name != "" {
				m.program.used[a.Name] = true
			}
		}
		for _, form := range m.oldForms() {
			m.program.used[form] = true
		}
	}
}
