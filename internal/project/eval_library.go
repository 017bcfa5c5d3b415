package project

import (
	"saturate/internal/pysrc"
)

// library is a name of a library, held once, with the names below it.
type library struct {
	value Value
	below map[string]*library
}

// lib returns the library's name, canonical.
func (e *Eval) lib(name string) *library {
	name = canonical(name)
	l := e.libs[name]
	if l == nil {
		l = &library{value: Value{Kind: libraryKind(name), Name: name, Sure: Certain}}
		e.libs[name] = l
	}
	return l
}

// libMember is lib of what a library's module, class or object has under a name.
func (e *Eval) libMember(of, name string) *library {
	key := libMember{of, name}
	l := e.libMembers[key]
	if l == nil {
		l = e.lib(of + "." + name)
		e.libMembers[key] = l
	}
	return l
}

type libMember struct{ of, name string }

// resultName is the name of what a library's function gives.
func (e *Eval) resultName(of string) string {
	name, known := e.resultNames[of]
	if !known {
		name = of + "()"
		e.resultNames[of] = name
	}
	return name
}

func (e *Eval) below(l *library, attr string) *library {
	if next := l.below[attr]; next != nil {
		return next
	}
	next := e.lib(l.value.Name + "." + attr)
	if l.below == nil {
		l.below = map[string]*library{}
	}
	l.below[attr] = next
	return next
}

// library is the fast path for most names: a, or a.b.c, where a is imported once from outside the project. It returns
// nil for all others.
func (e *Eval) library(x pysrc.Expr, sc *Scope) *library {
	switch x := x.(type) {
	case *pysrc.Name:
		if x.ID == "self" { // asked for more than any other, and never imported
			return nil
		}
		_, b := sc.find(x.ID)
		return e.libraryAt(b)
	case *pysrc.Attribute:
		if base := e.library(x.Value, sc); base != nil && !isNamespace(base.value.Name) {
			return e.below(base, x.Attr)
		}
	}
	return nil
}

// libraryAt is library of a name that is bound last so, or not at all.
func (e *Eval) libraryAt(b *Binding) *library {
	if b == nil || b.Kind != Imported {
		return nil
	}
	l, ok := e.roots[b]
	if !ok {
		if v := e.binding(b); v.outsideName() && e.alwaysImports(b.prior, v.Name) {
			l = e.lib(v.Name)
		}
		e.roots[b] = l
	}
	return l
}

// alwaysImports reports whether a name stands for the same module of a library wherever it is bound: import torch and
// import torch.nn both bind torch.
func (e *Eval) alwaysImports(b *Binding, name string) bool {
	for ; b != nil; b = b.prior {
		if b.Kind != Imported {
			return false
		}
		if v := e.binding(b); !v.outsideName() || v.Name != name {
			return false
		}
	}
	return true
}

// outsideName reports a module, class or function that is a library's.
func (v *Value) outsideName() bool {
	return (v.Kind == Package || v.Kind == Type ||
		v.Kind == Callable) && v.Module == nil && v.Class == nil && v.Func == nil && v.folder() == "" && v.Name != ""
}

// intern returns a Value that lives as long as the project, one for all equal ones.
func (e *Eval) intern(v Value) *Value {
	if v.Kind == Unknown && len(v.Either) == 0 {
		return nothing
	}
	if v.Kind != Package && v.Kind != Type && v.Kind != Callable || v.Made != nil || len(v.Either) > 0 {
		return kept(v)
	}
	key := internKey{v.Kind, v.Name, v.Class, v.Func, v.Self, v.member}
	p := e.same[key]
	if p == nil {
		p = kept(v)
		e.same[key] = p
	}
	return p
}

// kept copies a Value to the heap; other Values are not allocated.
func kept(v Value) *Value { return &v }

type internKey struct {
	kind   Kind
	name   string
	class  *Class
	fn     *Function
	self   *Class
	member bool
}

// builtins that matter for what a call is.
var builtinTypes = setOf("int", "float", "str", "bool", "bytes", "list", "dict", "set", "tuple", "frozenset", "object",
	"bytearray", "complex", "slice", "type", "range", "enumerate", "zip", "map", "filter", "reversed", "property",
	"Exception", "ValueError", "RuntimeError", "KeyError", "TypeError", "NotImplementedError")

var builtinFunctions = setOf("print", "len", "open", "super", "getattr", "setattr", "hasattr", "isinstance",
	"issubclass",
	"iter", "next", "sum", "min", "max", "abs", "round", "sorted", "any", "all", "vars", "dir", "id", "hash", "repr",
	"input", "eval", "exec", "compile", "globals", "locals", "callable", "divmod", "pow", "ord", "chr", "format",
	"staticmethod", "classmethod", "breakpoint", "__import__", "hex", "bin")

func setOf(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}
