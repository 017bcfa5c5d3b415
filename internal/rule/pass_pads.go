package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// padsSequences reports whether a collate function pads whole samples to the longest: itself, or in a function of the
// project that it calls.
func (p *SourcePass) padsSequences(collate Value) bool {
	fn := collateFunction(collate)
	return fn != nil && p.pads(fn, 0) && !sortsAgain(fn)
}

// collateFunction is the function that makes batches: the value, or the __call__ of its class.
func collateFunction(collate Value) *project.Function {
	if collate.Func == nil && collate.Class != nil {
		return collate.Class.Method("__call__")
	}
	return collate.Func
}

// pads reports whether whereItPads finds a place.
func (p *SourcePass) pads(fn *project.Function, depth int) bool {
	at, _ := p.whereItPads(fn, depth)
	return at != nil
}

// whereItPads is the place of pad_sequence, or of padding by hand: numpy.pad or F.pad of each sample, rows that are filled in part, padding
// cut off behind the longest. Inputs of one size that are stacked beside say that only labels are padded.
func (p *SourcePass) whereItPads(fn *project.Function, depth int) (pysrc.Node, *SourcePass) {
	in := p.In(fn.Module)
	if depth == 0 && slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		return s.Calls.Name == "torch.stack" && !in.stacksMasks(s) || in.stacksFields(s)
	}) {
		return in.fillsAllRows(fn), in
	}
	for _, s := range fn.Sites {
		if s.Calls.Name == "torch.nn.utils.rnn.pad_sequence" || in.padsToLongest(s) {
			return s.Node, in
		}
	}
	if fn.Def != nil {
		if at := in.padsByHand(fn); at != nil {
			return at, in
		}
		if at := in.cutsPadding(fn); at != nil {
			return at, in
		}
	}
	if drawsAny(fn) || depth > 1 {
		return nil, nil // it cuts windows of one length, and pads what is shorter
	}
	for _, s := range fn.Sites {
		f := s.Calls.Func
		if mapped, ok := s.Node.Func.(*pysrc.Name); ok && mapped.ID == "map" && len(s.Node.Args) > 1 {
			if f = in.eval.ArgumentAt(s, 0).Func; f != nil && padsOne(f) {
				return s.Node, in
			}
			continue
		}
		if f == nil || f == fn || s.Calls.Kind != project.Callable {
			continue
		}
		if at, there := p.whereItPads(f, depth+1); at != nil {
			return at, there
		}
		if in.InLoop(s) && padsOne(f) {
			return s.Node, in
		}
	}
	return nil, nil
}

// stacksMasks reports torch.stack of masks or of rows that are made of lengths: [torch.arange(n) >= k for k in lengths].
func (p *SourcePass) stacksMasks(s *project.Site) bool {
	list, ok := p.onceSaid(firstArg(s.Node)).(*pysrc.ListComp)
	if !ok {
		return false
	}
	switch made := list.Elt.(type) {
	case *pysrc.Compare:
		return true
	case *pysrc.Call:
		switch p.NameOf(made.Func) {
		case "torch.arange", "torch.ones", "torch.zeros", "torch.full":
			return true
		}
	}
	return false
}

// cutsPadding is x[:, :longest] of a batch whose samples come padded to one length, where longest is the largest of their lengths.
func (p *SourcePass) cutsPadding(fn *project.Function) (found pysrc.Node) {
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		part, ok := n.(*pysrc.Subscript)
		if !ok || found != nil || part.Ctx != pysrc.Load {
			return found == nil
		}
		axes := elementsOf(part.Slice)
		if len(axes) < 2 {
			return true
		}
		cut, ok := axes[1].(*pysrc.Slice)
		if ok && cut.Lower == nil && cut.Upper != nil && p.isLongest(cut.Upper) {
			found = part
		}
		return true
	})
	return found
}

// isLongest reports max(lengths), its number, or a variable that holds it.
func (p *SourcePass) isLongest(e pysrc.Expr) bool {
	e = p.onceSaid(e)
	c, ok := e.(*pysrc.Call)
	if !ok {
		return false
	}
	switch a, method := c.Func.(*pysrc.Attribute); {
	case method && a.Attr == "item":
		return p.isLongest(a.Value)
	case method:
		return a.Attr == "max" && len(c.Args) == 0
	}
	switch pysrc.DottedName(c.Func) {
	case "int":
		return len(c.Args) == 1 && p.isLongest(c.Args[0])
	case "max":
		return len(c.Args) == 1
	}
	return false
}

// stacksFields reports np.stack, or cat with a new axis, of a part of each sample that nothing has made longer: np.stack([s["image"] for s in batch]).
func (p *SourcePass) stacksFields(s *project.Site) bool {
	switch s.Calls.Name {
	case "numpy.stack", "torch.cat", "torch.concat":
	default:
		return false
	}
	given := firstArg(s.Node)
	if name, ok := given.(*pysrc.Name); ok {
		given = p.Module.SaidLast(name)
	}
	list, ok := given.(*pysrc.ListComp)
	if !ok {
		return false
	}
	field, ok := list.Elt.(*pysrc.Subscript)
	return ok && (s.Calls.Name == "numpy.stack" || addsAxis(field))
}

