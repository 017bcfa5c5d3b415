package rule

import (
	"math"
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// activations are the functions of torch that a formula may write out, with the version that has them.
var activations = []struct {
	name, since, arguments string
	at                     func(x float64) float64
}{
	{"silu", "1.7", "", func(x float64) float64 { return x / (1 + math.Exp(-x)) }},
	{"mish", "1.9", "", func(x float64) float64 { return x * math.Tanh(math.Log1p(math.Exp(x))) }},
	{"gelu", "1.0", "", func(x float64) float64 { return 0.5 * x * (1 + math.Erf(x/math.Sqrt2)) }},
	{"gelu", "1.12", `, approximate="tanh"`, func(x float64) float64 {
		return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	}},
}

// callActivation repairs an activation that is written as a formula of one variable. Which function of torch it is, is
// found by computing both at a few points: people write the same formula in many ways, and one wrong constant makes it
// another function.
func (p *SourcePass) callActivation(r *Report, formula pysrc.Expr) {
	f := formulaOf{p: p}
	if _, ok := f.at(formula, 1); !ok || f.variable == "" {
		return
	}
	for _, a := range activations {
		if p.AtLeast("torch", a.since) == project.No || !f.equals(formula, a.at) {
			continue
		}
		call, edits := p.Import("torch.nn.functional." + a.name)
		edits = append(edits, p.Replace(formula, call+"("+f.variable+a.arguments+")"))
		r.Fix(Unsafe, "compute "+a.name+" in one kernel; rounding differs", edits...)
		return
	}
}

// formulaOf computes a formula of one variable for a number.
type formulaOf struct {
	p        *SourcePass
	variable string // the only tensor in it, once it was met
}

// equals reports that a formula gives what a function gives, to the precision of constants that are written out.
func (f *formulaOf) equals(formula pysrc.Expr, function func(float64) float64) bool {
	for _, x := range []float64{-6, -2.5, -1, -0.3, 0.1, 0.7, 1.5, 3, 5} {
		y, ok := f.at(formula, x)
		if !ok || !(math.Abs(y-function(x)) < 1e-6) {
			return false
		}
	}
	return true
}

// at is the value of an expression where the variable is x.
func (f *formulaOf) at(e pysrc.Expr, x float64) (float64, bool) {
	if number, ok := pysrc.FloatValue(e); ok {
		return number, true
	}
	switch e := e.(type) {
	case *pysrc.Name:
		if v := f.p.Eval(e); v.Kind == project.Literal {
			return f.at(v.Expr, x)
		}
		if f.variable == "" {
			f.variable = e.ID
		}
		return x, e.ID == f.variable
	case *pysrc.Attribute:
		name := f.p.NameOf(e)
		return math.Pi, name == "math.pi" || name == "numpy.pi" || name == "torch.pi"
	case *pysrc.UnaryOp:
		y, ok := f.at(e.Operand, x)
		return -y, ok && e.Op == pysrc.USub
	case *pysrc.BinOp:
		left, one := f.at(e.Left, x)
		right, other := f.at(e.Right, x)
		y, known := operate(e.Op, left, right)
		return y, one && other && known
	case *pysrc.Call:
		return f.call(e, x)
	}
	return 0, false
}

func operate(op pysrc.Operator, a, b float64) (float64, bool) {
	switch op {
	case pysrc.Add:
		return a + b, true
	case pysrc.Sub:
		return a - b, true
	case pysrc.Mult:
		return a * b, true
	case pysrc.Div:
		return a / b, true
	case pysrc.Pow:
		return math.Pow(a, b), true
	}
	return 0, false
}

// call is the value of torch.tanh(x), math.sqrt(2), x.pow(3), or of a layer of an activation.
func (f *formulaOf) call(c *pysrc.Call, x float64) (float64, bool) {
	called := f.p.Eval(c.Func)
	if len(c.Keywords) > 0 || called.Func != nil || called.Kind == project.Type {
		return 0, false
	}
	name, of := lastPart(called.Name), c.Args
	attribute, dotted := c.Func.(*pysrc.Attribute)
	switch {
	case called.IsInstance("torch.nn.Sigmoid", "torch.nn.Tanh"): // a layer without settings
	case called.Kind == project.Instance:
		return 0, false
	case dotted && f.p.NameOf(attribute.Value) == "" || dotted && f.p.Eval(attribute.Value).IsInstance("torch.Tensor"): // x.pow(3)
		name, of = attribute.Attr, append([]pysrc.Expr{attribute.Value}, c.Args...)
	case !startsWithAny(called.Name, "torch.", "math.", "numpy."):
		return 0, false
	}
	var values []float64
	for _, e := range of {
		y, ok := f.at(e, x)
		if !ok {
			return 0, false
		}
		values = append(values, y)
	}
	if name == "pow" && len(values) == 2 {
		return math.Pow(values[0], values[1]), true
	}
	if function := scalars[strings.ToLower(name)]; function != nil && len(values) == 1 {
		return function(values[0]), true
	}
	return 0, false
}

// scalars are the functions that such formulas call, as torch, math and numpy name them.
var scalars = map[string]func(float64) float64{
	"tanh": math.Tanh, "erf": math.Erf, "exp": math.Exp, "sqrt": math.Sqrt,
	"sigmoid":  func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"expit":    func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"softplus": func(x float64) float64 { return math.Log1p(math.Exp(x)) },
}

func startsWithAny(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(s, prefix) })
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
