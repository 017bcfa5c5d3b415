package project

import (
	"strings"

	"saturate/internal/pysrc"
)

// Steadiness tells how often a value changes while a program trains.
type Steadiness uint8

const (
	// Changes: it may differ from step to step.
	Changes Steadiness = iota
	// ByShape: it differs only with the shape of a batch.
	ByShape
	// Always: it is the same in every step, but for its device and type.
	Always
)

// Steady tells whether an expression gives the same in every training step: it depends on constants, settings, fields that
// only __init__ sets, and on parameters for which every step passes such values.
func (e *Eval) Steady(m *Module, x pysrc.Expr) Steadiness {
	e.steps = mostSteps
	sc := m.blocks[m.BlockAt(x.Bounds().Start)].Scope
	s := steadiness{Eval: e}
	return s.of(x, sc, 0)
}

// steadiness is one question about an expression, through variables, parameters and functions.
type steadiness struct {
	*Eval
	within []frame // the calls that lead to the expression
}

// frame is a call of a function, with how steady the arguments are that it passes.
type frame struct {
	fn   *Function
	args map[string]Steadiness
}

func (s *steadiness) of(x pysrc.Expr, sc *Scope, depth int) Steadiness {
	if s.steps--; depth > deepestTensor || s.steps <= 0 {
		return Changes
	}
	switch x := x.(type) {
	case nil, *pysrc.Constant:
		return Always
	case *pysrc.Name:
		return s.name(x, sc, depth)
	case *pysrc.Attribute:
		return s.attribute(x, sc, depth)
	case *pysrc.Call:
		return s.call(x, sc, depth)
	case *pysrc.Lambda, *pysrc.Await, *pysrc.Yield, *pysrc.YieldFrom, *pysrc.NamedExpr:
		return Changes
	case *pysrc.ListComp:
		if listsLengths(x) {
			return Changes // of the samples of a batch
		}
		return s.all(sc.Module.scopeAt(x.Elt), depth, x.Elt)
	case *pysrc.GeneratorExp:
		return s.all(sc.Module.scopeAt(x.Elt), depth, x.Elt)
	}
	return s.children(x, sc, depth)
}

// listsLengths reports a list of the lengths of several tensors or lists: [len(x) for x in xs].
func listsLengths(x *pysrc.ListComp) bool {
	of := x.Elt
	switch e := of.(type) {
	case *pysrc.Call:
		switch lastName(e.Func) {
		case "len":
			if len(e.Args) == 1 {
				of = e.Args[0]
			}
		case "size":
			of = e.Func
		}
	case *pysrc.Subscript:
		if shape, ok := e.Value.(*pysrc.Attribute); ok && shape.Attr == "shape" {
			of = shape
		}
	}
	if of == x.Elt || len(x.Generators) != 1 {
		return false
	}
	item, ok := x.Generators[0].Target.(*pysrc.Name)
	root := RootName(of)
	return ok && root != nil && root.ID == item.ID
}

func (m *Module) scopeAt(x pysrc.Expr) *Scope { return m.blocks[m.BlockAt(x.Bounds().Start)].Scope }

// all is the least steady of several values.
func (s *steadiness) all(sc *Scope, depth int, parts ...pysrc.Expr) Steadiness {
	least := Always
	for _, x := range parts {
		if least == Changes {
			break
		}
		least = min(least, s.of(x, sc, depth+1))
	}
	return least
}

// children is the least steady of the expressions that another is made of.
func (s *steadiness) children(x pysrc.Expr, sc *Scope, depth int) Steadiness {
	least := Always
	pysrc.Inspect(x, func(n pysrc.Node) bool {
		if n == pysrc.Node(x) {
			return true
		}
		if part, ok := n.(pysrc.Expr); ok && least > Changes {
			least = min(least, s.of(part, sc, depth+1))
			return false
		}
		return least > Changes
	})
	return least
}

func (s *steadiness) attribute(x *pysrc.Attribute, sc *Scope, depth int) Steadiness {
	switch x.Attr {
	case "device", "dtype", "is_cuda", "ndim":
		return Always
	case "shape":
		return max(s.of(x.Value, sc, depth+1), ByShape)
	}
	if !IsSelf(x.Value) {
		return s.of(x.Value, sc, depth+1)
	}
	fn := functionOf(sc)
	if fn.Class == nil || fn.Class.changes(x.Attr) || s.writesInto(fn.Class, x.Attr) {
		return Changes
	}
	if v := s.expr(x, sc); v.IsInstance("torch.nn.Parameter", "torch.nn.Module") || v.Name == "torch.nn.Parameter()" {
		return Changes // training changes it
	}
	return Always
}

// writesInto reports a field whose value a method other than __init__ changes in place: self.buffer[i] = x.
func (e *Eval) writesInto(c *Class, field string) bool {
	fields, known := e.inPlace[c]
	if known {
		return fields[field]
	}
	fields = map[string]bool{}
	for _, m := range c.Methods {
		if m.Def == nil || m.BaseName() == "__init__" {
			continue
		}
		pysrc.Inspect(m.Def, func(n pysrc.Node) bool {
			if into := writtenInto(n); into != nil {
				fields[FieldOfSelf(into)] = true
			}
			return true
		})
	}
	if e.inPlace == nil {
		e.inPlace = map[*Class]map[string]bool{}
	}
	e.inPlace[c] = fields
	return fields[field]
}

