package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// Class is a class of the project.
type Class struct {
	Module *Module
	// Name is the name within the module.
	Name  string
	Def   *pysrc.ClassDef
	Scope *Scope
	// Methods are the functions written in the class, by name.
	Methods map[string]*Function

	outer *Scope            // where the class stands: its bases are looked up there
	attrs map[string][]attr // self.x = … in its methods
	// counted are the fields that its methods change by what they hold: self.steps += 1.
	counted map[string]bool
	bases   []Value  // linked
	line    []*Class // the class and its bases in the project
	subs    []*Class // classes that derive from it directly
	heirs   []*Class // those and what derives from them, unless they are too many
	body    BlockID

	full     string // FullName
	property bool   // one of its own methods is a property
}

// attr is one self.name = value.
type attr struct {
	fn         *Function
	at         int32
	block      BlockID
	kind       BindingKind
	value      pysrc.Expr // nil when only annotated
	annotation pysrc.Expr
	path       trail // place in an unpacked value
}

// Bounds returns the name of the class: the place to point at.
func (c *Class) Bounds() pysrc.Span { return c.Def.NameSpan }

// FullName is the dotted name with the module's.
func (c *Class) FullName() string { return c.full }

// Derives reports whether the class derives from one of the names, a library's
// or the project's, over any number of files.
func (c *Class) Derives(names ...string) bool {
	found := false
	c.each(func(c *Class) bool {
		found = contains(names, c.FullName()) || slices.ContainsFunc(c.bases, func(b Value) bool { return b.Class == nil && libraryDerives(b.Name, names) })
		return !found
	})
	return found
}

// LibraryBase returns the first base that is a library's, over the project's
// own classes, or nothing.
func (c *Class) LibraryBase() string { return c.libraryBase(map[*Class]bool{}) }

func (c *Class) libraryBase(seen map[*Class]bool) string {
	if seen[c] || len(seen) > mostAncestry {
		return ""
	}
	seen[c] = true
	for i := range c.bases {
		b := &c.bases[i]
		if b.Class != nil {
			if name := b.Class.libraryBase(seen); name != "" {
				return name
			}
		} else if b.Name != "" && b.Name != "object" && b.Name != "abc.ABC" && b.Name != "typing.Generic" {
			return b.Name
		}
	}
	return ""
}

// Method returns the method of that name, of the class or of the first base that has it, or nil.
func (c *Class) Method(name string) *Function {
	var found *Function
	c.each(func(c *Class) bool {
		found = c.Methods[name]
		return found == nil
	})
	return found
}

// hasProperty reports whether an attribute of its instances may be a call.
func (c *Class) hasProperty() bool {
	found := false
	c.each(func(c *Class) bool {
		found = c.property
		return !found
	})
	return found
}

// each visits the class and its bases in the project, nearest first, each once,
// until visit returns false.
func (c *Class) each(visit func(*Class) bool) {
	if c.line == nil { // its bases are not linked yet
		visit(c)
		return
	}
	for _, c := range c.line {
		if !visit(c) {
			return
		}
	}
}

// mostAncestry limits a chain of base classes; nobody writes longer ones by hand.
const mostAncestry = 100

// ancestry lists the class and its bases in the project, nearest first, each once.
func (c *Class) ancestry() []*Class {
	line := []*Class{c}
	for at := 0; at < len(line) && len(line) < mostAncestry; at++ {
		for i := range line[at].bases {
			if b := line[at].bases[i].Class; b != nil && !slices.Contains(line, b) {
				line = append(line, b)
			}
		}
	}
	return line
}

// mostHeirs is how many derived classes are looked at for a method that
// overrides another. With more of them, it is unclear which one is meant.
const mostHeirs = 20

// overrides returns the methods of that name in classes derived from this one.
func (c *Class) overrides(name string) []*Function {
	var list []*Function
	for _, heir := range c.heirs {
		if f := heir.Methods[name]; f != nil {
			list = append(list, f)
		}
	}
	return list
}

// Heirs are the class itself and what derives from it, as far as these are few.
func (c *Class) Heirs() []*Class { return append([]*Class{c}, c.heirs...) }

// findHeirs lists what derives from the class, over any number of classes.
func (c *Class) findHeirs() []*Class {
	if len(c.subs) == 0 || len(c.subs) > mostHeirs {
		return nil
	}
	heirs := slices.Clone(c.subs)
	for at := 0; at < len(heirs); at++ {
		if len(heirs[at].subs) > mostHeirs {
			return nil
		}
		for _, s := range heirs[at].subs {
			if !slices.Contains(heirs, s) {
				heirs = append(heirs, s)
			}
		}
		if len(heirs) > mostHeirs {
			return nil
		}
	}
	return heirs
}

// Dataclass reports whether its fields are its constructor's parameters.
func (c *Class) Dataclass() bool {
	found := false
	c.each(func(c *Class) bool {
		found = c.declaredDataclass()
		return !found && c.Methods["__init__"] == nil
	})
	return found
}

// fieldClasses are library classes whose derived classes are made with their fields, as dataclasses are.
var fieldClasses = []string{"typing.NamedTuple", "pydantic.BaseModel", "flax.linen.Module", "flax.struct.PyTreeNode", "equinox.Module"}

func (c *Class) declaredDataclass() bool {
	for _, d := range c.Def.Decorators {
		if call, ok := d.(*pysrc.Call); ok {
			d = call.Func
		}
		switch lastName(d) {
		case "dataclass", "define", "configclass", "attrs":
			return true
		}
	}
	for i := range c.bases {
		if libraryDerives(c.bases[i].Name, fieldClasses) {
			return true
		}
	}
	return false
}

// lastName is the last part of a dotted name.
func lastName(e pysrc.Expr) string {
	switch e := e.(type) {
	case *pysrc.Name:
		return e.ID
	case *pysrc.Attribute:
		return e.Attr
	}
	return ""
}

func contains(list []string, s string) bool { return slices.Contains(list, s) }

// Field reports a name that the body of the class, or of one of the project that it derives from, sets.
func (c *Class) Field(name string) bool {
	found := false
	c.each(func(c *Class) bool {
		b := c.Scope.last(name)
		found = b != nil && b.Value != nil
		return !found
	})
	return found
}

// counts notes a field that a method changes by what it holds.
func (c *Class) counts(name string) {
	if c.counted == nil {
		c.counted = map[string]bool{}
	}
	c.counted[name] = true
}

// isCounted reports a field that a method of the class, of its bases or of what derives from it changes by what it holds.
func (c *Class) isCounted(name string) bool {
	counted := false
	c.each(func(c *Class) bool {
		counted = c.counted[name]
		return !counted
	})
	return counted || slices.ContainsFunc(c.heirs, func(heir *Class) bool { return heir.counted[name] })
}
