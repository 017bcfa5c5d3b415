package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// tensorAnswer is what is remembered of a question about the device.
type tensorAnswer struct {
	sure   float64
	told   bool // whether the source shows it
	answer answered
}

// tensorName is tensor for a variable. It remembers the answer.
func (e *Eval) tensorName(x *pysrc.Name, sc *Scope, depth int) float64 {
	if r := e.tensors[x]; r.answer.serves(e, depth) {
		return r.sure
	}
	outer, left := e.gap, e.steps
	e.gap = gap{back: whole}
	r := tensorAnswer{sure: e.tensorVariable(x, sc, depth)}
	if r.answer = e.note(depth, left); r.sure == Certain {
		r.answer = answered{ever: true, gap: gap{back: whole}}
	}
	e.tensors[x] = r
	e.gap = e.both(e.gap, outer)
	return r.sure
}

// tensorWork answers a question about the device that may lead back to itself, and remembers the answer. What leads back
// to it says nothing: told is the answer then.
func (e *Eval) tensorWork(key any, depth int, told bool, find func() (float64, bool)) (float64, bool) {
	if r := e.tensorsOf[key]; r.answer.serves(e, depth) {
		return r.sure, r.told
	}
	if !e.begin(key) {
		return 0, told
	}
	outer, left := e.gap, e.steps
	e.gap = gap{back: whole}
	var r tensorAnswer
	r.sure, r.told = find()
	e.end(key)
	r.answer = e.note(depth, left)
	e.tensorsOf[key] = r
	e.gap = e.both(e.gap, outer)
	return r.sure, r.told
}

func (e *Eval) tensorVariable(x *pysrc.Name, sc *Scope, depth int) float64 {
	holder, b := sc.find(x.ID)
	if b == nil || sc.Module.deniedTensor(x) {
		return 0
	}
	best := 0.0
	var room [8]*Binding
	reaching := holder.reaching(room[:0], x.ID, sc, x.Start)
	if (callsBackward(holder, x.ID) || e.p.inLoss(holder, x.ID)) && (len(reaching) == 0 || slices.ContainsFunc(reaching, func(b *Binding) bool { return !b.isNumber() })) {
		return Certain
	}
	if holdsLoss(holder, x.ID) || holdsLossAsField(holder, x.ID) && e.expr(x, sc).Class == nil {
		best = NearlyCertain
	}
	best = max(best, e.movedInPlace(x, "", sc, depth+1))
	for _, b := range reaching {
		from := b.Scope.Module.blocks[b.Block].Scope
		switch b.Kind {
		case Assigned, Augmented:
			if !e.begin(b) {
				continue
			}
			best = max(best, e.tensorPart(b.Value, b.path, from, depth+1))
			if best < Likely && isEmptyContainer(partAt(b.Value, b.path)) {
				best = max(best, e.tensorStored(b, depth+1))
			}
			e.end(b)
		case Iterated:
			best = max(best, e.tensorElement(b.Value, b.path, from, depth+1))
		case Parameter:
			if endsInWord(x.ID, lossWords...) { // not logits_to_keep
				best = max(best, Probable)
			}
			best = max(best, e.tensorGiven(b, depth+1), e.inputOfModel(b), movedByTrainer(b))
		}
	}
	return best
}

// movedByTrainer is the confidence that a parameter is a batch that the trainer moved to the device before the call:
// batch in training_step, inputs in compute_loss.
func movedByTrainer(b *Binding) float64 {
	fn := b.Scope.Func
	if fn == nil || fn.Class == nil || fn.Def == nil {
		return 0
	}
	at := -1
	switch {
	case (fn.Def.Name == "training_step" || fn.Def.Name == "validation_step" || fn.Def.Name == "test_step") && fn.Class.Derives("lightning.pytorch.LightningModule"):
		at = 0
	case fn.Def.Name == "compute_loss" && fn.Class.Derives("transformers.Trainer"):
		at = 1
	}
	if at >= 0 && fn.position(b.Name) == at {
		return NearlyCertain
	}
	return 0
}

// isNumber reports whether a variable was set to a value read on the host: loss = loss.item().
func (b *Binding) isNumber() bool {
	return b.Kind == Assigned && b.path == 0 && isRead(b.Value)
}

// tensorGiven is tensor for what a training step gives for a parameter.
func (e *Eval) tensorGiven(b *Binding, depth int) float64 {
	fn := b.Scope.Func
	if fn == nil || HasWord(lastName(b.annotation()), "int", "float", "bool", "str") {
		return 0
	}
	sure, _ := e.tensorWork(b, depth, true, func() (float64, bool) { return e.findGiven(b, fn, depth), true })
	return sure
}

