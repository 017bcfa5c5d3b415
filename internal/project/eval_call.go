package project

import (
	"strings"

	"saturate/internal/pysrc"
)

// call tells what a call gives.
func (e *Eval) call(x *pysrc.Call, sc *Scope) Value {
	site := sc.Module.SiteAt(x)
	if site == nil {
		return Value{}
	}
	if pipe := e.piped(x, sc); pipe.Kind != Unknown || len(pipe.Either) > 0 {
		return pipe
	}
	return e.result(e.callee(site), x, site, sc)
}

// result tells what calling a value gives.
func (e *Eval) result(callee *Value, x *pysrc.Call, site *Site, sc *Scope) Value {
	if len(callee.Either) > 0 {
		from := len(e.possible)
		for i := range callee.Either {
			e.mayBe(e.result(&callee.Either[i], x, site, sc))
		}
		return e.merged(from)
	}
	switch {
	case callee.Kind == Type && callee.Class != nil:
		if held, ok := e.settingsObject(callee.Class, x, sc); ok {
			return held
		}
		return Value{Kind: Instance, Name: callee.Name, Class: callee.Class, Made: site, Sure: callee.Sure}
	case callee.Kind == Callable && callee.Func != nil:
		return e.called(callee, site)
	case callee.Kind == Instance && callee.Class != nil && callee.Class.Derives("torch.nn.Module"):
		// What a model returns is tensors, whatever its forward does to make them.
		return Value{Kind: Instance, Name: "torch.nn.Module()", Made: site, Sure: Likely}
	case callee.Kind == Instance && callee.Class != nil:
		for _, name := range [...]string{"__call__", "forward"} {
			if f := callee.Class.Method(name); f != nil {
				return e.returned(f)
			}
		}
		if base := callee.Class.LibraryBase(); base != "" {
			return Value{Kind: Instance, Name: e.resultName(base), Made: site, Sure: Likely}
		}
		return Value{}
	case callee.Name == "":
		return e.method(x, sc)
	}
	return e.libraryResult(callee, x, site, sc)
}

// called tells what a call of a project function gives.
func (e *Eval) called(callee *Value, site *Site) Value {
	f := callee.Func
	if f.IsGenerator() {
		return Value{Kind: Instance, Name: "generator", Func: f, Made: site, Sure: Certain}
	}
	if f.decorated("classmethod") && f.Class != nil {
		v := e.returned(f)
		if v.Kind == Instance && v.Class == f.Class && callee.Self != nil {
			v.Class, v.Name = callee.Self, callee.Self.FullName()
		}
		return v
	}
	if v, found := e.fromRegistry(callee, site); found {
		return v
	}
	if callee.Made != nil && callee.Self != nil && f.returnsSelf() { // options.override(text)
		return Value{Kind: Instance, Name: callee.Self.FullName(), Class: callee.Self, Made: callee.Made, Sure: callee.Sure}
	}
	if site != nil && (f.looksUp || f.readsVariable) {
		return e.calledThrough(site, f)
	}
	v := e.returnedTo(site, f)
	if v.Kind == Unknown && f.over != "" && site != nil {
		return e.putOver(site, f)
	}
	return v
}

// returnsSelf reports a method that gives back the object that it is called on.
func (f *Function) returnsSelf() bool {
	own := f.Self()
	for _, r := range f.returns {
		if name, ok := r.(*pysrc.Name); !ok || name.ID != own {
			return false
		}
	}
	return own != "" && len(f.returns) > 0
}

// returned tells what a function of the project returns.
func (e *Eval) returned(f *Function) Value {
	return e.results.ask(e, f, func() Value {
		from := len(e.possible)
		for _, r := range e.chosenReturns(f) {
			sc := f.Module.blocks[f.Module.BlockAt(r.Bounds().Start)].Scope
			e.mayBe(e.expr(r, sc).via(ByVariable))
		}
		v := e.merged(from)
		if v.Kind == Unknown && f.Def != nil && f.Def.Returns != nil {
			if promised := e.annotated(f.Def.Returns, f.Scope.Parent); promised.Kind != Unknown {
				return promised
			}
		}
		return v
	})
}

