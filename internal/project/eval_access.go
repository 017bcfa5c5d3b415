package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// attribute tells what value.name stands for.
func (e *Eval) attribute(v Value, name string) Value {
	if len(v.Either) > 0 {
		from := len(e.possible)
		for _, w := range v.Either {
			e.mayBe(e.attribute(w, name))
		}
		return e.merged(from)
	}
	if v.Class == nil && v.Func == nil && v.Module == nil && (v.Kind == Instance || v.Kind == Type || v.Kind == Callable) {
		if set, ok := e.configured(v.Name, name); ok {
			return set
		}
	}
	switch v.Kind {
	case Package:
		if v.Module != nil || v.folder() != "" {
			return e.member(place{v.Module, v.folder()}, name)
		}
		return e.libMember(v.Name, name).value
	case Type:
		if v.Class != nil {
			return e.classAttribute(v.Class, name)
		}
		return e.libMember(v.Name, name).value
	case Instance:
		if v.Class != nil {
			return e.instanceAttribute(v, name)
		}
		if isNamespace(v.Name) {
			return e.option(v, name)
		}
		if isLoaded(v.Name) {
			return e.item(e.loaded(v), stringValue(name))
		}
		if v.Name == "easydict.EasyDict" && v.Made == nil { // args: argparse.Namespace, and no caller that is known
			return e.option(v, name)
		}
		if flag, ok := e.heldFlag(v, name); ok {
			return flag
		}
		if v.Name == loaderClass && v.Made != nil && slices.Contains(signatures[loaderClass], name) {
			return e.argument(v.Made, name, signature{names: signatures[loaderClass]}, 0).via(ByVariable)
		}
		out := e.libMember(v.Name, name).value
		out.Made, out.Sure, out.member = v.Made, v.Sure, true
		return out
	case Callable:
		if isNamespace(v.Name) { // absl.flags.FLAGS, which is an object of the library
			return e.option(v, name)
		}
		if v.outsideName() {
			out := e.libMember(v.Name, name).value
			out.Made, out.member = v.Made, v.member
			return out
		}
	case Key:
		return e.item(v, stringValue(name))
	case Display:
		if _, ok := v.Expr.(*pysrc.Dict); ok && v.attributes {
			inner := e.item(v, stringValue(name)).within(v, name)
			inner.attributes = inner.attributes || inner.Kind == Display
			return inner
		}
	}
	return Value{}
}

// loaderClass keeps what it is made with under the same names: loader.dataset.
const loaderClass = "torch.utils.data.DataLoader"

func stringValue(s string) Value {
	return Value{Kind: Literal, Scalar: Scalar{Type: String, Text: s}, Sure: Certain}
}

// classAttribute tells what Class.name stands for.
func (e *Eval) classAttribute(c *Class, name string) Value {
	var v Value
	found := false
	asked := c
	c.each(func(c *Class) bool {
		if f := c.Methods[name]; f != nil {
			v, found = Value{Kind: Callable, Func: f, Name: c.FullName() + "." + name, Sure: Certain}, true
			if f.decorated("classmethod") {
				v.Self = asked
			}
		} else if b := c.Scope.last(name); b != nil {
			v, found = e.binding(b), true
			if v.Origin.How == ByVariable {
				v.Origin.How = ByField
			}
		}
		return !found
	})
	if !found {
		if f := c.applied(); f != nil && name == "apply" {
			return Value{Kind: Callable, Func: f, Self: c, Name: f.Class.FullName() + ".forward", Sure: Certain}
		}
		if base := c.LibraryBase(); base != "" {
			v = e.libMember(base, name).value
			if v.Kind == Callable && constructors[name] {
				v.Self = c // what it makes is of the class that it is called on
			}
		}
	}
	return v
}