func (e *Eval) findGiven(b *Binding, fn *Function, depth int) float64 {
	best := 0.0
	if fn.Def != nil && fn.Def.Args.Kwarg != nil && fn.Def.Args.Kwarg.Name == b.Name {
		return e.tensorKeywords(fn, depth)
	}
	e.p.eachGiven(fn, b.Name, func(site *Site, given pysrc.Expr) {
		if best < Likely && fn.BaseName() == "forward" && e.expr(site.Node.Func, site.scope()).parallel {
			best = NearlyCertain
		} else if best < Likely && (lastName(site.Node.Func) == fn.BaseName() || slices.Contains(site.Calls.functions(), fn) || site.passesEdges(fn) || e.callsHeir(site, fn)) {
			best = max(best, e.tensor(given, site.scope(), depth))
		} // else handed on as a function, whose caller has arguments of its own
	})
	if best == 0 {
		best = e.tensorUnpacked(fn, b.Name, depth)
	}
	return best
}

// callsHeir reports a call of an object, self(x), whose class leaves forward to its heirs.
func (e *Eval) callsHeir(site *Site, fn *Function) bool {
	if fn.Class == nil || fn.BaseName() != "forward" {
		return false
	}
	called := e.expr(site.Node.Func, site.scope())
	return called.Kind == Instance && called.Class != nil && slices.Contains(called.Class.Heirs(), fn.Class)
}

// tensorUnpacked is tensorGiven for what training steps unpack for a parameter: model(*batch), model(**batch).
func (e *Eval) tensorUnpacked(fn *Function, name string, depth int) (best float64) {
	at := fn.position(name)
	for _, s := range e.p.givers[fn] {
		if best >= Likely || s.ArgumentNode(name, at) != nil || lastName(s.Node.Func) != fn.BaseName() && !slices.Contains(s.Calls.functions(), fn) {
			continue
		}
		from, place := s.starred(at)
		if from == nil {
			continue
		}
		if dict, ok := from.(*pysrc.Name); ok && place < 0 {
			if sure, known := e.tensorUnder(dict, name, s.scope(), depth); known {
				best = max(best, sure)
				continue
			}
		}
		if place < 0 {
			best = max(best, e.tensor(from, s.scope(), depth))
		} else if place < mostPlaces {
			best = max(best, e.tensorPart(from, trail(0).then(place), s.scope(), depth))
		}
	}
	return best
}

// mostPlaces is how many parts of a tuple are told apart.
const mostPlaces = 100

// tensorKeywords is tensorGiven for **values: what the calls of training steps pass by keywords that no parameter takes.
func (e *Eval) tensorKeywords(fn *Function, depth int) float64 {
	best := 0.0
	for _, s := range e.p.givers[fn] {
		for _, k := range s.Node.Keywords {
			if best < Likely && k.Name != "" && !fn.HasParameter(k.Name) {
				best = max(best, e.tensor(k.Value, s.scope(), depth))
			}
		}
	}
	return best
}

// eachGiven tells what training steps pass for a parameter of a function, the shortest way there first. Where no step
// reaches the function, as in evaluation, its other callers count.
func (p *Project) eachGiven(fn *Function, name string, visit func(*Site, pysrc.Expr)) {
	first, given := p.stepGives(fn, name)
	if given != nil {
		visit(first, given)
	}
	at := fn.position(name)
	callers := p.givers[fn]
	if p.hot[fn] == nil && len(fn.callers()) <= mostCallers {
		callers = fn.callers()
	}
	for _, s := range callers {
		if given := s.passes(fn, name, at); s != first && given != nil {
			visit(s, given)
		}
	}
}

// stepGives returns the call through which a training step reaches a function, and what
// it passes for a parameter; nil where that is not known.
func (p *Project) stepGives(fn *Function, name string) (*Site, pysrc.Expr) {
	v := p.hot[fn]
	if fn.Def == nil || v == nil || v.via == nil {
		return nil, nil
	}
	return v.via, v.via.passes(fn, name, fn.position(name))
}

// StepGives returns the call through which a training step reaches the function of a
// parameter, and what it passes for it; nil where that is not known.
func (p *Project) StepGives(m *Module, parameter *pysrc.Name) (*Site, pysrc.Expr) {
	fn := m.FunctionAt(parameter.Start)
	if _, hot := p.Hot(m, parameter); !hot || fn.position(parameter.ID) < 0 {
		return nil, nil
	}
	return p.stepGives(fn, parameter.ID)
}

