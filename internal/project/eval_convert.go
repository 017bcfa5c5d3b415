package project

import (
	"strconv"
	"strings"

	"saturate/internal/pysrc"
)

// converted tells what int("8"), float(x), bool(0) and str(1) give, where the argument is a known literal: settings and
// environment variables are often read as text.
func (e *Eval) converted(to string, x *pysrc.Call, sc *Scope) (Value, bool) {
	if len(x.Args) != 1 || len(x.Keywords) > 0 {
		return Value{}, false
	}
	v := e.expr(x.Args[0], sc)
	if v.Kind != Literal || len(v.Either) > 0 {
		return Value{}, false
	}
	s, ok := v.Scalar.convert(to)
	if !ok {
		return Value{}, false
	}
	v.Scalar = s
	return v, true
}

// convert is the literal as another type of Python's.
func (s Scalar) convert(to string) (Scalar, bool) {
	text := strings.TrimSpace(s.Text)
	switch to {
	case "int":
		switch s.Type {
		case Int:
			return s, true
		case String:
			n, err := strconv.ParseInt(text, 10, 64)
			return Scalar{Type: Int, Int: n}, err == nil
		}
	case "float":
		switch s.Type {
		case Float:
			return s, true
		case String:
			f, err := strconv.ParseFloat(text, 64)
			return Scalar{Type: Float, Float: f}, err == nil
		}
	case "bool":
		switch s.Type {
		case Bool:
			return s, true
		case Int:
			return Scalar{Type: Bool, Bool: s.Int != 0}, true
		case String:
			return Scalar{Type: Bool, Bool: s.Text != ""}, true
		}
	}
	return Scalar{}, false
}