// instanceAttribute tells what an attribute of an instance of a project class stands for.
func (e *Eval) instanceAttribute(v Value, name string) Value {
	c := v.Class
	if f := c.Method(name); f != nil {
		if f.decorated("property", "cached_property") {
			return e.returned(f)
		}
		return Value{Kind: Callable, Func: f, Self: c, Name: f.Class.FullName() + "." + name, Sure: v.Sure, Made: v.Made}
	}
	if fits := c.inHeirs(name); len(fits) > 0 && len(c.attrs[name]) == 0 {
		return merge(fits)
	}
	if name == "module" && len(c.attrs[name]) == 0 && c.Derives("torch.nn.Module") {
		return v // of DataParallel, which the value does not show
	}
	key := field{c, name}
	if v.parsed {
		if given := e.Started(v.Made.Module(), name); given.Kind != Missing {
			return given
		}
		return e.field(c, name).lessSure(Likely)
	}
	if v.Made != nil && c.Dataclass() {
		switch arg := e.argument(v.Made, name, e.signature(v.Made), 0); {
		case arg.Kind == Missing:
		case arg.Kind == Unknown && len(arg.Either) == 0 && arg.Origin.Source == nil && !e.p.setsKey(name): // Config(**json.load(file))
			return e.field(c, name).lessSure(Likely)
		default:
			return arg
		}
	}
	if v.Made != nil && len(c.attrs[name]) == 0 && c.setsAnything() {
		if k := v.Made.Node.Keyword(name); k != nil {
			return e.argument(v.Made, name, e.signature(v.Made), 0).via(ByVariable)
		}
	}
	if v.Made != nil && len(c.attrs[name]) > 1 {
		if own, ok := e.fieldOf(v.Made, c, name); ok {
			return own
		}
	}
	return e.fields.ask(e, key, func() Value { return e.field(c, name) })
}

// setsAnything reports whether a class turns every keyword of its constructor into a field: setattr(self, name, value).
func (c *Class) setsAnything() bool {
	init := c.Methods["__init__"]
	if init == nil || init.Def == nil || init.Def.Args.Kwarg == nil {
		return false
	}
	for _, f := range c.Methods {
		for _, s := range f.Sites {
			if name, ok := s.Node.Func.(*pysrc.Name); ok && name.ID == "setattr" || s.Method() == "update" && pysrc.DottedName(s.Node.Func) == "self.__dict__.update" {
				return true
			}
		}
	}
	return false
}

// fieldOf tells what a field holds of the instance that a call made, where the call's literals rule out some of what
// the constructor assigns: self.data in if mode == "train".
func (e *Eval) fieldOf(made *Site, c *Class, name string) (Value, bool) {
	init := c.Methods["__init__"]
	var values []Value
	left := 0
	for _, a := range c.attrs[name] {
		if a.fn != init || a.value == nil || a.kind == Iterated {
			return Value{}, false
		}
		if e.takenIn(made, init, a.block) != never {
			left++
			values = append(values, e.unpacked(a.value, a.path, c.Module.blocks[a.block].Scope).via(ByVariable))
		}
	}
	return merge(values), left > 0 && left < len(c.attrs[name])
}

// field tells what self.name holds: what its methods assign, __init__ first,
// then what the class body says, then what a library's base brings.
func (e *Eval) field(c *Class, name string) Value {
	from := len(e.possible)
	var promised Value
	c.each(func(c *Class) bool {
		for _, a := range e.chosenAttrs(c.attrs[name]) {
			v := e.assignedField(c, a)
			if v.Kind == Unknown && a.annotation != nil {
				promised = e.annotated(a.annotation, c.Module.blocks[a.block].Scope)
			}
			if a.fn.BaseName() == "__init__" || a.fn.BaseName() == "__post_init__" {
				e.possible = slices.Insert(e.possible, from, v)
			} else {
				e.mayBe(v)
			}
		}
		if b := c.Scope.last(name); b != nil {
			v := e.classField(b)
			if b.annotation() != nil {
				promised = e.annotated(b.annotation(), c.Scope)
			}
			if v.Kind != Unknown && !(v.IsNone() && promised.Kind != Unknown) {
				e.mayBe(v)
			}
		}
		return len(e.possible) == from
	})
	set := len(e.possible) > from
	if v := e.merged(from); v.IsNone() || !set {
		if own := e.heirsField(c, name); (own.Kind != Unknown || len(own.Either) > 0) && !(set && own.Kind == Literal) {
			return own
		}
		if v.IsNone() {
			return v
		}
	} else if v.Kind != Unknown || len(v.Either) > 0 {
		if _, number := v.Float(); number && c.isCounted(name) {
			return Value{} // self.steps = 0 is where it starts
		}
		return v
	}
	if v := e.givenField(c, name); v.Kind != Unknown || len(v.Either) > 0 {
		return v
	}
	if promised.Kind != Unknown {
		return promised
	}
	if !set {
		if base := c.LibraryBase(); base != "" && (base != "dict" || dictMethods[name]) {
			v := e.libMember(base, name).value
			v.member = true
			return v
		}
	}
	return Value{}
}

