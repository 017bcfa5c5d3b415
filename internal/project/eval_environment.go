package project

import (
	"strings"

	"saturate/internal/pysrc"
)

// Settings that come from environment variables have a default in the source, which holds unless somebody sets the
// variable. Programs read them through helpers of their own, env_int("WORKERS", 0), whose bodies are read again for each
// call, and through libraries.

// environmentResult is what reading a variable gives where nobody sets it.
func (e *Eval) environmentResult(name string, x *pysrc.Call, sc *Scope) (v Value, known bool) {
	switch {
	case name == "os.environ.get" || name == "os.getenv":
	case name == "decouple.config" || name == "decouple.AutoConfig()":
	case strings.HasPrefix(name, "environs.Env") || strings.HasPrefix(name, "environ.Env"):
		if len(x.Args) == 0 || len(x.Args)+len(x.Keywords) < 2 {
			return Value{}, false
		}
	default:
		return Value{}, false
	}
	given := x.KeywordValue("default")
	if len(x.Args) > 1 {
		given = x.Args[1]
	}
	if given != nil {
		v := e.expr(given, sc)
		if cast := x.Keyword("cast"); cast != nil && v.Kind == Literal {
			if s, ok := v.Scalar.convert(lastName(cast.Value)); ok {
				v.Scalar = s
			}
		}
		return v.via(ByEnvironment).lessSure(Perhaps), true
	}
	if _, reading := e.readThrough(functionOf(sc)); reading { // only there is it known what unset means
		return Value{Kind: Literal, Scalar: Scalar{Type: Null}, Expr: x, Origin: origin(sc, x), Sure: Perhaps}, true
	}
	return Value{}, true
}

// isEnvironmentRead reports an expression that gives the text of an environment variable, or nothing or an error where it
// is not set: os.environ[name], os.getenv(name).
func isEnvironmentRead(x pysrc.Node) bool {
	switch x := x.(type) {
	case *pysrc.Subscript:
		return lastName(x.Value) == "environ"
	case *pysrc.Call:
		return len(x.Args) == 1 && x.Keyword("default") == nil && readsVariable(x)
	}
	return false
}

// readsVariable reports os.environ.get(…) and os.getenv(…), by whatever name they were imported.
func readsVariable(x *pysrc.Call) bool {
	switch name := pysrc.DottedName(x.Func); name {
	case "os.environ.get", "environ.get", "os.getenv", "getenv":
		return true
	}
	return false
}

// findEnvironmentReaders marks the functions that read the environment variable whose name they are given.
func (p *Project) findEnvironmentReaders() {
	for _, m := range p.Modules {
		if !m.Says("environ") && !m.Says("getenv") {
			continue
		}
		read := func(name pysrc.Expr, f *Function) {
			given, ok := name.(*pysrc.Name)
			for ; ok && f != nil; f = f.Outer {
				f.readsVariable = f.readsVariable || f.Def != nil && len(f.returns) > 0 && f.HasParameter(given.ID)
			}
		}
		for _, x := range m.Subscripts {
			if isEnvironmentRead(x) {
				read(x.Slice, m.FunctionAt(x.Start))
			}
		}
		for _, s := range m.Sites {
			if readsVariable(s.Node) && len(s.Node.Args) > 0 {
				read(s.Node.Args[0], s.Func)
			}
		}
	}
}

// unlessSet is what a function that reads a variable returns where nobody sets it. What it makes of the text is left out.
func (e *Eval) unlessSet(f *Function) Value {
	var values []Value
	for _, r := range f.returns {
		v := e.expr(r, f.Module.blocks[f.Module.BlockAt(r.Bounds().Start)].Scope)
		if (v.Kind != Literal || v.IsNone()) && f.fromEnvironment(r) {
			continue
		}
		values = append(values, v.via(ByEnvironment))
	}
	v := merge(values)
	if v.Sure > Perhaps {
		v.Sure = Perhaps
	}
	return v
}

// fromEnvironment reports an expression with the text of a variable in it, or with a name that holds it.
func (f *Function) fromEnvironment(x pysrc.Expr) bool {
	found := false
	pysrc.Inspect(x, func(n pysrc.Node) bool {
		found = found || isEnvironmentRead(n)
		if name, ok := n.(*pysrc.Name); ok && !found {
			if b := f.Scope.last(name.ID); b != nil && b.Kind == Assigned && b.Value != nil {
				pysrc.Inspect(b.Value, func(n pysrc.Node) bool {
					found = found || isEnvironmentRead(n)
					return !found
				})
			}
		}
		return !found
	})
	return found
}
