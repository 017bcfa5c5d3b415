package pysrc

import (
	"math/big"
	"strconv"
	"strings"
)

// ConstKind is the type of a Constant.
type ConstKind uint8

const (
	None ConstKind = iota
	True
	False
	Ellipsis
	Int
	Float
	Complex
	Str
	Bytes
)

var constNames = [...]string{"None", "True", "False", "Ellipsis", "int", "float", "complex", "str", "bytes"}

func (k ConstKind) String() string { return constNames[k] }

// IsConst reports whether e is a Constant of that kind.
func IsConst(e Expr, kind ConstKind) bool {
	c, ok := e.(*Constant)
	return ok && c.Kind == kind
}

// StringValue returns the value of a string constant.
func StringValue(e Expr) (string, bool) {
	if c, ok := e.(*Constant); ok && c.Kind == Str {
		return c.Value, true
	}
	return "", false
}

// BoolValue returns the value of True or False.
func BoolValue(e Expr) (value, ok bool) {
	if c, isConst := e.(*Constant); isConst && (c.Kind == True || c.Kind == False) {
		return c.Kind == True, true
	}
	return false, false
}

// IntValue returns the value of an integer constant, with its sign if it has
// one. It fails on numbers that do not fit.
func IntValue(e Expr) (int64, bool) {
	switch e := e.(type) {
	case *Constant:
		if e.Kind == Int {
			n, err := strconv.ParseInt(intText(e.Value), 0, 64)
			return n, err == nil
		}
	case *UnaryOp:
		if c, ok := e.Operand.(*Constant); ok && (e.Op == USub || e.Op == UAdd) {
			n, ok := IntValue(c)
			if e.Op == USub {
				n = -n
			}
			return n, ok
		}
	}
	return 0, false
}

// FloatValue returns the value of an integer or float constant, with its sign if it has one.
func FloatValue(e Expr) (float64, bool) {
	switch e := e.(type) {
	case *Constant:
		switch e.Kind {
		case Float:
			return parseFloat(e.Value), true
		case Int:
			f, _ := new(big.Float).SetInt(e.BigInt()).Float64()
			return f, true
		}
	case *UnaryOp:
		if c, ok := e.Operand.(*Constant); ok && (e.Op == USub || e.Op == UAdd) {
			f, ok := FloatValue(c)
			if e.Op == USub {
				f = -f
			}
			return f, ok
		}
	}
	return 0, false
}

// BigInt returns the value of an Int constant, of any size.
func (c *Constant) BigInt() *big.Int {
	n, ok := new(big.Int).SetString(intText(c.Value), 0)
	if !ok {
		return new(big.Int)
	}
	return n
}

// intText turns a Python integer literal into what base 0 of strconv reads.
// They differ in 00, which Python alone allows, and in leading zeros, which
// would be octal.
func intText(s string) string {
	if len(s) > 1 && s[0] == '0' && strings.Trim(s, "0_") == "" {
		return "0"
	}
	return s
}

// parseFloat reads a Python float literal; out of range is infinity, as in Python.
func parseFloat(s string) float64 {
	f, _ := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	return f
}