// method tells what a method of something unknown gives: a dict's get, and the
// methods that give back what they were called on.
func (e *Eval) method(x *pysrc.Call, sc *Scope) Value {
	a, ok := x.Func.(*pysrc.Attribute)
	if !ok {
		return Value{}
	}
	base := e.expr(a.Value, sc)
	switch a.Attr {
	case "get", "pop", "setdefault":
		if v, ok := e.keywordArgument(a.Value, x.Args, sc); ok {
			return v
		}
		if name, ok := firstString(x); ok {
			if v := e.hyperparameter(a.Value, name, sc); v.Kind == Missing && len(x.Args) > 1 {
				return e.expr(x.Args[1], sc)
			} else if v.Kind != Unknown {
				return v
			}
		}
		if len(x.Args) == 0 || base.Kind != Display && base.Kind != Key && base.Kind != Unknown && !isLoaded(base.Name) {
			return Value{}
		}
		v := e.item(base, e.expr(x.Args[0], sc))
		if v.Kind == Missing && len(x.Args) > 1 {
			return e.expr(x.Args[1], sc)
		}
		return v
	case "split", "rsplit", "partition", "rpartition", "join", "lower", "upper", "strip":
		return e.textMethod(base, a.Attr, x, sc)
	case "copy", "deepcopy":
		return base
	case "replace":
		if base.Kind == Instance && base.Class != nil && base.Class.Dataclass() { // @flax.struct.dataclass
			return base
		}
	case "read_text", "absolute", "resolve", "expanduser":
		return base
	}
	return Value{}
}

// libraryResult tells what calling a library's class or function gives.
func (e *Eval) libraryResult(callee *Value, x *pysrc.Call, site *Site, sc *Scope) Value {
	if v, known := e.pythonResult(callee.Name, x, site, sc); known {
		return v
	}
	name := callee.Name
	dot := strings.LastIndexByte(name, '.')
	switch {
	case name == "hydra.utils.instantiate" && len(x.Args) > 0:
		if v := e.instantiated(e.expr(x.Args[0], sc), site); v.Kind != Unknown || len(v.Either) > 0 {
			return v
		}
	case strings.HasSuffix(name, ".hparams.get"):
		return e.method(x, sc)
	case name == "omegaconf.OmegaConf.load":
		return Value{Kind: Instance, Name: e.resultName(name), Made: site, Sure: Certain}
	case strings.HasPrefix(name, "easydict.EasyDict.get") && len(x.Args) == 2:
		return merge([]Value{{}, e.expr(x.Args[1], sc)}) // settings that came from nowhere
	case name == "dict" || name == "easydict.EasyDict" || name == "omegaconf.OmegaConf.create":
		return e.dictionary(x, sc)
	case givesBackFirst[name] && len(x.Args) > 0:
		if v := e.expr(x.Args[0], sc); v.Kind != Unknown || len(v.Either) > 0 {
			v.parallel = v.parallel || name == "torch.nn.DataParallel"
			return v
		}
	case parsesIntoClasses(name) && callee.Made != nil:
		return Value{Kind: Instance, Name: e.resultName(name), Made: callee.Made, parsed: true, Sure: Likely}
	case fillsClass[name]:
		return e.filled(x, site, sc)
	case returns[name] != "":
		return Value{Kind: Instance, Name: returns[name], Made: site, Sure: Certain}
	case callee.Kind == Instance:
		return Value{Kind: Instance, Name: e.resultName(name), Made: site, Sure: callee.Sure}
	case dot > 0 && givesBackSelf[name[dot+1:]]:
		if v := e.receiver(x, sc); v.Kind == Instance || len(v.Either) > 0 && allOf(v.Either, func(one Value) bool { return one.Kind == Instance }) {
			return v
		}
	case dot > 0 && (name[dot+1:] == "replace" || name[dot+1:] == "apply_gradients") && libraryDerives(name[:dot], flaxRecords):
		return e.receiver(x, sc)
	case dot > 0 && strings.HasPrefix(name[dot+1:], "prepare") && len(x.Args) > 0, dot > 0 &&
		(name[dot+1:] == "setup_dataloaders" || name[dot+1:] == "setup"):
		if len(x.Args) == 1 {
			return e.expr(x.Args[0], sc)
		}
		return Value{Kind: Instance, Name: e.resultName(name), Made: site, prepared: true, scope: sc, Sure: Likely}
	case dot > 0 && constructors[name[dot+1:]] && callee.Self != nil:
		return Value{Kind: Instance, Name: callee.Self.FullName(), Class: callee.Self, Made: site, Sure: Likely}
	case dot > 0 && constructors[name[dot+1:]] && isClassName(LastOf(name[:dot])):
		class := name[:dot]
		return Value{Kind: Instance, Name: class, Made: site, Sure: Certain}
	}
	if callee.Kind == Type {
		return Value{Kind: Instance, Name: name, Made: site, Sure: callee.Sure}
	}
	return Value{Kind: Instance, Name: e.resultName(name), Made: site, Sure: callee.Sure}
}