// tensorElement is tensor for the variable of a loop over an iterable: dr of for dr, dg in zip(real, made). A value
// known only by its name may hold anything.
func (e *Eval) tensorElement(x pysrc.Expr, part trail, sc *Scope, depth int) float64 {
	if sure := e.prepared(x, sc); sure > 0 {
		return sure
	}
	if parts := elements(x); len(parts) > 0 { // for name, v in [("near", near), ("far", far)]
		best := 0.0
		for _, one := range parts {
			best = max(best, e.tensorPart(one, part, sc, depth))
		}
		return throughParts * best
	}
	call, ok := x.(*pysrc.Call)
	if !ok {
		if e.isDict(x, sc) { // its keys
			return 0
		}
		return throughParts * e.tensor(x, sc, depth)
	}
	switch lastName(call.Func) {
	case "enumerate":
		if len(call.Args) == 0 || part.first() != 1 {
			return 0
		}
		return e.tensorElement(call.Args[0], part.rest(), sc, depth)
	case "zip":
		if i := part.first(); i >= 0 && i < len(call.Args) {
			return e.tensorElement(call.Args[i], part.rest(), sc, depth)
		}
		return 0
	case "state_dict": // its keys
		return 0
	case "named_parameters", "named_buffers":
		if part.first() != 1 {
			return 0
		}
	case "items", "values":
		a, ok := call.Func.(*pysrc.Attribute)
		if !ok || a.Attr == "items" && part.first() != 1 {
			return 0
		}
		return throughParts * e.tensor(a.Value, sc, depth)
	}
	return throughParts * e.tensor(x, sc, depth)
}

// isDict reports a dict that the source shows.
func (e *Eval) isDict(x pysrc.Expr, sc *Scope) bool {
	v := e.expr(x, sc)
	_, dict := v.Expr.(*pysrc.Dict)
	return v.Kind == Display && dict
}

// tensorPart is tensor for one target of an unpacked value: ni of hidden, ni = encode(x). If a project function
// computes that part on the host, it is not a tensor.
func (e *Eval) tensorPart(x pysrc.Expr, part trail, sc *Scope, depth int) float64 {
	x, part = writtenPart(x, part)
	if sure, known := e.tensorPartOf(x, part, sc, depth); known {
		return sure
	}
	return e.tensor(x, sc, depth)
}

// writtenPart goes into the tuples that an expression writes out, and returns what is left of the way to a part.
func writtenPart(x pysrc.Expr, part trail) (pysrc.Expr, trail) {
	for ; part != 0; part = part.rest() {
		elts := elements(x)
		if part.first() < 0 || part.first() >= len(elts) {
			break
		}
		x = elts[part.first()]
	}
	return x, part
}

// tensorPartOf is tensorPart where what gives the part is known: a variable that holds a tuple, or a function that returns one.
func (e *Eval) tensorPartOf(x pysrc.Expr, part trail, sc *Scope, depth int) (sure float64, known bool) {
	if part.first() < 0 {
		return 0, false
	}
	switch x := x.(type) {
	case *pysrc.Name:
		return e.tensorPartOfName(x, part, sc, depth)
	case *pysrc.Call:
		v := e.expr(x.Func, sc)
		if f := v.functions(); len(f) == 1 && v.Kind != Type && !v.IsInstance("torch.nn.Module") {
			if e.returnsNumber(f[0], part.first(), depth) {
				return 0, true
			}
			return e.tensorReturned(f[0], part, depth)
		}
	}
	return 0, false
}

// tensorPartOfName is tensorPart for a variable that was set to tuples as a whole, batch[3] of batch = move(batch, device), to parts of
// tuples that are tuples, and for a parameter that is given such.
func (e *Eval) tensorPartOfName(name *pysrc.Name, part trail, sc *Scope, depth int) (sure float64, known bool) {
	holder, _ := sc.find(name.ID)
	if holder == nil || depth > deepestTensor {
		return 0, false
	}
	var room [8]*Binding
	list := holder.reaching(room[:0], name.ID, sc, name.Start)
	for _, b := range list {
		var one float64
		switch {
		case b.Kind == Parameter && len(list) == 1:
			one, known = e.tensorPartGiven(b, part, depth)
		case b.Kind == Assigned && b.path != 0 && e.numberReturned(b.Value, b.path.and(part), b.Scope):
			one, known = 0, true
		case b.Kind == Assigned && e.givesParts(b.Value, b.Scope) && e.begin(b):
			one, known = e.tensorPart(b.Value, b.path.and(part), b.Scope.Module.blocks[b.Block].Scope, depth+1), true
			e.end(b)
		default:
			return 0, false
		}
		if !known {
			return 0, false
		}
		sure = max(sure, one)
	}
	return sure, known
}

// partGiven is the question what training steps give for a part of a parameter.
type partGiven struct {
	b    *Binding
	part trail
}

