package project

import (
	"sync"

	"saturate/internal/pysrc"
)

// Eval finds the values of expressions. It caches its answers and is not safe for concurrent use: make one per file.
type Eval struct {
	p           *Project
	own         *Module                // whose calls are being linked; nil once all are
	libs        map[string]*library    // true of every project
	libMembers  map[libMember]*library // likewise
	resultNames map[string]string      // likewise
	roots       map[*Binding]*library  // of imports; nil for what is not a library's
	names       memory[*Binding]
	results     memory[*Function]
	fields      memory[field]
	same        map[internKey]*Value
	inputs      map[*Function][]string // what computed has told
	tensors     map[*pysrc.Name]tensorAnswer
	tensorsOf   map[any]tensorAnswer // of functions, fields and variables
	through     map[*Function]passed // functions that are read for one call
	busy        map[any]int          // questions under way, by their number; see begin
	givenDeep   int                  // parameters that are being followed; see GivenOnDevice
	plain       bool                 // takes no arm for granted; see defaults
	arms        *Eval                // see defaults
	armsTaken   map[armOf]taken      // see armTaken
	settings    int                  // settings of fields that are being asked about; see settingLeftOut
	possible    []Value              // those to merge; see merged
	lists       knownLists           // see alternatives
	answers     store[remembered]
	values      store[Value]
	depth       int
	steps       int
	open        []uint32                              // the serial numbers of the questions under way, each within the one before
	asked       uint32                                // how many questions there were
	hangsOn     *dependencies                         // nil but for relink
	gap         gap                                   // what was left out of the answer
	inPlace     map[*Class]map[string]bool            // see writesInto
	fills       map[*Function]map[string][]pysrc.Expr // see fillsOf

	sameParams map[string]bool // see VariesBut
	callers    int             // how many callers of a function are asked for what they pass
}

// field is an attribute of a class's instances.
type field struct {
	class *Class
	name  string
}

// Limits on how deep and how long one question is followed. A question that is unanswered after a thousand steps is
// usually recursive: three times as many steps answered no further question in 28 repositories, and took a quarter of
// scan's time.
const (
	mostDeep  = 40
	mostSteps = 1000
)

// evals are unused Evals, whose memory is reused.
var evals = sync.Pool{New: func() any {
	return &Eval{
		libs: map[string]*library{}, libMembers: map[libMember]*library{}, resultNames: map[string]string{}, roots: map[*Binding]*library{},
		names: memory[*Binding]{all: &tableOfBindings{}}, results: memory[*Function]{all: tableByKey[*Function]{}}, fields: memory[field]{all: tableByKey[field]{}},
		same: map[internKey]*Value{}, lists: knownLists{}, inputs: map[*Function][]string{},
		tensors: map[*pysrc.Name]tensorAnswer{}, tensorsOf: map[any]tensorAnswer{}, busy: map[any]int{}, gap: gap{back: whole},
	}
}}

// NewEval returns an Eval for one goroutine, which may return it with Release.
func (p *Project) NewEval() *Eval {
	e := evals.Get().(*Eval)
	e.p, e.callers = p, mostCallers
	return e
}

// mostLibraryNames is how many names of libraries an Eval takes along to the next file.
const mostLibraryNames = 50000

// Release returns an Eval for reuse. Its answers stay valid.
func (e *Eval) Release() {
	e.Forget()
	e.p, e.own, e.plain, e.hangsOn = nil, nil, false, nil
	evals.Put(e)
}

// Forget makes an Eval as good as new, also after a question that was not answered to its end.
func (e *Eval) Forget() {
	e.gap, e.open, e.through, e.depth, e.givenDeep, e.settings = gap{back: whole}, e.open[:0], nil, 0, 0, 0
	clear(e.possible)
	e.possible = e.possible[:0]
	clear(e.roots)
	e.names.forget()
	e.results.forget()
	e.fields.forget()
	clear(e.same)
	clear(e.inputs)
	clear(e.tensors)
	clear(e.tensorsOf)
	clear(e.busy)
	clear(e.armsTaken)
	if e.arms != nil {
		e.arms.Release()
		e.arms = nil
	}
	if len(e.libs) > mostLibraryNames {
		clear(e.libs)
		clear(e.libMembers)
		clear(e.resultNames)
	}
	e.answers.reset()
	e.values.reset()
	clear(e.lists)
}

// Of tells what an expression of the module stands for.
func (e *Eval) Of(m *Module, x pysrc.Expr) Value {
	e.steps = mostSteps
	return e.expr(x, m.blocks[m.BlockAt(x.Bounds().Start)].Scope)
}

// Within tells what a part of a Display stands for, such as an element of its list.
func (e *Eval) Within(display Value, part pysrc.Expr) Value {
	if display.scope == nil {
		return Value{}
	}
	e.steps = mostSteps
	return e.expr(part, display.scope)
}

// expr tells what x stands for, read in the scope.
func (e *Eval) expr(x pysrc.Expr, sc *Scope) Value { return e.read(x, sc, false) }

