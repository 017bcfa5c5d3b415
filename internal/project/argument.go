package project

import (
	"bytes"
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// argument is the place where a missing argument would be written.
type argument struct {
	site    *Site
	name    string
	mapping *Setting // the only thing that the call unpacks: a mapping of a settings file
}

// Argument returns the value passed for a parameter: by keyword, by position if the signature is known, from an
// unpacked dict, or bound by partial. It is Missing if it is not passed, and Unknown if its value is unknown or if an
// unknown value that is unpacked may contain it.
func (e *Eval) Argument(s *Site, name string) Value {
	e.steps = mostSteps
	return e.argument(s, name, e.signature(s), 0)
}

// ArgumentAt returns the positional argument, from 0.
func (e *Eval) ArgumentAt(s *Site, i int) Value {
	e.steps = mostSteps
	for k, a := range s.Node.Args {
		if _, ok := a.(*pysrc.Starred); ok {
			return Value{}
		}
		if k == i {
			return e.given(a, s)
		}
	}
	return Value{Kind: Missing, Sure: Certain}
}

// ArgumentNode returns the expression of an argument that is written out, or nil.
func (s *Site) ArgumentNode(name string, position int) pysrc.Expr {
	if k := s.Node.Keyword(name); k != nil {
		return k.Value
	}
	for i, a := range s.Node.Args {
		if _, ok := a.(*pysrc.Starred); ok {
			return nil
		}
		if i == position {
			return a
		}
	}
	return nil
}

// starred returns what a call unpacks for a parameter, batch of model(*batch) or of model(**batch), and the place of the parameter in
// it, or a place below 0 for its name; nil where that is not known.
func (s *Site) starred(position int) (from pysrc.Expr, place int) {
	for i, a := range s.Node.Args {
		star, ok := a.(*pysrc.Starred)
		if !ok || position < i {
			continue
		}
		from, place = star.Value, position-i
		if cut, ok := from.(*pysrc.Subscript); ok { // batch[2:]
			slice, ok := cut.Slice.(*pysrc.Slice)
			if !ok || slice.Step != nil {
				return from, place
			}
			if slice.Lower != nil {
				lower, known := pysrc.IntValue(slice.Lower)
				if !known || lower < 0 {
					return nil, 0
				}
				place += int(lower)
			}
			from = cut.Value
		}
		return from, place
	}
	if k := s.Node.Keyword(""); k != nil && len(s.Node.Args) <= max(position, 0) {
		return k.Value, -1
	}
	return nil, 0
}

// signature is what a call's positional arguments are passed for, as the caller counts them: parameters of a function of
// the project, or names.
type signature struct {
	parameters []*pysrc.Arg
	names      []string
}

// has reports whether the argument at a place, from 0, is passed for a name.
func (s signature) has(at int, name string) bool {
	if s.parameters != nil {
		return at < len(s.parameters) && s.parameters[at].Name == name
	}
	return at < len(s.names) && s.names[at] == name
}

// signature returns that of what a call calls.
func (e *Eval) signature(s *Site) signature { return e.signatureOf(e.callee(s)) }

// signatureFor is signature of a call as far as it calls a function: one of several classes or functions that it may call.
func (e *Eval) signatureFor(s *Site, f *Function) signature {
	callee := e.callee(s)
	for i := range callee.Either {
		if slices.Contains(callee.Either[i].functions(), f) {
			return e.signatureOf(&callee.Either[i])
		}
	}
	return e.signatureOf(callee)
}

func (e *Eval) signatureOf(callee *Value) signature {
	switch {
	case callee.Func != nil:
		return signature{parameters: positional(callee.Func, callee.Self != nil || callee.Func.decorated("classmethod"))}
	case callee.Class != nil && callee.Kind == Type:
		return e.constructor(callee.Class)
	case callee.Class != nil && callee.Kind == Instance:
		for _, name := range [...]string{"__call__", "forward"} {
			if f := callee.Class.Method(name); f != nil {
				return signature{parameters: positional(f, true)}
			}
		}
	}
	return signature{names: signatures[strings.TrimSuffix(callee.Name, ".__init__")]}
}

// constructor returns the parameters of a class: of its __init__, or its fields,
// or those of a library's base.
func (e *Eval) constructor(c *Class) signature {
	if f := c.Method("__init__"); f != nil {
		return signature{parameters: positional(f, true)}
	}
	if c.Dataclass() {
		var names []string
		c.each(func(c *Class) bool {
			var own []string
			for _, b := range c.Scope.all() {
				if b.annotation() != nil {
					own = append(own, b.Name)
				}
			}
			names = append(own, names...)
			return true
		})
		return signature{names: names}
	}
	return signature{names: signatures[c.LibraryBase()]}
}

// positional returns the parameters that arguments may be passed for by position; bound leaves out that of the object.
func positional(f *Function, bound bool) []*pysrc.Arg {
	a := f.Params()
	if a == nil {
		return nil
	}
	list := a.Args
	if len(a.PosOnly) > 0 {
		list = slices.Concat(a.PosOnly, a.Args)
	}
	if bound && len(list) > 0 && f.Class != nil && f.Def != nil && (!f.decorated("staticmethod") || f.isApplied()) {
		list = list[1:]
	}
	return list
}

// position returns the place of the argument that a call passes for a parameter, or -1.
func (f *Function) position(name string) int {
	return slices.IndexFunc(positional(f, true), func(a *pysrc.Arg) bool { return a.Name == name })
}

// argument looks in the call, then in the unpacked values, then in the arguments that partial bound. It ignores the
// first skip positional arguments, which belong to partial itself.
func (e *Eval) argument(s *Site, name string, by signature, skip int) Value {
	v, mapping := e.findArgument(s, name, by, skip)
	if v.Kind == Missing {
		v.more = &more{missing: &argument{s, name, mapping}}
	}
	return v
}

// findArgument is argument for who does not write what is missing; it also returns the mapping that the place of a missing
// argument has.
func (e *Eval) findArgument(s *Site, name string, by signature, skip int) (Value, *Setting) {
	if e.depth > mostDeep {
		e.gap.deep = true
		return Value{}, nil
	}
	e.depth++
	defer func() { e.depth-- }()
	if k := s.Node.Keyword(name); k != nil {
		return e.given(k.Value, s), nil
	}
	var partial *Site
	bound := 0
	if callee := e.callee(s); callee.partial && callee.Made != nil && callee.Made != s && skip == 0 {
		partial = callee.Made
		bound = len(partial.Node.Args) - 1 // what partial has bound already
	}
	hidden := false
	sc := s.scope()
	for i, a := range s.Node.Args {
		if i < skip {
			continue
		}
		if star, ok := a.(*pysrc.Starred); ok {
			if e.nothingMore(star.Value, sc) {
				continue
			}
			hidden = true
			break
		}
		if by.has(i-skip+bound, name) {
			return e.given(a, s), nil
		}
	}
	var mapping *Setting
	for _, k := range s.Node.Keywords {
		if k.Name != "" {
			continue
		}
		if v, own := e.handedKeyword(k.Value, name, Value{Kind: Missing, Sure: Certain}, sc); own {
			switch {
			case v.Kind == Missing:
			case v.Kind == Unknown && len(v.Either) == 0:
				hidden = true
			default:
				return v, nil
			}
			continue
		}
		unpacked := e.expr(k.Value, sc)
		if nodes := unpacked.nodes(); unpacked.Kind == Key && len(nodes) == 1 && mapping == nil && e.unpackedOnce(s, k.Value) {
			mapping = nodes[0]
		}
		v := e.unpackedKey(unpacked, name)
		switch {
		case v.Kind == Missing:
		case v.Kind == Unknown && len(v.Either) == 0:
			hidden = true
		default:
			return v, nil
		}
	}
	if partial != nil {
		if v, _ := e.findArgument(partial, name, by, 1); v.Kind != Missing {
			return v, nil
		}
	}
	if v := e.ginArgument(s, name); v.Kind != Missing {
		return v, nil
	}
	sure := Certain
	if hidden {
		if e.p.spells(name) {
			return Value{}, nil
		}
		sure = Likely // what is unpacked cannot hold a name that nothing of the project spells
	}
	return Value{Kind: Missing, Sure: sure}, mapping
}

// unpackedOnce reports whether no other call unpacks the same value, so that a key added to it reaches only this call.
func (e *Eval) unpackedOnce(s *Site, x pysrc.Expr) bool {
	m, b := s.Module(), x.Bounds()
	text := "**" + string(m.Text[b.Start:b.End])
	if bytes.Count(m.Text, []byte(text)) > 1 {
		return false
	}
	return !slices.ContainsFunc(e.p.Modules, func(other *Module) bool { return other != m && other.Says(text) })
}

// unpackedKey looks a name up in the mapping that ** unpacks.
func (e *Eval) unpackedKey(v Value, name string) Value {
	if v.Kind == Instance && v.Class != nil && v.Class.Dataclass() {
		return e.attribute(v, name)
	}
	if v.Kind == Display || v.Kind == Key || v.Kind == Instance && (isLoaded(v.Name) || isNamespace(v.Name)) ||
		len(v.Either) > 0 {
		return e.item(v, stringValue(name))
	}
	return Value{}
}

// given is the value of an argument that the call writes out. If the value is unknown, its place is still known.
func (e *Eval) given(x pysrc.Expr, s *Site) Value {
	sc := s.scope()
	v := e.expr(x, sc)
	if v.Kind == Missing {
		v = Value{}
	}
	if v.Origin.Source == nil {
		v.Origin = origin(sc, x)
	} else if v.Kind == Literal && v.Origin.How != InPlace && v.more != nil && v.more.use.Source == nil {
		m := *v.more
		m.use = origin(sc, x)
		v.more = &m
	}
	return v
}

// scope is where the arguments of a call are read.
func (s *Site) scope() *Scope { return s.Func.Module.blocks[s.Block].Scope }

// parameter returns the value of a parameter: the instance for self, the values that callers pass, its default, or an
// instance of the annotated class.
func (e *Eval) parameter(b *Binding) Value {
	f := b.Scope.Func
	params := f.Params()
	if f.Class != nil && f.Def != nil && !f.decorated("staticmethod") {
		if first := params.First(); first != nil && first.Name == b.Name {
			if f.decorated("classmethod") {
				return Value{Kind: Type, Class: f.Class, Name: f.Class.FullName(), Sure: Certain}
			}
			return Value{Kind: Instance, Class: f.Class, Name: f.Class.FullName(), Sure: Certain}
		}
	}
	if v, ok := e.decoratorArgument(f, b.Name); ok {
		return v
	}
	if params.Vararg != nil && params.Vararg.Name == b.Name || params.Kwarg != nil && params.Kwarg.Name == b.Name {
		return Value{}
	}
	v := e.passed(f, b.Name)
	if v.Kind == Unknown && b.annotation() != nil {
		if promised := e.annotated(b.annotation(), f.Scope.Parent); promised.Kind != Unknown {
			if len(v.Either) == 0 {
				return promised
			}
		}
	}
	return v
}

// mostCallers is the most callers, or other places that set a value, that are looked at; with more, the value is unknown.
const mostCallers = 8

// passed tells what the callers of a function pass for a parameter.
func (e *Eval) passed(f *Function, name string) Value {
	if call, reading := e.readThrough(f); reading {
		v := call.named(name)
		if v.Kind == Missing {
			return Value{}
		}
		return v.via(ByCaller)
	}
	users := e.callersOf(f)
	if len(users) > e.callers {
		return Value{}
	}
	from := len(e.possible)
	e.possible = append(e.possible, e.fromSettings(f, name)...)
	for _, s := range users {
		v, _ := e.findArgument(s, name, e.signatureFor(s, f), 0)
		if v.Kind == Missing {
			v = e.defaultOf(f, name)
			if v.Kind == Missing {
				continue // called another way: a callback, a wrapper
			}
		}
		e.mayBe(v.via(ByCaller))
		if s.isSuper() { // a class derived from this one says nothing of this one
			if v = e.defaultOf(f, name); v.Kind != Missing {
				e.mayBe(v)
			}
		}
	}
	handed := f.handed()
	for _, s := range handed.mapped {
		if v := e.unpackedKey(e.expr(s.Node.Keyword("fn_kwargs").Value, s.scope()), name); v.Kind != Missing {
			e.mayBe(v.via(ByCaller))
		}
	}
	for _, l := range handed.launched {
		if v := e.handedBy(l, f, name); v.Kind != Missing {
			e.mayBe(v.via(ByCaller))
		}
	}
	for _, s := range handed.bound {
		if v := e.argument(s, name, signature{parameters: positional(f, true)}, 1); v.Kind != Missing {
			e.mayBe(v.via(ByCaller))
		}
	}
	if len(e.possible) > from {
		return e.merged(from)
	}
	if v := e.defaultOf(f, name); v.Kind == Literal && !v.IsNone() {
		return v.lessSure(Likely)
	} else if v.Kind == Type || v.Kind == Callable || v.Kind == Display || v.Kind == Instance && v.Class != nil {
		return v.lessSure(Likely)
	}
	return Value{}
}

// keywordArgument tells what kwargs.get("name", default) gives, where kwargs is the function's own **kwargs: what the
// callers pass by that name, or the default.
func (e *Eval) keywordArgument(of pysrc.Expr, args []pysrc.Expr, sc *Scope) (Value, bool) {
	if len(args) == 0 {
		return Value{}, false
	}
	name, ok := pysrc.StringValue(args[0])
	if !ok {
		return Value{}, false
	}
	absent := Value{}
	if len(args) > 1 {
		absent = e.expr(args[1], sc)
	}
	return e.handedKeyword(of, name, absent, sc)
}

// handedKeyword returns the value that the callers of a function pass for a name in its **kwargs, or absent if they
// pass none. It returns false if the expression is not those kwargs.
func (e *Eval) handedKeyword(kwargs pysrc.Expr, name string, absent Value, sc *Scope) (Value, bool) {
	if field, ok := kwargs.(*pysrc.Attribute); ok && IsSelf(field.Value) { // self.options = options of __init__(self, **options)
		if f := functionOf(sc); f != nil && f.Class != nil && len(f.Class.attrs[field.Attr]) == 1 {
			if set := f.Class.attrs[field.Attr][0]; set.path == 0 && set.fn.Class == f.Class {
				kwargs, sc = set.value, set.fn.Scope
			}
		}
	}
	all, ok := kwargs.(*pysrc.Name)
	f := functionOf(sc)
	if !ok || f == nil || f.Params() == nil || f.Params().Kwarg == nil || f.Params().Kwarg.Name != all.ID {
		return Value{}, false
	}
	users := e.callersOf(f)
	if len(users) == 0 || len(users) > mostCallers || e.depth > mostDeep/2 {
		return Value{}, absent.Kind == Missing
	}
	asked := handed{f, name}
	if !e.begin(asked) { // wrappers that hand on to each other
		return Value{}, absent.Kind == Missing
	}
	defer e.end(asked)
	from := len(e.possible)
	missing := 0
	for _, s := range users {
		v, _ := e.findArgument(s, name, e.signature(s), 0)
		if v.Kind == Missing {
			missing++
			v = absent
		}
		e.mayBe(v.via(ByCaller))
	}
	v := e.merged(from)
	if missing == len(users) {
		return absent, true
	}
	return v, true
}

// handed is the question what callers hand on for a name among the keywords of a function.
type handed struct {
	to   *Function
	name string
}

// nothingMore reports whether args is the *args of a function whose callers pass nothing beyond its named parameters.
func (e *Eval) nothingMore(args pysrc.Expr, sc *Scope) bool {
	rest, ok := args.(*pysrc.Name)
	f := functionOf(sc)
	if !ok || f == nil || f.Params() == nil || f.Params().Vararg == nil || f.Params().Vararg.Name != rest.ID {
		return false
	}
	users := e.callersOf(f)
	if len(users) == 0 || len(users) > mostCallers {
		return false
	}
	own := len(positional(f, true))
	for _, s := range users {
		if len(s.Node.Args) > own || slices.ContainsFunc(s.Node.Args, func(a pysrc.Expr) bool { _, star := a.(*pysrc.Starred); return star }) {
			return false
		}
	}
	return true
}

// isSuper reports super().method(…).
func (s *Site) isSuper() bool {
	a, ok := s.Node.Func.(*pysrc.Attribute)
	if !ok {
		return false
	}
	c, ok := a.Value.(*pysrc.Call)
	return ok && lastName(c.Func) == "super"
}

// defaultOf is the default of a parameter, Missing when it has none.
func (e *Eval) defaultOf(f *Function, name string) Value {
	if v := e.ginDefault(f, name); v.Kind != Missing {
		return v
	}
	d := f.Params().Default(name)
	if d == nil {
		return Value{Kind: Missing}
	}
	return e.expr(d, f.Scope.Parent).via(ByDefault)
}