// flaxRecords are classes of objects that are not changed: what changes one gives another of its kind.
var flaxRecords = []string{"flax.struct.PyTreeNode", "flax.training.train_state.TrainState"}

// pythonResult is libraryResult for what comes with Python.
func (e *Eval) pythonResult(name string, x *pysrc.Call, site *Site, sc *Scope) (v Value, known bool) {
	switch {
	case name == "super":
		return e.super(sc), true
	case name == "functools.partial":
		return e.makePartial(x, site, sc), true
	case name == "type" && len(x.Args) == 1:
		if v := e.expr(x.Args[0], sc); v.Kind == Instance {
			return Value{Kind: Type, Name: v.Name, Class: v.Class, Sure: v.Sure}, true
		}
		return Value{}, true
	case name == "type" && len(x.Args) == 3: // a class of nothing but settings: type("Args", (), config)
		v := e.expr(x.Args[2], sc)
		v.attributes = true
		return v, v.isMapping()
	case name == "dict.get" && len(x.Args) > 0 && len(e.p.registries) > 0 && len(e.p.registries[e.receiver(x, sc).Made]) > 0:
		return e.item(e.receiver(x, sc), e.expr(x.Args[0], sc)), true
	case name == "dict.get" && len(x.Args) == 2:
		return e.expr(x.Args[1], sc).lessSure(Likely), true
	case name == "getattr" && len(x.Args) >= 2:
		return e.getattr(x, sc), true
	case importsByName(name, x):
		return e.importedByName(x.Args[0], sc), true
	case name == "eval" && len(x.Args) > 0:
		return e.evaluated(x.Args[0], site, sc), true
	case namesMembers[name] && len(x.Args) > 0:
		return e.located(x.Args[0], sc), true
	case name == "next" && len(x.Args) > 0:
		return e.elementOf(e.expr(x.Args[0], sc), 0), true
	case name == "int" || name == "float" || name == "bool":
		return e.converted(name, x, sc)
	}
	return e.environmentResult(name, x, sc)
}

func (e *Eval) getattr(x *pysrc.Call, sc *Scope) Value {
	if v := e.memberNamed(e.expr(x.Args[0], sc), x.Args[1], sc); v.Kind != Unknown || len(v.Either) > 0 {
		return v
	}
	if _, known := e.expr(x.Args[1], sc).Str(); known && len(x.Args) > 2 {
		return e.expr(x.Args[2], sc).lessSure(Perhaps)
	}
	return Value{}
}

