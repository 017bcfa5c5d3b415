package project

import (
	"path"
	"slices"

	"saturate/internal/pysrc"
)

// Function is a def, a lambda, or the top level of a module.
type Function struct {
	Module *Module
	// Name is the name within the module: Speech.__getitem__, or <lambda>, or empty for the top level.
	Name string
	// Def and Lambda tell what it is; both are nil for the top level.
	Def    *pysrc.FunctionDef
	Lambda *pysrc.Lambda
	// Class is the class whose method it is; for a lambda, that of the method it stands in.
	Class *Class
	// Outer is the function or top level in which it is written; nil for the top level.
	Outer *Function
	Scope *Scope
	// Sites are the calls in its own body, not those of functions inside it.
	Sites []*Site

	over          string // the parameter whose items it puts into the mapping that it returns
	looksUp       bool   // it gets what it returns by a name that it is given
	getsMethods   bool   // it runs methods by a name that it is given
	readsVariable bool   // it reads the environment variable whose name it is given
	stepped       bool   // see InStep
	calls         int32  // how many Sites there are
	body          BlockID
	returns       []pysrc.Expr // values of return statements
	yields        []pysrc.Expr // values of yield; the YieldFrom itself for yield from
	users         []*Site      // callers
	given         *handings    // none for most
}

// handings are the places beside its callers that give a function arguments.
type handings struct {
	mapped   []*Site  // maps over a dataset that give some: fn_kwargs={"room": 512}
	bound    []*Site  // functools.partial calls that bind some
	launched []launch // calls that start it elsewhere: in processes or a thread
}

// handing is where a handing of the function is noted.
func (f *Function) handing() *handings {
	if f.given == nil {
		f.given = &handings{}
	}
	return f.given
}

// handed are the handings of a function, which may be nil.
func (f *Function) handed() handings {
	if f == nil || f.given == nil {
		return handings{}
	}
	return *f.given
}

// callers are the calls that may reach a function, which may be nil.
func (f *Function) callers() []*Site {
	if f == nil {
		return nil
	}
	return f.users
}

// InStep reports a function that a training step reaches. In others nothing is Hot.
func (f *Function) InStep() bool { return f.stepped }

// BaseName is the last part of the name: __getitem__.
func (f *Function) BaseName() string {
	switch {
	case f.Def != nil:
		return f.Def.Name
	case f.Lambda != nil:
		return "<lambda>"
	}
	return ""
}

// Title names the function for people: Speech.__getitem__, or the top level of train.py.
func (f *Function) Title() string {
	if f.Def == nil && f.Lambda == nil {
		return "the top level of " + path.Base(slashed(f.Module.Path))
	}
	return f.Name
}

// Returns are the values of the return statements.
func (f *Function) Returns() []pysrc.Expr { return f.returns }

// Yields are the values of the yields; the YieldFrom itself for yield from.
func (f *Function) Yields() []pysrc.Expr { return f.yields }

// Params returns the parameters, nil for the top level.
func (f *Function) Params() *pysrc.Arguments {
	switch {
	case f.Def != nil:
		return f.Def.Args
	case f.Lambda != nil:
		return f.Lambda.Args
	}
	return nil
}

// HasParameter reports whether a name is one of the parameters.
func (f *Function) HasParameter(name string) bool {
	params := f.Params()
	return params != nil && slices.ContainsFunc(params.All(), func(a *pysrc.Arg) bool { return a.Name == name })
}

// firstParameter is the name of the first parameter, or nothing.
func (f *Function) firstParameter() string {
	if params := f.Params(); params != nil {
		if all := params.All(); len(all) > 0 {
			return all[0].Name
		}
	}
	return ""
}

// Decorators returns the decorators of a def.
func (f *Function) Decorators() []pysrc.Expr {
	if f.Def != nil {
		return f.Def.Decorators
	}
	return nil
}

// Bounds returns the name of a def, and the whole of a lambda: the place to point at.
func (f *Function) Bounds() pysrc.Span {
	switch {
	case f.Def != nil:
		return f.Def.NameSpan
	case f.Lambda != nil:
		return f.Lambda.Span
	}
	return pysrc.Span{}
}

// Method reports whether it is a method that gets the instance first.
func (f *Function) Method() bool {
	return f.Class != nil && f.Def != nil && !f.decorated("staticmethod", "classmethod")
}

// IsGenerator reports whether it yields.
func (f *Function) IsGenerator() bool { return len(f.yields) > 0 }

// decorated reports a decorator by the last part of its name.
func (f *Function) decorated(names ...string) bool {
	for _, d := range f.Decorators() {
		if c, ok := d.(*pysrc.Call); ok {
			d = c.Func
		}
		last := lastName(d)
		for _, n := range names {
			if last == n {
				return true
			}
		}
	}
	return false
}

// Self is the name of the parameter that holds the instance, or nothing. A
// function inside a method sees the method's.
func (f *Function) Self() string {
	for ; f != nil; f = f.Outer {
		if f.Def != nil && f.Class != nil {
			if a := f.Def.Args; f.Method() && a != nil {
				if len(a.PosOnly) > 0 {
					return a.PosOnly[0].Name
				}
				if len(a.Args) > 0 {
					return a.Args[0].Name
				}
			}
			return ""
		}
	}
	return ""
}
