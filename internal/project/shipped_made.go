package project

import "slices"

// notMade is the test that keeps the project from making an object of the class which a function belongs to, where all
// places that name the class lie behind one: if args.ctc: criterion = CTC().
func (e *Eval) notMade(fn *Function) (found *Condition) {
	if fn == nil || fn.Class == nil {
		return nil
	}
	return e.notMadeOf(fn.Class, 0)
}

// notMadeOf is notMade for a class: neither it nor one that derives from it is made.
func (e *Eval) notMadeOf(c *Class, depth int) (found *Condition) {
	at := slices.IndexFunc(e.p.defined, func(d *definition) bool { return d.class == c })
	if at < 0 || e.p.defined[at].alive || depth > 2 {
		return nil
	}
	for _, at := range e.p.defined[at].mentions {
		if slices.ContainsFunc(c.subs, func(sub *Class) bool { return at.module == sub.Module && sub.Def.Bounds().Contains(int(at.at)) }) {
			continue // as its base
		}
		if found = e.leftOutAt(at.module, at.at); found == nil {
			return nil
		}
	}
	for _, sub := range c.subs {
		if found = e.notMadeOf(sub, depth+1); found == nil {
			return nil
		}
	}
	return found
}

// NotCalled is the test that keeps the project from calling a function, where all calls of it lie behind one, or in functions
// that are not called: if args.evaluate: validate(model).
func (e *Eval) NotCalled(fn *Function) *Condition { return e.notCalled(fn, 0) }

func (e *Eval) notCalled(fn *Function, depth int) (found *Condition) {
	callers := fn.callers()
	if fn == nil || fn.Def == nil || len(callers) == 0 || len(callers) > mostCallers || depth > deepestDefault ||
		fn.Class != nil && fn.BaseName() == "__init__" {
		return nil
	}
	for _, s := range callers {
		if s.Func == fn {
			continue
		}
		if found = e.leftOutAt(s.Module(), s.Node.Start); found == nil {
			found = e.notCalled(s.Func, depth+1)
		}
		if found == nil {
			return nil
		}
	}
	return found
}
