package project

import "saturate/internal/pysrc"

// Site is a call in the source.
type Site struct {
	Node  *pysrc.Call
	Func  *Function // in which it stands
	Block BlockID
	// Calls is the value that is called; its Kind is Unknown if the source does not show it.
	Calls *Value

	leads bool // to a training step; see findLeadingCalls
}

// Bounds returns the span of the call.
func (s *Site) Bounds() pysrc.Span { return s.Node.Span }

// Module returns the module in which the call stands.
func (s *Site) Module() *Module { return s.Func.Module }

// Name returns the canonical name of what is called, or nothing.
func (s *Site) Name() string { return s.Calls.Name }

// Possible returns what may be called: one Value, or several where the source
// leaves a choice.
func (s *Site) Possible() []Value {
	if len(s.Calls.Either) > 0 {
		return s.Calls.Either
	}
	return []Value{*s.Calls}
}

// EachPossible is Possible without a copy.
func (s *Site) EachPossible(visit func(*Value)) {
	if len(s.Calls.Either) == 0 {
		visit(s.Calls)
	}
	for i := range s.Calls.Either {
		visit(&s.Calls.Either[i])
	}
}

// Method returns the name of x.name(…), or nothing.
func (s *Site) Method() string {
	if a, ok := s.Node.Func.(*pysrc.Attribute); ok {
		return a.Attr
	}
	return ""
}

// nothing is the Value about which nothing is known.
var nothing = &Value{}

// pending is what a call calls before it is linked.
var pending = &Value{}