// writtenInto is what a statement or a call changes in place, or nil.
func writtenInto(n pysrc.Node) pysrc.Expr {
	switch n := n.(type) {
	case *pysrc.Subscript:
		if n.Ctx != pysrc.Load {
			return n.Value
		}
	case *pysrc.AugAssign:
		return n.Target
	case *pysrc.Call:
		if a, ok := n.Func.(*pysrc.Attribute); ok && changesReceiver(a.Attr) {
			return a.Value
		}
	}
	return nil
}

func (s *steadiness) name(x *pysrc.Name, sc *Scope, depth int) Steadiness {
	fn := functionOf(sc)
	holder, b := sc.find(x.ID)
	if b == nil || holder.Func != fn {
		return Always // of Python itself, or a global
	}
	least := Always
	var room [8]*Binding
	for _, b := range holder.reaching(room[:0], x.ID, sc, x.Start) {
		if b.Kind == Assigned && s.setBeforeTraining(b, x, sc.Module) || !s.begin(b) {
			continue
		}
		least = min(least, s.binding(b, fn, depth))
		s.end(b)
		if least == Changes {
			return Changes
		}
	}
	return min(least, s.filled(x.ID, fn, depth))
}

// setBeforeTraining reports a variable that is set before the training loop in which it is used.
func (s *steadiness) setBeforeTraining(b *Binding, use *pysrc.Name, m *Module) bool {
	for loop := m.LoopAround(use); loop != nil; loop = m.LoopAround(loop) {
		if s.p.IsTrainingLoop(m, loop) {
			return b.At < loop.Bounds().Start
		}
	}
	return false
}

func (s *steadiness) binding(b *Binding, fn *Function, depth int) Steadiness {
	sc := b.Scope.Module.blocks[b.Block].Scope
	switch b.Kind {
	case Parameter:
		return s.parameter(b, fn, depth)
	case Assigned:
		return s.of(b.Value, sc, depth+1)
	case Augmented:
		if s.frameOf(fn) != nil {
			return s.of(b.Value, sc, depth+1)
		}
		return Changes
	case Iterated:
		if _, comprehension := b.Node.(*pysrc.Comprehension); comprehension || s.frameOf(fn) != nil {
			return s.of(b.Value, sc, depth+1)
		}
		return Changes
	case Entered, Caught:
		return Changes
	}
	return Always
}

// frameOf is the call through which a function is looked at, or nil.
func (s *steadiness) frameOf(fn *Function) *frame {
	for i := range s.within {
		if s.within[i].fn == fn {
			return &s.within[i]
		}
	}
	return nil
}

// parameter is the least steady of what training steps pass for a parameter.
func (s *steadiness) parameter(b *Binding, fn *Function, depth int) Steadiness {
	if b.Name == fn.Self() {
		return Always
	}
	if call := s.frameOf(fn); call != nil {
		return call.args[b.Name]
	}
	least, given := Always, s.p.givers[fn]
	if len(given) == 0 || len(given) > mostCallers {
		return Changes
	}
	for _, site := range given {
		if x := site.Given(fn, b.Name); x != nil && least > Changes {
			least = min(least, s.of(x, site.Module().scopeAt(x), depth+1))
		} else if x == nil && (!fn.HasDefault(b.Name) || HidesArguments(site.Node)) {
			return Changes
		}
	}
	return least
}

// HidesArguments reports a call that passes *args or **settings.
func HidesArguments(c *pysrc.Call) bool {
	args, keywords := c.Unpacks()
	return args || keywords
}

// HasDefault reports a parameter that a call may leave out.
func (f *Function) HasDefault(name string) bool {
	a := f.Params()
	if a == nil {
		return false
	}
	all := append(append([]*pysrc.Arg{}, a.PosOnly...), a.Args...)
	for i, arg := range all {
		if arg.Name == name {
			return i >= len(all)-len(a.Defaults)
		}
	}
	for i, arg := range a.KwOnly {
		if arg.Name == name {
			return a.KwDefaults[i] != nil
		}
	}
	return false
}

// filled is the least steady of what a function writes into a variable: table[0] = x, table.mul_(x).
func (s *steadiness) filled(name string, fn *Function, depth int) Steadiness {
	if fn.Def == nil {
		return Always
	}
	parts, asked := s.fillsOf(fn)[name], fill{fn, name}
	if len(parts) == 0 || !s.begin(asked) { // while it is being asked: table[0] = f(table[0]) decides nothing
		return Always
	}
	defer s.end(asked)
	least := Always
	for _, x := range parts {
		if least > Changes {
			least = min(least, s.of(x, fn.Module.scopeAt(x), depth+1))
		}
	}
	return least
}

