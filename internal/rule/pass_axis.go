package rule

import (
	"cmp"
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// axis is a loop, a comprehension or a map that goes over a tensor of the GPU part by part: over the samples of a batch,
// the frames of a sequence, the classes of a score.
type axis struct {
	at    Node            // the place to point at
	loop  pysrc.Stmt      // nil for a comprehension and a map
	whole pysrc.Node      // all of it
	body  []pysrc.Node    // what runs once for each part
	parts map[string]bool // variables that hold a part
	index map[string]bool // variables that number the parts
	over  pysrc.Expr      // the tensor that is taken apart; nil where only its size is known
}

// axes are the loops of this module that may take a tensor apart in a training step, the outer ones first.
func (p *SourcePass) axes() []*axis {
	if !p.runsOnGPU() || p.jaxOnly() || !p.trained() && len(p.TrainingLoops()) == 0 {
		return nil
	}
	var list []*axis
	for _, n := range p.roundsIn() {
		if !p.mayStep(n) {
			continue
		}
		a := axis{whole: n}
		switch x := n.(type) {
		case *pysrc.For:
			a.at, a.loop, a.body = header(x), x, statements(x.Body)
			a.add(p, x.Target, x.Iter)
		case *pysrc.While:
			a.at, a.loop, a.body = header(x), x, statements(x.Body)
			a.addCounter(p, x)
		case *pysrc.ListComp:
			a.addGenerators(p, x, x.Elt, x.Generators)
		case *pysrc.GeneratorExp:
			a.addGenerators(p, x, x.Elt, x.Generators)
		case *pysrc.Call:
			a.addMap(p, x)
		}
		if len(a.parts)+len(a.index) > 0 {
			list = append(list, &a)
		}
	}
	return list
}

// roundsIn are the loops, list comprehensions, generators and calls of map of this module, the outer ones first.
func (p *SourcePass) roundsIn() (list []pysrc.Node) {
	p.Module.EachOwner(func(n pysrc.Node) {
		switch n.(type) {
		case *pysrc.For, *pysrc.While, *pysrc.ListComp, *pysrc.GeneratorExp:
			list = append(list, n)
		}
	})
	for _, s := range p.Module.Sites {
		if name, ok := s.Node.Func.(*pysrc.Name); ok && name.ID == "map" {
			list = append(list, s.Node)
		}
	}
	slices.SortStableFunc(list, func(a, b pysrc.Node) int {
		return cmp.Or(cmp.Compare(a.Bounds().Start, b.Bounds().Start), cmp.Compare(b.Bounds().End, a.Bounds().End))
	})
	return list
}

func statements(body []pysrc.Stmt) []pysrc.Node {
	list := make([]pysrc.Node, len(body))
	for i, s := range body {
		list[i] = s
	}
	return list
}

// add notes what the target of a loop gets from an iterable.
func (a *axis) add(p *SourcePass, target, iter pysrc.Expr) {
	c, ok := iter.(*pysrc.Call)
	if !ok {
		a.addTensor(p, target, iter)
		return
	}
	pair, _ := target.(*pysrc.Tuple)
	switch name := lastName(c.Func); {
	case len(c.Args) == 0 && name != "unbind":
		a.addTensor(p, target, iter)
	case name == "enumerate":
		if pair != nil && len(pair.Elts) == 2 {
			a.add(p, pair.Elts[1], c.Args[0])
			if len(a.parts) > 0 || p.isHot(c) && p.isOneTensor(c.Args[0], 0) {
				a.number(pair.Elts[0])
			}
		}
	case name == "zip":
		if pair == nil || slices.ContainsFunc(c.Args, func(e pysrc.Expr) bool { return p.isList(e) }) {
			return // a list of tensors may be of different sizes
		}
		for i := range min(len(c.Args), len(pair.Elts)) {
			a.add(p, pair.Elts[i], c.Args[i])
		}
	case name == "reversed" || name == "list" || name == "tqdm":
		a.add(p, target, c.Args[0])
	case name == "range":
		if p.countsParts(c) {
			a.number(target)
		}
	case name == "unbind":
		a.addUnbound(p, target, c)
	default:
		a.addTensor(p, target, iter)
	}
}

func (a *axis) number(target pysrc.Expr) {
	if name, ok := target.(*pysrc.Name); ok {
		if a.index == nil {
			a.index = map[string]bool{}
		}
		a.index[name.ID] = true
	}
}

func (a *axis) addTensor(p *SourcePass, target, of pysrc.Expr) {
	name, ok := target.(*pysrc.Name)
	if !ok || overConstant(of) || !p.isHot(of) || p.chosen(of) || !p.oneOnGPU(of) || p.isList(of) {
		return
	}
	a.addPart(name.ID)
	a.over = of
}

// chosen reports a tensor of places that a test picked: what a loop does for each of them may be rare.
func (p *SourcePass) chosen(e pysrc.Expr) bool {
	if name, ok := e.(*pysrc.Name); ok {
		e = p.Module.SaidLast(name)
	}
	c, ok := e.(*pysrc.Call)
	return ok && (lastName(c.Func) == "nonzero" || lastName(c.Func) == "unique")
}

func (a *axis) addPart(name string) {
	if a.parts == nil {
		a.parts = map[string]bool{}
	}
	a.parts[name] = true
}

// addUnbound notes the parts of x.unbind(1) and torch.unbind(x, 1).
func (a *axis) addUnbound(p *SourcePass, target pysrc.Expr, c *pysrc.Call) {
	name, ok := target.(*pysrc.Name)
	of, method := c.Func.(*pysrc.Attribute)
	if !ok || !method {
		return
	}
	tensor := of.Value
	if p.NameOf(c.Func) == "torch.unbind" {
		tensor = firstArg(c)
	}
	if tensor != nil && p.isHot(c) && p.valueOnGPU(tensor, 0) >= likely {
		a.addPart(name.ID)
		a.over = tensor
	}
}

// addCounter notes the variable that a while compares with a size and its body counts up: while t < x.size(1).
func (a *axis) addCounter(p *SourcePass, loop *pysrc.While) {
	test, ok := loop.Test.(*pysrc.Compare)
	if !ok || len(test.Comparators) != 1 || !p.isSize(test.Comparators[0], 0) {
		return
	}
	counter, ok := test.Left.(*pysrc.Name)
	if !ok {
		return
	}
	for _, s := range loop.Body {
		if up, ok := s.(*pysrc.AugAssign); ok && isNamed(up.Target, counter.ID) && p.Eval(up.Value).Equals(1) {
			a.number(counter)
		}
	}
}

func (a *axis) addGenerators(p *SourcePass, whole pysrc.Expr, elt pysrc.Expr, of []*pysrc.Comprehension) {
	a.at, a.body = whole, []pysrc.Node{elt}
	for _, g := range of {
		a.add(p, g.Target, g.Iter)
	}
}

// addMap notes what a lambda gets from map(lambda …, x).
func (a *axis) addMap(p *SourcePass, c *pysrc.Call) {
	if name, ok := c.Func.(*pysrc.Name); !ok || name.ID != "map" || len(c.Args) < 2 {
		return
	}
	each, ok := c.Args[0].(*pysrc.Lambda)
	if !ok {
		return
	}
	a.at, a.body = c, []pysrc.Node{each.Body}
	for i, arg := range each.Args.All() {
		if of := i + 1; of < len(c.Args) && p.isHot(c) && p.oneOnGPU(c.Args[of]) {
			a.addPart(arg.Name)
			a.over = c.Args[of]
		}
	}
}

// fewParts is how many iterations are too few to matter.
const fewParts = 8

// countsParts reports a range up to the size of a tensor, or to a number that is known not to be small.
func (p *SourcePass) countsParts(c *pysrc.Call) bool {
	bound := c.Args[0]
	if len(c.Args) > 1 {
		bound = c.Args[1]
	}
	if len(c.Args) > 2 {
		by, known := p.Eval(c.Args[2]).Int()
		if known && by == -1 {
			bound = c.Args[0]
		} else if !known || by != 1 {
			return false // pieces of several
		}
	}
	if !p.isHot(c) {
		return false
	}
	if p.isSize(bound, 0) {
		return !isLastSize(bound)
	}
	if of := p.lengthOf(bound); of != nil {
		return p.oneOnGPU(of)
	}
	n, known := p.Eval(bound).Int()
	return known && n >= fewParts
}

// isLastSize reports x.size(-1) and x.shape[-1]: channels, sources or features, which are often few.
func isLastSize(e pysrc.Expr) bool {
	at := e
	switch x := e.(type) {
	case *pysrc.Call:
		at = firstArg(x)
	case *pysrc.Subscript:
		at = x.Slice
	}
	minus, ok := at.(*pysrc.UnaryOp)
	return ok && minus.Op == pysrc.USub
}

func (p *SourcePass) isHot(n Node) bool {
	_, hot := p.Hot(n)
	return hot
}

// oneOnGPU reports a value that is one tensor on the GPU, and not a list of them.
func (p *SourcePass) oneOnGPU(e pysrc.Expr) bool {
	if v := p.Eval(e); v.Kind == project.Instance && v.Name == "torch.nn.Parameter" {
		return true // wherever the model is
	}
	return p.valueOnGPU(e, 0) >= likely && (p.isOneTensor(e, 0) || !p.isContainer(e) && p.hasShape(e))
}

// listTypes are the types of what holds several tensors.
var listTypes = setOfNames("list", "tuple", "dict")

// changesItem reports x[i] = f(x[i]): of what a function was given, a list of tensors. Autograd refuses to have a tensor changed so.
func changesItem(a *pysrc.Assign, name string) bool {
	item, ok := a.Targets[0].(*pysrc.Subscript)
	c, called := a.Value.(*pysrc.Call)
	if !ok || !called || !isNamed(item.Value, name) || len(c.Args) != 1 {
		return false
	}
	given, ok := c.Args[0].(*pysrc.Subscript)
	return ok && isNamed(given.Value, name) && pysrc.DottedName(given.Slice) != "" && pysrc.DottedName(given.Slice) == pysrc.DottedName(item.Slice)
}

// isList reports a variable that is a list as far as its function tells: it makes one, asks for the shape of one of its elements, or
// whether it is a list, or replaces its elements.
func (p *SourcePass) isList(e pysrc.Expr) bool {
	v := p.Eval(e)
	found := v.Kind == project.Display || v.Name == "list" || p.eval.HoldsMoved(p.Module, e)
	name, ok := e.(*pysrc.Name)
	fn := p.Function(e)
	if !ok || fn.Def == nil {
		return found
	}
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Assign); ok && len(a.Targets) == 1 {
			found = found || isNamed(a.Targets[0], name.ID) && callsNamed(a.Value, "list") || fn.HasParameter(name.ID) && changesItem(a, name.ID)
		}
		if c, ok := n.(*pysrc.Call); ok && len(c.Args) > 0 && isNamed(c.Args[0], name.ID) {
			found = found || isNamed(c.Func, "type") || isNamed(c.Func, "isinstance") && len(c.Args) == 2 && mentionsAny(c.Args[1], listTypes)
		}
		a, ok := n.(*pysrc.Attribute)
		if ok && (asksSize(a) || a.Attr == "device") {
			first, ok := a.Value.(*pysrc.Subscript)
			found = found || ok && isNamed(first.Value, name.ID) && isZero(first.Slice)
		}
		return !found
	})
	return found
}