// read is expr; local tells that x, if it is a name or attribute, is known not to
// be a library's.
func (e *Eval) read(x pysrc.Expr, sc *Scope, local bool) Value {
	if rest := e.steps - mostSteps; rest > 0 { // who asks where a tensor lies may go further, but not for one value
		e.steps = mostSteps
		v := e.read(x, sc, local)
		e.steps += rest
		return v
	}
	e.steps--
	if e.tooFar() {
		return Value{}
	}
	switch x := x.(type) {
	case *pysrc.Name:
		holder, b := sc.find(x.ID)
		if !local {
			if lib := e.libraryAt(b); lib != nil {
				return lib.value
			}
		}
		return e.nameAt(holder, b, x.ID, sc, x.Start)
	case *pysrc.Attribute:
		if !local {
			if lib := e.library(x, sc); lib != nil {
				return lib.value
			}
		}
		return e.deeper(func() Value {
			if v := e.hyperparameter(x.Value, x.Attr, sc); v.Kind != Unknown {
				return v
			}
			v := e.attribute(e.read(x.Value, sc, true), x.Attr)
			if v.Kind == Unknown {
				v = e.guess(x, v)
			}
			return v
		})
	case *pysrc.Subscript:
		return e.deeper(func() Value { return e.subscript(x, sc) })
	case *pysrc.Call:
		return e.deeper(func() Value { return e.call(x, sc) })
	case *pysrc.Constant:
		return e.literal(scalarOf(x), x, sc)
	case *pysrc.UnaryOp:
		return e.unary(x, sc)
	case *pysrc.BinOp:
		return e.deeper(func() Value { return e.arithmetic(x, sc) })
	case *pysrc.BoolOp:
		return e.deeper(func() Value { return e.logical(x, sc) })
	case *pysrc.IfExp:
		return e.deeper(func() Value { return e.conditional(x, sc) })
	case *pysrc.Compare:
		return e.deeper(func() Value { return e.compared(x, sc) })
	case *pysrc.Lambda:
		if f := sc.Module.lambdaAt(x); f != nil {
			return Value{Kind: Callable, Func: f, Name: f.Name, Sure: Certain}
		}
	case *pysrc.NamedExpr:
		return e.expr(x.Value, sc)
	case *pysrc.Await:
		return e.expr(x.Value, sc)
	case *pysrc.Starred:
		return e.expr(x.Value, sc)
	case *pysrc.Dict, *pysrc.List, *pysrc.Tuple, *pysrc.Set, *pysrc.ListComp, *pysrc.DictComp, *pysrc.SetComp, *pysrc.GeneratorExp, *pysrc.JoinedStr:
		return Value{Kind: Display, Expr: x, scope: sc, Origin: origin(sc, x), Sure: Certain}
	}
	return Value{}
}

func (e *Eval) deeper(work func() Value) Value {
	e.depth++
	v := work()
	e.depth--
	return v
}

func (e *Eval) literal(s Scalar, x pysrc.Expr, sc *Scope) Value {
	return Value{Kind: Literal, Scalar: s, Expr: x, Origin: origin(sc, x), Sure: Certain}
}

func origin(sc *Scope, x pysrc.Expr) Origin {
	return Origin{Source: sc.Module.Source, Span: x.Bounds(), How: InPlace}
}

func functionOf(sc *Scope) *Function {
	for ; sc != nil; sc = sc.Parent {
		if sc.Func != nil {
			return sc.Func
		}
		if sc.Parent == nil {
			return sc.Module.Main
		}
	}
	return nil
}

func (e *Eval) either(xs []pysrc.Expr, sc *Scope) Value {
	from := len(e.possible)
	for _, x := range xs {
		e.mayBe(e.expr(x, sc))
	}
	return e.merged(from)
}

// name tells what a name stands for at a place.
func (e *Eval) name(id string, sc *Scope, at int32) Value {
	holder, b := sc.find(id)
	return e.nameAt(holder, b, id, sc, at)
}

// nameAt is name where the scope that holds the name is known, and its last binding there.
func (e *Eval) nameAt(holder *Scope, b *Binding, id string, sc *Scope, at int32) Value {
	if holder == nil {
		return e.outside(id, sc.Module)
	}
	if b.prior == nil && b.Kind != Iterated {
		return e.held(e.binding(b), b, sc, at)
	}
	var room [8]*Binding
	reaching := holder.reaching(room[:0], id, sc, at)
	if len(reaching) == 0 { // a comprehension's name, seen from outside of it
		if holder.Parent == nil {
			return e.outside(id, sc.Module)
		}
		return e.name(id, holder.Parent, at)
	}
	if len(reaching) > 1 && e.choosesArms() {
		use := BlockID(-1)
		if holder == sc {
			use = sc.Module.BlockAt(at)
		}
		reaching = e.chosen(reaching, holder.Module, use)
	}
	if len(reaching) == 1 {
		return e.held(e.binding(reaching[0]), reaching[0], sc, at)
	}
	from := len(e.possible)
	for i := len(reaching) - 1; i >= 0; i-- {
		if reaching[i].Kind != Augmented || len(reaching) == 1 {
			e.mayBe(e.held(e.binding(reaching[i]), reaching[i], sc, at))
		}
	}
	return e.merged(from)
}

