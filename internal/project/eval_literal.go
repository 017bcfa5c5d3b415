package project

import (
	"strings"

	"saturate/internal/pysrc"
)

func scalarOf(c *pysrc.Constant) Scalar {
	switch c.Kind {
	case pysrc.True, pysrc.False:
		return Scalar{Type: Bool, Bool: c.Kind == pysrc.True}
	case pysrc.Int:
		if n, ok := pysrc.IntValue(c); ok {
			return Scalar{Type: Int, Int: n}
		}
		f, _ := pysrc.FloatValue(c)
		return Scalar{Type: Float, Float: f}
	case pysrc.Float:
		f, _ := pysrc.FloatValue(c)
		return Scalar{Type: Float, Float: f}
	case pysrc.Str, pysrc.Bytes:
		return Scalar{Type: String, Text: c.Value}
	}
	return Scalar{}
}

func (e *Eval) unary(x *pysrc.UnaryOp, sc *Scope) Value {
	v := e.expr(x.Operand, sc)
	if v.Kind != Literal {
		if x.Op == pysrc.Not {
			return e.notEither(v, x, sc)
		}
		return Value{}
	}
	s := v.Scalar
	switch {
	case x.Op == pysrc.Not: // also of a number, a string and None
		is, _ := v.Truth()
		s = Scalar{Type: Bool, Bool: !is}
	case x.Op == pysrc.USub && s.Type == Int:
		s.Int = -s.Int
	case x.Op == pysrc.USub && s.Type == Float:
		s.Float = -s.Float
	default:
		return Value{}
	}
	return e.literal(s, x, sc).lessSure(v.Sure)
}

// notEither is not of a value that callers decide: shuffle=not validation. Nothing is known where one of them is not.
func (e *Eval) notEither(v Value, x *pysrc.UnaryOp, sc *Scope) Value {
	var either []Value
	for i := range v.Either {
		is, known := v.Either[i].Truth()
		if !known {
			return Value{}
		}
		either = append(either, e.literal(Scalar{Type: Bool, Bool: !is}, x, sc).lessSure(v.Either[i].Sure))
	}
	return merge(either)
}

// arithmetic works out sums of numbers, and paths: here / "config.yaml".
func (e *Eval) arithmetic(x *pysrc.BinOp, sc *Scope) Value {
	right := e.expr(x.Right, sc)
	if x.Op == pysrc.Div && right.Kind == Literal && right.Scalar.Type == String {
		return right // the end of a path is what tells it
	}
	left := e.expr(x.Left, sc)
	if left.Kind != Literal || right.Kind != Literal {
		return Value{}
	}
	sure := left.Sure * right.Sure
	if a, b := left.Scalar, right.Scalar; a.Type == Int && b.Type == Int {
		switch x.Op {
		case pysrc.Add:
			return e.literal(Scalar{Type: Int, Int: a.Int + b.Int}, x, sc).lessSure(sure)
		case pysrc.Sub:
			return e.literal(Scalar{Type: Int, Int: a.Int - b.Int}, x, sc).lessSure(sure)
		case pysrc.Mult:
			return e.literal(Scalar{Type: Int, Int: a.Int * b.Int}, x, sc).lessSure(sure)
		case pysrc.FloorDiv:
			if b.Int > 0 && a.Int >= 0 {
				return e.literal(Scalar{Type: Int, Int: a.Int / b.Int}, x, sc).lessSure(sure)
			}
		}
	} else if x.Op == pysrc.Add && a.Type == String && b.Type == String && len(a.Text)+len(b.Text) < 4096 {
		return e.literal(Scalar{Type: String, Text: a.Text + b.Text}, x, sc).lessSure(sure)
	}
	return Value{}
}

// isNamespace reports what parse_args returns, and its like.
func isNamespace(name string) bool {
	return strings.HasSuffix(name, ".parse_args()") || strings.HasSuffix(name, ".parse_known_args()") ||
		name == "absl.flags.FLAGS" ||
		name == "argparse.ArgumentParser.parse_args"
}

