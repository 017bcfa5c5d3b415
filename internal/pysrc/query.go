package pysrc

import "strings"

// DottedName returns a.b.c for a Name or a chain of Attributes over one, and
// nothing for anything else.
func DottedName(e Expr) string {
	switch e := e.(type) {
	case *Name:
		return e.ID
	case *Attribute:
		if name, ok := e.Value.(*Name); ok {
			return name.ID + "." + e.Attr
		}
		var room [8]string
		parts, length := append(room[:0], e.Attr), len(e.Attr)
		for v := e.Value; ; {
			switch x := v.(type) {
			case *Attribute:
				parts, length = append(parts, x.Attr), length+1+len(x.Attr)
				v = x.Value
				continue
			case *Name:
				var b strings.Builder
				b.Grow(len(x.ID) + 1 + length)
				b.WriteString(x.ID)
				for i := len(parts) - 1; i >= 0; i-- {
					b.WriteByte('.')
					b.WriteString(parts[i])
				}
				return b.String()
			}
			return ""
		}
	}
	return ""
}

// Keyword returns the keyword argument of that name, or nil.
func (c *Call) Keyword(name string) *Keyword { return keyword(c.Keywords, name) }

// KeywordValue is what a call passes by a keyword, or nil.
func (c *Call) KeywordValue(name string) Expr {
	if k := c.Keyword(name); k != nil {
		return k.Value
	}
	return nil
}

// Keyword returns the keyword argument of that name, or nil.
func (c *ClassDef) Keyword(name string) *Keyword { return keyword(c.Keywords, name) }

func keyword(list []*Keyword, name string) *Keyword {
	for _, k := range list {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Unpacks reports whether the call has a *args or **kwargs, so that arguments
// may be present that are not written out.
func (c *Call) Unpacks() (args, kwargs bool) {
	for _, a := range c.Args {
		if _, ok := a.(*Starred); ok {
			args = true
		}
	}
	return args, keyword(c.Keywords, "") != nil
}

// All returns every parameter in order: positional, *vararg, keyword-only, **kwarg.
func (a *Arguments) All() []*Arg {
	all := make([]*Arg, 0, len(a.PosOnly)+len(a.Args)+len(a.KwOnly)+2)
	all = append(all, a.PosOnly...)
	all = append(all, a.Args...)
	if a.Vararg != nil {
		all = append(all, a.Vararg)
	}
	all = append(all, a.KwOnly...)
	if a.Kwarg != nil {
		all = append(all, a.Kwarg)
	}
	return all
}

// First returns the first of all parameters, or nil.
func (a *Arguments) First() *Arg {
	switch {
	case len(a.PosOnly) > 0:
		return a.PosOnly[0]
	case len(a.Args) > 0:
		return a.Args[0]
	case a.Vararg != nil:
		return a.Vararg
	case len(a.KwOnly) > 0:
		return a.KwOnly[0]
	}
	return a.Kwarg
}

// Default returns the default of the parameter of that name, or nil.
func (a *Arguments) Default(name string) Expr {
	at := len(a.Defaults) - len(a.PosOnly) - len(a.Args) // of the first parameter's, below 0 where it has none
	for _, list := range [...][]*Arg{a.PosOnly, a.Args} {
		for _, arg := range list {
			if arg.Name == name && at >= 0 {
				return a.Defaults[at]
			}
			at++
		}
	}
	for i, arg := range a.KwOnly {
		if arg.Name == name {
			return a.KwDefaults[i]
		}
	}
	return nil
}

// Docstring returns the documentation string of a body, if it starts with one.
func Docstring(body []Stmt) (string, bool) {
	if len(body) == 0 {
		return "", false
	}
	if e, ok := body[0].(*ExprStmt); ok {
		return StringValue(e.Value)
	}
	return "", false
}

// LoopBody is the body of a for or while, nil for any other statement.
func LoopBody(loop Stmt) []Stmt {
	switch s := loop.(type) {
	case *For:
		return s.Body
	case *While:
		return s.Body
	}
	return nil
}