// LastOf is the last part of the name of what an expression stands for: AdamW of torch.optim.AdamW.
func LastOf(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// receiver is what x of x.name() stands for.
func (e *Eval) receiver(x *pysrc.Call, sc *Scope) Value {
	if a, ok := x.Func.(*pysrc.Attribute); ok {
		return e.expr(a.Value, sc)
	}
	return Value{}
}

// preparedItem is the i-th of what prepare was given.
func (e *Eval) preparedItem(v, key Value) Value {
	if i, ok := key.Int(); ok && i >= 0 && i < int64(len(v.Made.Node.Args)) {
		return e.expr(v.Made.Node.Args[i], v.scope)
	}
	return Value{}
}

// fillsClass are the functions that make an object of a class by the command line: args = tyro.cli(Args).
var fillsClass = setOf("tyro.cli", "simple_parsing.parse", "pyrallis.parse", "draccus.parse")

// filled is the object that such a function makes.
func (e *Eval) filled(x *pysrc.Call, site *Site, sc *Scope) Value {
	var class Value
	if k := x.Keyword("config_class"); k != nil {
		class = e.expr(k.Value, sc)
	} else if len(x.Args) > 0 {
		class = e.expr(x.Args[0], sc)
	}
	if class.Kind != Type || class.Class == nil {
		return Value{}
	}
	return Value{Kind: Instance, Name: class.Name, Class: class.Class, Made: site, parsed: true, Sure: Likely}
}

// parsesIntoClasses reports a method of a parser that makes objects of the classes which the parser was given.
func parsesIntoClasses(name string) bool {
	return strings.HasPrefix(name, "transformers.HfArgumentParser.parse_") || strings.HasPrefix(name, "trl.TrlParser.parse_")
}

// parsedItem is the object that a parser makes of the i-th of its classes.
func (e *Eval) parsedItem(v, key Value) Value {
	i, ok := key.Int()
	classes := e.ArgumentAt(v.Made, 0)
	if classes.Kind == Display {
		elts := elements(classes.Expr)
		if !ok || i < 0 || i >= int64(len(elts)) {
			return Value{}
		}
		classes = e.expr(elts[i], classes.scope)
	}
	if classes.Kind != Type {
		return Value{}
	}
	return Value{Kind: Instance, Name: classes.Name, Class: classes.Class, Made: v.Made, parsed: true, Sure: Likely}
}

// super stands for an instance of the base class.
func (e *Eval) super(sc *Scope) Value {
	f := functionOf(sc)
	for f != nil && f.Class == nil {
		f = f.Outer
	}
	if f == nil {
		return Value{}
	}
	for i := range f.Class.bases {
		if b := f.Class.bases[i]; b.Kind == Type {
			return Value{Kind: Instance, Name: b.Name, Class: b.Class, Sure: Certain}
		}
	}
	return Value{}
}

// makePartial stands for the function with some arguments bound.
func (e *Eval) makePartial(x *pysrc.Call, site *Site, sc *Scope) Value {
	if len(x.Args) == 0 {
		return Value{}
	}
	v := e.expr(x.Args[0], sc)
	if v.Kind == Callable || v.Kind == Type {
		v.Made, v.partial = site, true
	}
	return v
}

// dictionary is dict(a=1), dict(other), EasyDict(other), Namespace(**other).
func (e *Eval) dictionary(x *pysrc.Call, sc *Scope) Value {
	if len(x.Args) == 1 && len(x.Keywords) == 0 {
		v := e.expr(x.Args[0], sc)
		v.attributes = true
		return v
	}
	if len(x.Args) == 0 && len(x.Keywords) == 1 && x.Keywords[0].Name == "" {
		v := e.expr(x.Keywords[0].Value, sc)
		v.attributes = true
		return v
	}
	if len(x.Args) > 0 {
		return Value{}
	}
	return Value{Kind: Display, Expr: keywordsOf(x), scope: sc, Origin: origin(sc, x), Sure: Certain, attributes: true}
}

// SiteAt finds the site of a call of this module, or nil.
func (m *Module) SiteAt(x *pysrc.Call) *Site {
	if at := int(x.Number); at < len(m.Sites) && m.Sites[at].Node == x {
		return m.Sites[at]
	}
	return nil
}
