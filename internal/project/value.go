package project

import (
	"strings"

	"saturate/internal/pysrc"
)

// Kind is what is known about a Value.
type Kind uint8

const (
	// Unknown: the source does not show it.
	Unknown Kind = iota
	// Missing: an argument, key or attribute that is not given.
	Missing
	// Literal: a number, string, True, False or None. Scalar holds it.
	Literal
	// Display: a list, tuple, set, dict or comprehension written out. Expr holds it.
	Display
	// Key: a mapping or list of a settings file. Setting holds it.
	Key
	// Package: a module, of the project or of a library.
	Package
	// Type: a class, of the project or of a library.
	Type
	// Callable: a function, of the project or of a library.
	Callable
	// Instance: an object of a class, or what a library function returns.
	Instance
)

// Value is the value of an expression, as far as the source shows it.
type Value struct {
	Kind Kind
	// These stand here, where they take no room.
	member     bool // of a Callable: an attribute of an instance, perhaps no function at all
	attributes bool // of a dict Display: its keys are read as attributes
	partial    bool // Made bound arguments by functools.partial
	parallel   bool // a model in DataParallel, which moves what it is given
	prepared   bool // Made is a prepare, which gives back what it was given
	parsed     bool // Made is a parser, which makes objects of the classes that it was given

	// Name is the canonical dotted name of a module, class or function. For an
	// Instance it is the name of its class, or function() for what a library
	// function returns.
	Name string
	// Module, Class and Func are set when they are the project's own. An
	// Instance of a project class has Class set, a bound method has Self.
	Module *Module
	Class  *Class
	Func   *Function
	// Made is the call that made an Instance, or that bound the arguments of a partial.
	Made *Site
	// Scalar is the value of a Literal.
	Scalar Scalar
	// Expr is the expression of a Display or Literal.
	Expr pysrc.Expr
	// Setting is the node of a settings file: of a Key, and of a Literal that is set there.
	Setting *Setting
	// Origin is where the value is set.
	Origin Origin
	// Sure is the confidence, 0 to 1, that this is the value at run time.
	Sure float64
	// Either holds the alternatives when several values are possible; Kind is Unknown then.
	Either []Value
	// Self is set for a method that was looked up on an instance: its class.
	Self *Class

	scope *Scope // in which Expr is read
	more  *more
}

// more holds the fields that few Values need.
type more struct {
	folder   string      // of a Package that is a folder without __init__.py
	nodes    []*Setting  // of a Key: all the places that the key may have in mind
	missing  *argument   // where a Missing argument would be written
	variable *Binding    // the variable that holds a Literal
	use      Origin      // the argument that stands for a variable's Literal
	chosen   Origin      // the switch that chose this value among others, set elsewhere
	changed  []configKey // of an object that holds settings: the variables that hold it and may change it
	holdings []holding   // of a dict Display: the variables that hold it and may change it, the first one first
}

// moreOf is a copy of what only few values have, to be changed.
func (v *Value) moreOf() more {
	if v.more == nil {
		return more{}
	}
	return *v.more
}

func (v *Value) folder() string {
	if v.more == nil {
		return ""
	}
	return v.more.folder
}

func (v *Value) changed() []configKey {
	if v.more == nil {
		return nil
	}
	return v.more.changed
}

func (v *Value) nodes() []*Setting {
	if v.more == nil {
		return nil
	}
	return v.more.nodes
}

// Origin is where and how a value is set.
type Origin struct {
	Source *Source
	Span   pysrc.Span
	How    How
}

// How a value is set.
type How uint8

const (
	Nowhere       How = iota
	InPlace           // written where it is used
	ByVariable        // a variable or constant
	ByDefault         // the default of a parameter
	ByField           // the default of a dataclass field or class attribute
	ByOption          // the default of a command line option
	BySettings        // a key of a YAML, JSON or TOML file
	ByDictionary      // a key of a dict, such as one that is unpacked with **
	ByCaller          // an argument that a caller passes
	ByEnvironment     // the default of an environment variable
	ByScript          // an option that a script gives
)

func (h How) String() string {
	return [...]string{
		"", "written here", "set by a variable", "the default of a parameter", "the default of a field",
		"the default of a command line option", "set in a settings file", "set in a dictionary",
		"passed by a caller", "the default of an environment variable", "given by a script",
	}[h]
}

// IsTrue, IsFalse and IsNone report a literal of that value; false when it is not known.
// WrittenIn is the module and the function in which the expression of a value stands; nil where it is not known.
func (v Value) WrittenIn() (*Module, *Function) {
	if v.scope == nil {
		return nil, nil
	}
	return v.scope.Module, v.scope.Func
}

func (v Value) IsTrue() bool { return v.Kind == Literal && v.Scalar.Type == Bool && v.Scalar.Bool }

func (v Value) IsFalse() bool { return v.Kind == Literal && v.Scalar.Type == Bool && !v.Scalar.Bool }
func (v Value) IsNone() bool  { return v.Kind == Literal && v.Scalar.Type == Null }

// Missing reports an argument or key that is not given: the callee's default counts.
func (v Value) Missing() bool { return v.Kind == Missing }

// Unknown reports whether the source does not show the value. This includes values known only as the result of some
// function or as an attribute of a library's object.
func (v Value) Unknown() bool {
	return v.Kind == Unknown || v.Kind == Instance && v.Class == nil && strings.ContainsAny(v.Name, "([") ||
		v.Kind == Callable && v.member
}

// Given reports that something is given, whether or not its value is known.
func (v Value) Given() bool { return v.Kind != Missing }

// Int returns the value of an integer literal.
func (v Value) Int() (int64, bool) {
	return v.Scalar.Int, v.Kind == Literal && v.Scalar.Type == Int
}

// Float returns the value of a number.
func (v Value) Float() (float64, bool) {
	switch {
	case v.Kind != Literal:
	case v.Scalar.Type == Int:
		return float64(v.Scalar.Int), true
	case v.Scalar.Type == Float:
		return v.Scalar.Float, true
	}
	return 0, false
}

// String returns the value of a string literal.
func (v Value) Str() (string, bool) {
	return v.Scalar.Text, v.Kind == Literal && v.Scalar.Type == String
}

// Equals reports a literal equal to a Go bool, int, float64, string, or nil for None.
func (v Value) Equals(want any) bool {
	return v.Kind == Literal && v.Scalar.equals(want)
}

// IsInstance reports an instance of one of the classes, or of a class derived from one.
func (v Value) IsInstance(names ...string) bool {
	return v.Kind == Instance && v.derives(names)
}

// IsClass reports one of the classes, or a class derived from one.
func (v Value) IsClass(names ...string) bool {
	return v.Kind == Type && v.derives(names)
}

// Confidence says how sure the value is: 1 when it is written where it is used
// or not given at all, less when it can be overridden, low when it is not known.
func (v Value) Confidence() float64 {
	if v.Unknown() {
		return 0.4
	}
	return v.Sure
}
