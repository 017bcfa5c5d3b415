package project

import "saturate/internal/pysrc"

// comparison works out a comparison of two values, where it is known.
func (e *Eval) comparison(op pysrc.CmpOp, left, right Value) (is, known bool) {
	switch op {
	case pysrc.Eq, pysrc.Is:
		return sameValue(left, right)
	case pysrc.NotEq, pysrc.IsNot:
		is, known = sameValue(left, right)
		return !is, known
	case pysrc.In:
		return e.contains(right, left)
	case pysrc.NotIn:
		is, known = e.contains(right, left)
		return !is, known
	}
	a, isNumber := left.Float()
	b, areNumbers := right.Float()
	if !isNumber || !areNumbers {
		return false, false
	}
	switch op {
	case pysrc.Lt:
		return a < b, true
	case pysrc.LtE:
		return a <= b, true
	case pysrc.Gt:
		return a > b, true
	case pysrc.GtE:
		return a >= b, true
	}
	return false, false
}

// sameValue compares literals, and constants of libraries such as torch.float32: two names stand for two of them.
func sameValue(a, b Value) (is, known bool) {
	switch {
	case a.Kind == Literal && b.Kind == Literal:
		return a.Scalar == b.Scalar, true
	case a.isConstant() && b.isConstant():
		return a.Name == b.Name, true
	case a.isConstant() && b.IsNone() || a.IsNone() && b.isConstant():
		return false, true
	}
	return false, false
}

// isConstant reports a type of torch's or JAX's numbers, such as torch.float32.
func (v Value) isConstant() bool { return numberTypes[v.Name] && len(v.Either) == 0 }

var numberTypes = map[string]bool{
	"torch.float32": true, "torch.float16": true, "torch.bfloat16": true, "torch.float64": true,
	"jax.numpy.float32": true, "jax.numpy.float16": true, "jax.numpy.bfloat16": true, "jax.numpy.float64": true,
}

// contains tells whether a list, tuple, set or the keys of a dictionary that is written out hold a literal.
func (e *Eval) contains(in, what Value) (is, known bool) {
	if in.Kind != Display || what.Kind != Literal || in.scope == nil {
		return false, false
	}
	var parts []pysrc.Expr
	switch x := in.Expr.(type) {
	case *pysrc.Tuple:
		parts = x.Elts
	case *pysrc.List:
		parts = x.Elts
	case *pysrc.Set:
		parts = x.Elts
	case *pysrc.Dict:
		parts = x.Keys
	default:
		return false, false
	}
	for _, part := range parts {
		c, ok := part.(*pysrc.Constant)
		if !ok {
			return false, false
		}
		is = is || scalarOf(c) == what.Scalar
	}
	return is, true
}