// assignedField is the value of one assignment to a field.
func (e *Eval) assignedField(c *Class, a attr) Value {
	sc := c.Module.blocks[a.block].Scope
	switch {
	case a.kind == Iterated:
		return e.element(a.value, a.path, sc)
	case a.value != nil:
		return e.unpacked(a.value, a.path, sc).via(ByVariable)
	}
	return Value{}
}

// heirsField tells what the classes that derive from one hold in a field that it leaves to them: self.model of a base
// whose heirs make the model.
func (e *Eval) heirsField(c *Class, name string) Value {
	from := len(e.possible)
	for _, heir := range c.heirs {
		for _, a := range heir.attrs[name] {
			if v := e.assignedField(heir, a); !v.IsNone() {
				e.mayBe(v.lessSure(Likely))
			}
		}
	}
	return e.merged(from)
}

// inHeirs are the methods of a name that only the classes deriving from this one have.
func (c *Class) inHeirs(name string) (list []Value) {
	for _, f := range c.overrides(name) {
		if !f.decorated("property", "cached_property") {
			list = append(list, Value{Kind: Callable, Func: f, Self: f.Class, Name: f.Class.FullName() + "." + name, Sure: Likely})
		}
	}
	return list
}

// givenField tells what those who make objects of a dataclass, or of one that derives from it, give for one of its fields.
func (e *Eval) givenField(c *Class, name string) Value {
	sites := slices.Clip(e.p.makers[c])
	for _, heir := range c.heirs {
		sites = append(sites, e.p.makers[heir]...)
	}
	if len(sites) == 0 || len(sites) > mostCallers || c.Scope.last(name) == nil {
		return Value{}
	}
	from := len(e.possible)
	for _, s := range sites {
		if v, _ := e.findArgument(s, name, e.signature(s), 0); v.Kind != Missing {
			e.mayBe(v.via(ByCaller))
		}
	}
	return e.merged(from)
}

// fieldMakers say in a class body what a field is, and may give its default.
var fieldMakers = setOf("dataclasses.field()", "pydantic.Field", "attr.ib()", "attrs.field()", "flax.struct.field()", "equinox.field()")

// classField is the value of a name in a class body; of a dataclass field, its default.
func (e *Eval) classField(b *Binding) Value {
	v := e.binding(b)
	if b.Kind == Annotated {
		return Value{} // no default: the caller must give it
	}
	if b.Kind == Assigned && b.annotation() != nil {
		if made := e.expr(b.Value, b.Scope); made.Made != nil && fieldMakers[made.Name] {
			v = made // not what the annotation promises
		}
	}
	if v.Kind == Instance && v.Made != nil && fieldMakers[v.Name] {
		if d := e.argument(v.Made, "default", e.signature(v.Made), 0); d.Kind != Missing {
			v = d
		} else if d := e.argument(v.Made, "default_factory", e.signature(v.Made), 0); d.Kind == Callable && d.Func != nil {
			v = e.returned(d.Func)
		} else if d.Kind == Type {
			v = Value{Kind: Instance, Name: d.Name, Class: d.Class, Sure: Likely}
		} else {
			return Value{}
		}
	}
	if v.Kind == Literal && (v.Origin.How == InPlace || v.Origin.How == ByVariable) {
		v.Origin.How = ByField
		v.Sure *= Likely
	}
	return v
}