// isLoaded reports what reading a settings file returns.
func isLoaded(name string) bool {
	switch name {
	case "yaml.load()", "json.load()", "json.loads()", "tomllib.load()", "tomllib.loads()", "omegaconf.OmegaConf.load()":
		return true
	}
	return false
}

// loaded is the settings file that a call such as yaml.safe_load reads: the one
// it names, or any of that language.
func (e *Eval) loaded(v Value) Value {
	if v.Made == nil {
		return Value{}
	}
	m := v.Made.Module()
	var nodes []*Setting
	for _, path := range e.pathsIn(v.Made) {
		if s := e.p.settingsAt(m, path); s != nil && !(s.isBase && v.Made.Func.callsItself()) { // for what it changes
			nodes = append(nodes, s.Top)
		}
	}
	sure := Certain
	if len(nodes) == 0 {
		language, _, _ := strings.Cut(v.Name, ".")
		for _, s := range e.p.Settings {
			if !s.isBase && (s.Language == language || language == "omegaconf" && s.Language == "yaml" ||
				language == "tomllib" && s.Language == "toml") {
				nodes = append(nodes, s.Top)
			}
		}
		sure = Perhaps
		if len(nodes) == 1 && nodes[0].base != nil {
			sure = Likely
		}
	}
	return keyValue(nodes, sure)
}

// pathsIn collects the strings that name a settings file in the arguments of a
// call, and in what they are made of: a variable, open(), a default of an option.
func (e *Eval) pathsIn(s *Site) []string {
	var paths []string
	add := func(v *Value) {
		if text, ok := v.Str(); ok && settingsLanguage(text) != "" && !contains(paths, text) {
			paths = append(paths, text)
		}
	}
	sc := s.scope()
	within := func(a pysrc.Expr) {
		pysrc.Inspect(a, func(n pysrc.Node) bool {
			if x, ok := n.(pysrc.Expr); ok {
				v := e.expr(x, sc)
				for i := range v.Either {
					add(&v.Either[i])
				}
				add(&v)
			}
			return true
		})
	}
	for _, a := range s.Node.Args {
		within(a)
	}
	if len(paths) == 0 && len(s.Node.Args) > 0 {
		for _, path := range openedFor(s.Node.Args[0], sc) {
			within(path)
		}
	}
	return paths
}

// guess is a last resort: args.num_workers or cfg.data.num_workers, where the origin of args is unknown but only one
// option or key of the project has that name.
func (e *Eval) guess(x *pysrc.Attribute, v Value) Value {
	if len(v.Either) > 0 {
		return v
	}
	if root := settingsRoot(x); !settingsNames[strings.ToLower(strings.TrimLeft(root, "_"))] {
		return v
	}
	_, rest, ok := strings.Cut(strings.TrimPrefix(pysrc.DottedName(x), "self."), ".")
	if !ok {
		return v
	}
	if !strings.Contains(rest, ".") {
		if o := e.optionNamed(nil, rest); o.Kind != Unknown || len(o.Either) > 0 {
			return o.lessSure(Perhaps)
		}
	}
	var found []Value
	for _, s := range e.p.Settings {
		if s.isBase {
			continue
		}
		if node := s.Top.at(strings.Split(rest, ".")); node != nil {
			found = append(found, node.Value().lessSure(Perhaps))
		}
	}
	return merge(found)
}

// settingsRoot is the first name of a dotted one behind self: args of self.args.lr and of args.lr.
func settingsRoot(x *pysrc.Attribute) string {
	switch of := x.Value.(type) {
	case *pysrc.Name:
		if of.ID == "self" {
			return x.Attr
		}
		return of.ID
	case *pysrc.Attribute:
		return settingsRoot(of)
	}
	return ""
}

var settingsNames = setOf("args", "arg", "opt", "opts", "options", "cfg", "conf", "config", "hparams", "hps", "hp",
	"params", "flags", "settings", "training_args", "script_args", "data_args", "model_args")