// outside tells what a name stands for that the module does not bind: a name
// that came with a star, or one that Python brings.
func (e *Eval) outside(id string, m *Module) Value {
	if v, ok := e.starred(id, m); ok {
		return v
	}
	switch {
	case builtinTypes[id]:
		return Value{Kind: Type, Name: id, Sure: Certain}
	case builtinFunctions[id]:
		return Value{Kind: Callable, Name: id, Sure: Certain}
	}
	if v, ok := e.starredOutside(id, m); ok {
		return v
	}
	return Value{}
}

// binding tells what a name is bound to.
func (e *Eval) binding(b *Binding) Value {
	return e.names.ask(e, b, func() Value { return e.bound(b) })
}

func (e *Eval) bound(b *Binding) Value {
	sc := b.Scope.Module.blocks[b.Block].Scope
	switch b.Kind {
	case Imported:
		return e.imported(b)
	case Defined:
		return Value{Kind: Callable, Func: b.func_, Name: b.Scope.Module.Name + "." + b.func_.Name, Sure: Certain}
	case ClassNamed:
		return Value{Kind: Type, Class: b.class, Name: b.class.FullName(), Sure: Certain}
	case Parameter:
		return e.parameter(b)
	case Assigned:
		v := e.changedConfig(e.unpacked(b.Value, b.path, sc), b)
		if v.Unknown() && len(v.Either) == 0 && b.annotation() != nil {
			if promised := e.annotated(b.annotation(), sc); promised.Kind != Unknown {
				return promised
			}
		}
		if v.Kind == Literal && v.Origin.How == InPlace {
			v.Origin.How = ByVariable
			v.more = &more{variable: b, chosen: v.Chosen()}
			if b.Scope == b.Scope.Module.Scope && b.Scope.Module.executes {
				v.Sure *= Likely
			}
		}
		return v
	case Iterated:
		return e.element(b.Value, b.path, sc)
	case Entered:
		return e.entered(b.Value, sc)
	case Annotated:
		return e.annotated(b.annotation(), sc)
	}
	return Value{}
}

// unpacked tells what stands at a path of an assigned value: a, (b, c) = value.
func (e *Eval) unpacked(x pysrc.Expr, path trail, sc *Scope) Value {
	for path != 0 {
		elts := elements(x)
		i := path.first()
		if elts == nil || i < 0 || i >= len(elts) {
			break
		}
		x, path = elts[i], path.rest()
	}
	v := e.expr(x, sc)
	for ; path != 0; path = path.rest() {
		v = e.item(v, Value{Kind: Literal, Scalar: Scalar{Type: Int, Int: int64(path.first())}})
	}
	return v
}

// elements returns the parts of a tuple or list that is written out, nil for anything else.
func elements(x pysrc.Expr) []pysrc.Expr {
	var elts []pysrc.Expr
	switch x := x.(type) {
	case *pysrc.Tuple:
		elts = x.Elts
	case *pysrc.List:
		elts = x.Elts
	}
	for _, e := range elts {
		if _, ok := e.(*pysrc.Starred); ok {
			return nil
		}
	}
	return elts
}

// entered tells what with value as name gives: for most, the value itself.
func (e *Eval) entered(x pysrc.Expr, sc *Scope) Value {
	v := e.expr(x, sc)
	if v.Kind == Instance && v.Class != nil {
		if f := v.Class.Method("__enter__"); f != nil {
			if r := e.returned(f); r.Kind != Unknown {
				return r
			}
		}
	}
	return v
}

// annotated tells what an annotation promises: an instance of its class.
func (e *Eval) annotated(x pysrc.Expr, sc *Scope) Value {
	switch x := x.(type) {
	case *pysrc.Constant:
		return Value{} // a forward reference; the name inside is rarely worth parsing
	case *pysrc.BinOp: // X | None
		if v := e.annotated(x.Left, sc); v.Kind == Instance {
			return v
		}
		return e.annotated(x.Right, sc)
	case *pysrc.Subscript:
		if last := lastName(x.Value); last == "Optional" || last == "Annotated" || last == "Union" {
			inner := x.Slice
			if t, ok := inner.(*pysrc.Tuple); ok && len(t.Elts) > 0 {
				inner = t.Elts[0]
			}
			return e.annotated(inner, sc)
		}
		return Value{}
	}
	v := e.expr(x, sc)
	if v.Kind != Type || v.Name == "typing.Any" || v.Class == nil && builtinTypes[v.Name] {
		return Value{}
	}
	return Value{Kind: Instance, Name: v.Name, Class: v.Class, Sure: Likely}
}

// lambdaAt finds the function of a lambda.
func (m *Module) lambdaAt(l *pysrc.Lambda) *Function {
	if f := m.FunctionAt(l.Body.Bounds().Start); f.Lambda == l {
		return f
	}
	for _, f := range m.Functions {
		if f.Lambda == l {
			return f
		}
	}
	return nil
}