// subscript tells what value[key] stands for.
func (e *Eval) subscript(x *pysrc.Subscript, sc *Scope) Value {
	if name, ok := pysrc.StringValue(x.Slice); ok {
		if v := e.hyperparameter(x.Value, name, sc); v.Kind != Unknown {
			return v
		}
	}
	if names, ok := e.namespace(x.Value, sc); ok {
		return e.memberNamed(names, x.Slice, sc)
	}
	base := e.expr(x.Value, sc)
	if base.Name == "sys.modules" {
		return e.loadedModule(x.Slice, sc)
	}
	if base.Kind == Type {
		return base // List[int], Generic[T]
	}
	if by, ok := x.Slice.(*pysrc.Slice); ok {
		return e.sliced(base, by, sc)
	}
	return e.item(base, e.expr(x.Slice, sc))
}

// item tells what a key or index of a value holds.
func (e *Eval) item(v, key Value) Value {
	if len(v.Either) > 0 {
		from := len(e.possible)
		for _, w := range v.Either {
			e.mayBe(e.item(w, key))
		}
		return e.merged(from)
	}
	switch v.Kind {
	case Display:
		if name, ok := key.Str(); ok && v.attributes {
			if set, ok := e.assignedIn(v, name); ok {
				return set
			}
		}
		return e.displayItem(v, key)
	case Key:
		return e.afterChanges(v, key, e.asCommanded(settingItem(v, key)))
	case Instance:
		switch {
		case isLoaded(v.Name):
			return e.afterChanges(v, key, e.item(e.loaded(v), key))
		case isNamespace(v.Name):
			if name, ok := key.Str(); ok {
				return e.option(v, name)
			}
			return v // args, unknown = parser.parse_known_args()
		case v.Class != nil:
			if list := e.p.registries[v.Made]; len(list) > 0 && v.Made != nil {
				return e.keptItem(list, key)
			}
			if f := v.Class.Method("__getitem__"); f != nil {
				return e.returned(f)
			}
		case v.prepared && v.Made != nil:
			return e.preparedItem(v, key)
		case v.parsed:
			return e.parsedItem(v, key)
		default:
			all, _ := e.contents(v)
			return all
		}
	}
	return Value{}
}

// displayItem looks a key up in a dict, list or tuple that is written out. When
// the key is not known, every value is possible.
func (e *Eval) displayItem(v, key Value) Value {
	if d, ok := v.Expr.(*pysrc.Dict); ok {
		if kept := e.keptItem(e.p.keptInDict(v), key); kept.Kind != Unknown || len(kept.Either) > 0 {
			return kept
		}
		if key.Kind == Literal {
			return e.entry(v, key)
		}
		if v := e.entriesInSettings(d, v.scope); v.Kind != Unknown || len(v.Either) > 0 {
			return v
		}
		from := len(e.possible)
		for i, k := range d.Keys {
			if k != nil {
				e.mayBe(e.expr(d.Values[i], v.scope))
			} else if inner := e.item(e.expr(d.Values[i], v.scope), key); inner.Kind != Unknown && inner.Kind != Missing {
				e.mayBe(inner)
			}
		}
		e.filledWith(v, func(x pysrc.Expr, sc *Scope) {
			if one := e.once(x, func() Value { return e.expr(x, sc) }); one.Kind == Type || one.Kind == Callable {
				e.mayBe(one)
			}
		})
		return e.merged(from)
	}
	if c, ok := v.Expr.(*pysrc.DictComp); ok && key.Kind == Literal {
		if found := e.once(c, func() Value { return e.comprehended(c, v.scope, key) }); found.Kind != Unknown || len(found.Either) > 0 {
			return found
		}
	}
	if all, ok := e.contents(v); ok {
		return all
	}
	elts := elements(v.Expr)
	if i, ok := key.Int(); ok {
		if i < 0 {
			i += int64(len(elts))
		}
		if i >= 0 && i < int64(len(elts)) {
			return e.expr(elts[i], v.scope)
		}
		return Value{}
	}
	if len(elts) > 0 && len(elts) <= 8 {
		return e.either(elts, v.scope)
	}
	return Value{}
}

// entriesInSettings is one of the classes or functions of a dict whose keys settings files name.
func (e *Eval) entriesInSettings(d *pysrc.Dict, sc *Scope) Value {
	var named []Value
	for i, k := range d.Keys {
		text, ok := pysrc.StringValue(k)
		if !ok || !e.p.isSetting(text) {
			continue
		}
		v := e.expr(d.Values[i], sc)
		if v.Kind != Type && v.Kind != Callable {
			return Value{}
		}
		named = append(named, v)
	}
	return merge(named)
}