// fill is the question what a function writes into a variable.
type fill struct {
	fn   *Function
	name string
}

// fillsOf are the values and indexes that a function writes into each of its variables.
func (e *Eval) fillsOf(fn *Function) map[string][]pysrc.Expr {
	if fills, known := e.fills[fn]; known {
		return fills
	}
	fills := map[string][]pysrc.Expr{}
	add := func(into pysrc.Expr, parts ...pysrc.Expr) {
		if root := RootName(into); root != nil {
			fills[root.ID] = append(fills[root.ID], parts...)
		}
	}
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Assign:
			if t, ok := n.Targets[0].(*pysrc.Subscript); ok {
				add(t, n.Value, t.Slice)
			}
		case *pysrc.AugAssign:
			if _, plain := n.Target.(*pysrc.Name); !plain {
				add(n.Target, n.Value)
			}
		case *pysrc.Call:
			if a, ok := n.Func.(*pysrc.Attribute); ok && changesReceiver(a.Attr) && len(n.Args) > 0 {
				add(a, n.Args[0])
			}
		}
		return true
	})
	if e.fills == nil {
		e.fills = map[*Function]map[string][]pysrc.Expr{}
	}
	e.fills[fn] = fills
	return fills
}

// changesReceiver reports a method that writes into what it is called on.
func changesReceiver(method string) bool {
	switch method {
	case "append", "extend", "pop", "popleft", "update":
		return true
	}
	return strings.HasSuffix(method, "_") && !strings.HasPrefix(method, "__")
}

func (s *steadiness) call(x *pysrc.Call, sc *Scope, depth int) Steadiness {
	v := s.expr(x.Func, sc)
	a, method := x.Func.(*pysrc.Attribute)
	switch {
	case isRandom(v.Name) || method && isRandom(a.Attr):
		return Changes
	case method && (a.Attr == "size" || a.Attr == "dim" || a.Attr == "numel") || v.Name == "len":
		return max(s.arguments(x, sc, depth), ByShape)
	case method && (a.Attr == "to" || a.Attr == "cuda" || a.Attr == "type_as" || a.Attr == "register_buffer"):
		return s.of(a.Value, sc, depth+1)
	case v.Func != nil:
		return s.function(v.Func, x, sc, depth)
	case v.Class != nil || v.Kind == Instance && v.Name != "":
		return Changes // an object of the project, or a layer
	case v.Kind == Unknown && !method:
		return Changes
	}
	return s.arguments(x, sc, depth)
}

// arguments is the least steady of what a call gets, and of the object whose method it is; a device does not count.
func (s *steadiness) arguments(x *pysrc.Call, sc *Scope, depth int) Steadiness {
	least := s.all(sc, depth, x.Args...)
	for _, k := range x.Keywords {
		if k.Name != "device" && k.Name != "dtype" && k.Name != "like" && least > Changes {
			least = min(least, s.of(k.Value, sc, depth+1))
		}
	}
	if a, ok := x.Func.(*pysrc.Attribute); ok && least > Changes {
		least = min(least, s.of(a.Value, sc, depth+1))
	}
	return least
}

// function is how steady the result of a function of the project is: as the arguments are that its result depends on.
func (s *steadiness) function(f *Function, x *pysrc.Call, sc *Scope, depth int) Steadiness {
	site := sc.Module.SiteAt(x)
	if site == nil || f.returns == nil || f.returnsRandom() || f.IsGenerator() || f.cached() || len(s.within) > 4 {
		return Changes
	}
	least := Always
	if a, ok := x.Func.(*pysrc.Attribute); s.frameOf(f) != nil || f.Class != nil && !(ok && IsSelf(a.Value)) {
		return Changes // another object may change
	}
	args := map[string]Steadiness{}
	for _, p := range f.Params().All() {
		if given := site.Given(f, p.Name); given != nil {
			args[p.Name] = s.of(given, sc, depth+1)
		} else if f.HasDefault(p.Name) && !HidesArguments(x) {
			args[p.Name] = Always
		}
	}
	s.within = append(s.within, frame{f, args})
	for _, r := range f.returns {
		if least > Changes {
			least = min(least, s.of(r, f.Module.scopeAt(r), depth+1))
		}
	}
	s.within = s.within[:len(s.within)-1]
	return least
}

// cached reports a function whose results a decorator keeps.
func (f *Function) cached() bool {
	for _, d := range f.Decorators() {
		if c, ok := d.(*pysrc.Call); ok {
			d = c.Func
		}
		if strings.Contains(lastName(d), "cache") || strings.Contains(lastName(d), "property") {
			return true
		}
	}
	return false
}

// isRandom reports a function of a library that draws numbers or asks for the time.
func isRandom(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	return strings.Contains(name, "random") || strings.HasPrefix(name, "time.") || strings.HasPrefix(last, "rand") ||
		strings.HasPrefix(last, "normal") || strings.HasPrefix(last, "uniform") || last == "bernoulli" ||
		last == "multinomial" || strings.HasPrefix(last, "dropout") || last == "next" || last == "input" || last == "empty"
}