// addsAxis reports x[None], x[None, :]: cat of such is stack.
func addsAxis(field *pysrc.Subscript) bool {
	first := field.Slice
	if t, ok := first.(*pysrc.Tuple); ok && len(t.Elts) > 0 {
		first = t.Elts[0]
	}
	return pysrc.IsConst(first, pysrc.None)
}

// padsOne reports a function that pads what it is given: pad(x, length), called for each sample.
func padsOne(fn *project.Function) bool {
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		return s.Calls.Name == "numpy.pad" || s.Calls.Name == "torch.nn.functional.pad"
	})
}

// padsToLongest reports a call that makes a batch of texts as long as its longest: tokenizer(texts, padding=True).
func (p *SourcePass) padsToLongest(s *project.Site) bool {
	k := s.Node.Keyword("padding")
	if k == nil || strings.HasPrefix(s.Calls.Name, "torch.") {
		return false
	}
	v := p.Eval(k.Value)
	return v.IsTrue() || v.Equals("longest")
}

// padsByHand is the place of np.pad(x, …) for each sample, and of padded[i, :n] = x.
func (p *SourcePass) padsByHand(fn *project.Function) (found pysrc.Node) {
	for _, s := range fn.Sites {
		if (s.Calls.Name == "numpy.pad" || s.Calls.Name == "torch.nn.functional.pad") && p.InLoop(s) {
			return s.Node
		}
	}
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		if fill, ok := n.(*pysrc.BinOp); ok && fill.Op == pysrc.Mult && found == nil && p.InLoop(fill) && p.fillsToLength(fill) {
			found = fill
		}
		assign, ok := n.(*pysrc.Assign)
		if !ok || found != nil || p.Module.LoopAround(assign) == nil {
			return true
		}
		target, ok := assign.Targets[0].(*pysrc.Subscript)
		if !ok {
			return true
		}
		parts := []pysrc.Expr{target.Slice}
		if t, ok := target.Slice.(*pysrc.Tuple); ok {
			parts = t.Elts
		}
		var cut []int // the sides that are filled in part
		for i, e := range parts {
			if slice, ok := e.(*pysrc.Slice); ok && slice.Upper != nil && slice.Lower == nil && slice.Step == nil {
				cut = append(cut, i)
			}
		}
		if len(cut) > 0 && !p.isOfOneSize(target.Value, cut) {
			found = target
		}
		return true
	})
	return found
}

// isOfOneSize reports a block of which these sides are settings: torch.zeros(len(items), 3, *canvas). However much of it a
// batch fills, all batches have one size.
func (p *SourcePass) isOfOneSize(block pysrc.Expr, cut []int) bool {
	c, ok := p.onceSaid(block).(*pysrc.Call)
	for ok {
		if _, last, _ := cutLast(p.NameOf(c.Func)); creators[last] {
			break
		}
		var method *pysrc.Attribute // torch.zeros(…).fill_(pad)
		if method, ok = c.Func.(*pysrc.Attribute); ok {
			c, ok = method.Value.(*pysrc.Call)
		}
	}
	if !ok || len(c.Args) == 0 {
		return false
	}
	sides := c.Args
	if shape := elementsOf(c.Args[0]); len(shape) > 0 {
		sides = shape
	}
	return len(sides) > 1 && !slices.ContainsFunc(cut, func(i int) bool {
		return i == 0 || !p.isSetting(sides[min(i, len(sides)-1)])
	})
}

// isSetting reports a number, a field, or a name that comes from outside the function: nothing that a batch decides.
func (p *SourcePass) isSetting(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Starred:
		return p.isSetting(x.Value)
	case *pysrc.Constant:
		return true
	case *pysrc.Attribute:
		return project.FieldOfSelf(x) != ""
	case *pysrc.Name:
		fn := p.Function(x)
		return !fn.HasParameter(x.ID) && len(assignedIn(fn, x.ID)) == 0
	}
	return false
}

// fillsToLength reports [pad] * (length - len(ids)).
func (p *SourcePass) fillsToLength(fill *pysrc.BinOp) bool {
	list, times := fill.Left, fill.Right
	if _, ok := list.(*pysrc.List); !ok {
		list, times = times, list
	}
	one, ok := list.(*pysrc.List)
	if name, named := times.(*pysrc.Name); named {
		times = p.Module.SaidLast(name)
	}
	missing, differs := times.(*pysrc.BinOp)
	if !ok || len(one.Elts) != 1 || !differs || missing.Op != pysrc.Sub {
		return false
	}
	longest := []pysrc.Expr{leftmost(missing)}
	if name, named := longest[0].(*pysrc.Name); named {
		longest = p.assignments(name.ID, p.Function(name)) // max(len(x) for x in batch), and not a setting
	}
	return slices.ContainsFunc(longest, func(e pysrc.Expr) bool {
		most, computed := e.(*pysrc.Call)
		return computed && lastName(most.Func) == "max"
	})
}

// sortsAgain reports a collate function that is given many samples, sorts them and cuts them into batches of similar length itself.
// One that only sorts the samples of its batch leaves their lengths as they are.
func sortsAgain(fn *project.Function) bool {
	sorts, cuts := false, false
	for _, s := range fn.Sites {
		switch s.Calls.Name {
		case "numpy.argsort":
			sorts = true
		case "numpy.array_split", "numpy.split", "numpy.reshape":
			cuts = true
		}
		cuts = cuts || s.Method() == "reshape"
	}
	return sorts && cuts
}