// element tells what a loop over an iterable gives, at a path of its target.
func (e *Eval) element(x pysrc.Expr, path trail, sc *Scope) Value {
	if call, ok := x.(*pysrc.Call); ok {
		switch lastName(call.Func) {
		case "enumerate":
			if len(call.Args) > 0 && path != 0 {
				if path.first() == 0 {
					return Value{}
				}
				return e.element(call.Args[0], path.rest(), sc)
			}
		case "zip":
			if path != 0 && path.first() >= 0 && path.first() < len(call.Args) {
				return e.element(call.Args[path.first()], path.rest(), sc)
			}
		case "tqdm", "track", "iter", "list", "tuple", "sorted", "reversed", "islice", "chain", "cycle", "set", "trange":
			if len(call.Args) > 0 {
				return e.element(call.Args[0], path, sc)
			}
		case "items", "values":
			if a, ok := call.Func.(*pysrc.Attribute); ok {
				if names, ok := e.namespace(a.Value, sc); ok {
					return e.namedIn(names, a.Attr == "values", path)
				}
				d := e.expr(a.Value, sc)
				if dict, ok := d.Expr.(*pysrc.Dict); ok && d.Kind == Display && (a.Attr == "values" && path == 0 ||
					path.first() == 1 && path.rest() == 0) {
					return e.either(dict.Values, d.scope)
				}
			}
			return Value{}
		case "getmembers": // of inspect
			if len(call.Args) > 0 {
				if names := e.expr(call.Args[0], sc); names.Kind == Package || len(names.Either) > 0 {
					return e.namedIn(names, false, path)
				}
			}
		}
	}
	return e.elementOf(e.expr(x, sc), path)
}

func (e *Eval) elementOf(v Value, path trail) Value {
	if len(v.Either) > 0 {
		from := len(e.possible)
		for _, w := range v.Either {
			e.mayBe(e.elementOf(w, path))
		}
		return e.merged(from)
	}
	switch {
	case v.Kind == Display:
		if elts := elements(v.Expr); len(elts) > 0 && len(elts) <= 8 {
			from := len(e.possible)
			for _, x := range elts {
				e.mayBe(e.unpacked(x, path, v.scope))
			}
			if path == 0 && v.scope != nil {
				for _, w := range e.appendedTo(v.scope.Module, v.Expr.Bounds().Start) {
					e.mayBe(w)
				}
			}
			return e.merged(from)
		}
		switch comp := v.Expr.(type) {
		case *pysrc.ListComp:
			return e.unpacked(comp.Elt, path, v.scope)
		case *pysrc.GeneratorExp:
			return e.unpacked(comp.Elt, path, v.scope)
		}
		if all, ok := e.contents(v); ok && path == 0 {
			return all
		}
	case v.Kind == Instance && v.Name == "torch.nn.ModuleList" && path == 0:
		all, _ := e.contents(v)
		return all
	case v.Kind == Instance && v.Func != nil:
		return e.yielded(v.Func, path)
	case v.Kind == Instance && v.Class == nil && v.Name != "":
		return Value{Kind: Instance, Name: v.Name + "[]", Made: v.Made, Sure: v.Sure}
	case v.Kind == Instance && v.Class != nil:
		if f := v.Class.Method("__iter__"); f != nil && len(f.yields) > 0 {
			return e.yielded(f, path)
		}
		if f := v.Class.Method("__getitem__"); f != nil && path == 0 {
			return e.returned(f)
		}
	}
	return Value{}
}

// yielded tells what a generator function gives, one at a time.
func (e *Eval) yielded(f *Function, path trail) Value {
	return e.once(yieldKey{f}, func() Value {
		before := len(e.possible)
		for _, y := range f.yields {
			sc := f.Scope
			if from, ok := y.(*pysrc.YieldFrom); ok {
				e.mayBe(e.element(from.Value, path, sc))
			} else {
				e.mayBe(e.unpacked(y, path, sc))
			}
		}
		return e.merged(before)
	})
}

type yieldKey struct{ f *Function }