// tensorPartGiven is tensorPart for a parameter, where all calls of training steps show of what the tuple is that they give; or give one
// argument after the other for *args.
func (e *Eval) tensorPartGiven(b *Binding, part trail, depth int) (sure float64, known bool) {
	fn := b.Scope.Func
	key := partGiven{b, part}
	if fn == nil || fn.Def == nil || e.givenDeep >= deepestGiven || !e.begin(key) {
		return 0, false
	}
	e.givenDeep++
	defer func() { e.end(key); e.givenDeep-- }()
	rest := fn.Def.Args.Vararg != nil && fn.Def.Args.Vararg.Name == b.Name
	if rest && fn.Class == nil && fn.Outer != nil && fn.Outer.Def != nil { // a wrapper, which may get the object of a method, too
		return 0, false
	}
	if rest {
		at := len(positional(fn, true)) + part.first()
		for _, s := range e.p.givers[fn] { // of which each may hand it to another function
			given := s.ArgumentNode("", at)
			if given == nil {
				return 0, false
			}
			if one := e.tensorPart(given, part.rest(), s.scope(), depth+1); one < sure || !known {
				sure, known = one, true
			}
		}
		return sure, known
	}
	unknown := false
	e.p.eachGiven(fn, b.Name, func(s *Site, given pysrc.Expr) {
		if unknown || known && sure >= Likely {
			return
		}
		x, left := writtenPart(given, part)
		if fn.BaseName() == "forward" && e.expr(s.Node.Func, s.scope()).parallel { // which moves what it is given
			unknown = true
			return
		}
		if left == 0 {
			sure, known = max(sure, e.tensor(x, s.scope(), depth+1)), true
			return
		}
		one, shown := e.tensorPartOf(x, left, s.scope(), depth+1)
		if unknown = !shown; shown {
			sure, known = max(sure, one), true
		}
	})
	return sure, known && !unknown
}

// givesParts reports a tuple that is written out, or the call of a function of the project, which may return one.
func (e *Eval) givesParts(x pysrc.Expr, sc *Scope) bool {
	call, ok := x.(*pysrc.Call)
	if !ok {
		return len(elements(x)) > 0
	}
	v := e.expr(call.Func, sc)
	return len(v.functions()) == 1
}

// holdsLoss reports whether the function calls backward on a part of a name: loss = metrics["loss"], or
// metrics["loss"].backward(). The other parts were computed with it.
func holdsLoss(s *Scope, name string) bool {
	f := functionOf(s)
	if f == nil {
		return false
	}
	part := func(x pysrc.Expr) bool {
		sub, ok := x.(*pysrc.Subscript)
		if !ok {
			return false
		}
		_, key := pysrc.StringValue(sub.Slice)
		of, plain := sub.Value.(*pysrc.Name)
		return key && plain && of.ID == name
	}
	for _, site := range f.Sites {
		a, ok := site.Node.Func.(*pysrc.Attribute)
		if !ok || a.Attr != "backward" {
			continue
		}
		if part(a.Value) {
			return true
		}
		loss, ok := a.Value.(*pysrc.Name)
		if !ok {
			continue
		}
		for _, b := s.find(loss.ID); b != nil; b = b.prior {
			if b.Kind == Assigned && b.path == 0 && part(b.Value) {
				return true
			}
		}
	}
	return false
}

// holdsLossAsField is holdsLoss for result.loss.backward(), of a tuple or an output with names.
func holdsLossAsField(s *Scope, name string) bool {
	f := functionOf(s)
	if f == nil {
		return false
	}
	return slices.ContainsFunc(f.Sites, func(site *Site) bool {
		method, ok := site.Node.Func.(*pysrc.Attribute)
		if !ok || method.Attr != "backward" {
			return false
		}
		field, ok := method.Value.(*pysrc.Attribute)
		if !ok || IsSelf(field.Value) {
			return false
		}
		of, ok := field.Value.(*pysrc.Name)
		return ok && of.ID == name
	})
}

// callsBackward reports whether the scope's function calls name.backward().
func callsBackward(s *Scope, name string) bool {
	f := functionOf(s)
	if f == nil {
		return false
	}
	for _, site := range f.Sites {
		a, ok := site.Node.Func.(*pysrc.Attribute)
		if !ok || !strings.HasSuffix(a.Attr, "backward") {
			continue
		}
		if n, ok := a.Value.(*pysrc.Name); ok && n.ID == name && len(site.Node.Args) == 0 {
			return true
		}
		for _, arg := range site.Node.Args { // accelerator.backward(loss)
			if n, ok := arg.(*pysrc.Name); ok && n.ID == name {
				return true
			}
		}
		if c, ok := a.Value.(*pysrc.Call); ok && len(c.Args) > 0 { // scaler.scale(loss).backward()
			if n, ok := c.Args[0].(*pysrc.Name); ok && n.ID == name {
				return true
			}
		}
	}
	return false
}
