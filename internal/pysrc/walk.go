package pysrc

// Inspect visits root and everything below it, a node before its children and
// the children in source order. Where visit returns false it does not go deeper.
func Inspect(root Node, visit func(Node) bool) {
	var enter func(Node)
	enter = func(n Node) {
		if visit(n) {
			Children(n, enter)
		}
	}
	enter(root)
}

// InspectPath is Inspect that also tells the way down: path holds the
// ancestors of n, root first. The slice is only valid during the call.
func InspectPath(root Node, visit func(n Node, path []Node) bool) {
	var path []Node
	var enter func(Node)
	enter = func(n Node) {
		if visit(n, path) {
			path = append(path, n)
			Children(n, enter)
			path = path[:len(path)-1]
		}
	}
	enter(root)
}

// Children calls visit for each direct child of n that is present, in source
// order. The parameters of a function come as one Arguments node.
func Children(n Node, visit func(Node)) {
	// Most nodes are expressions. Each of these reports whether it knows the node.
	if !exprChildren(n, visit) && !stmtChildren(n, visit) && !partChildren(n, visit) {
		patternChildren(n, visit)
	}
}

func each[T Node](list []T, visit func(Node)) {
	for _, n := range list {
		visit(n)
	}
}

// one visits an expression that may be absent.
func one(e Expr, visit func(Node)) {
	if e != nil {
		visit(e)
	}
}

func stmtChildren(n Node, visit func(Node)) bool {
	switch n := n.(type) {
	case *ExprStmt:
		visit(n.Value)
	case *Assign:
		each(n.Targets, visit)
		visit(n.Value)
	case *Return:
		one(n.Value, visit)
	case *If:
		visit(n.Test)
		each(n.Body, visit)
		each(n.Orelse, visit)
	case *FunctionDef:
		each(n.Decorators, visit)
		each(n.TypeParams, visit)
		visit(n.Args)
		one(n.Returns, visit)
		each(n.Body, visit)
	case *ClassDef:
		each(n.Decorators, visit)
		each(n.TypeParams, visit)
		each(n.Bases, visit)
		each(n.Keywords, visit)
		each(n.Body, visit)
	case *For:
		visit(n.Target)
		visit(n.Iter)
		each(n.Body, visit)
		each(n.Orelse, visit)
	case *While:
		visit(n.Test)
		each(n.Body, visit)
		each(n.Orelse, visit)
	case *With:
		each(n.Items, visit)
		each(n.Body, visit)
	case *Try:
		each(n.Body, visit)
		each(n.Handlers, visit)
		each(n.Orelse, visit)
		each(n.Finalbody, visit)
	case *Match:
		visit(n.Subject)
		each(n.Cases, visit)
	case *AugAssign:
		visit(n.Target)
		visit(n.Value)
	case *AnnAssign:
		visit(n.Target)
		visit(n.Annotation)
		one(n.Value, visit)
	case *TypeAlias:
		visit(n.Name)
		each(n.TypeParams, visit)
		visit(n.Value)
	case *Raise:
		one(n.Exc, visit)
		one(n.Cause, visit)
	case *Assert:
		visit(n.Test)
		one(n.Msg, visit)
	case *Delete:
		each(n.Targets, visit)
	case *Import:
		each(n.Names, visit)
	case *ImportFrom:
		each(n.Names, visit)
	case *BadStmt:
		each(n.Body, visit)
	case *Module:
		each(n.Body, visit)
	case *Pass, *Break, *Continue, *Global, *Nonlocal:
	default:
		return false
	}
	return true
}

func exprChildren(n Node, visit func(Node)) bool {
	switch n := n.(type) {
	case *Name, *Constant:
	case *Attribute:
		visit(n.Value)
	case *Call:
		visit(n.Func)
		each(n.Args, visit)
		each(n.Keywords, visit)
	case *Subscript:
		visit(n.Value)
		visit(n.Slice)
	case *BinOp:
		visit(n.Left)
		visit(n.Right)
	case *Compare:
		visit(n.Left)
		each(n.Comparators, visit)
	case *BoolOp:
		each(n.Values, visit)
	case *UnaryOp:
		visit(n.Operand)
	case *Tuple:
		each(n.Elts, visit)
	case *List:
		each(n.Elts, visit)
	case *Set:
		each(n.Elts, visit)
	case *Dict:
		for i, key := range n.Keys {
			one(key, visit)
			visit(n.Values[i])
		}
	case *JoinedStr:
		each(n.Values, visit)
	case *TemplateStr:
		each(n.Values, visit)
	case *FormattedValue:
		visit(n.Value)
		if n.FormatSpec != nil {
			visit(n.FormatSpec)
		}
	case *Interpolation:
		visit(n.Value)
		if n.FormatSpec != nil {
			visit(n.FormatSpec)
		}
	case *IfExp:
		visit(n.Body)
		visit(n.Test)
		visit(n.Orelse)
	case *Lambda:
		visit(n.Args)
		visit(n.Body)
	case *Slice:
		one(n.Lower, visit)
		one(n.Upper, visit)
		one(n.Step, visit)
	case *Starred:
		visit(n.Value)
	case *NamedExpr:
		visit(n.Target)
		visit(n.Value)
	case *ListComp:
		visit(n.Elt)
		each(n.Generators, visit)
	case *SetComp:
		visit(n.Elt)
		each(n.Generators, visit)
	case *GeneratorExp:
		visit(n.Elt)
		each(n.Generators, visit)
	case *DictComp:
		visit(n.Key)
		visit(n.Value)
		each(n.Generators, visit)
	case *Await:
		visit(n.Value)
	case *Yield:
		one(n.Value, visit)
	case *YieldFrom:
		visit(n.Value)
	default:
		return false
	}
	return true
}

func patternChildren(n Node, visit func(Node)) {
	switch n := n.(type) {
	case *MatchValue:
		visit(n.Value)
	case *MatchSequence:
		each(n.Patterns, visit)
	case *MatchMapping:
		for i, key := range n.Keys {
			visit(key)
			visit(n.Patterns[i])
		}
	case *MatchClass:
		visit(n.Class)
		each(n.Patterns, visit)
		each(n.KwdPatterns, visit)
	case *MatchAs:
		if n.Pattern != nil {
			visit(n.Pattern)
		}
	case *MatchOr:
		each(n.Patterns, visit)
	}
}

func partChildren(n Node, visit func(Node)) bool {
	switch n := n.(type) {
	case *Keyword:
		visit(n.Value)
	case *Arguments:
		argumentsChildren(n, visit)
	case *Arg:
		one(n.Annotation, visit)
	case *Comprehension:
		visit(n.Target)
		visit(n.Iter)
		each(n.Ifs, visit)
	case *ExceptHandler:
		one(n.Type, visit)
		each(n.Body, visit)
	case *WithItem:
		visit(n.Context)
		one(n.Vars, visit)
	case *MatchCase:
		visit(n.Pattern)
		one(n.Guard, visit)
		each(n.Body, visit)
	case *TypeVar:
		one(n.Bound, visit)
		one(n.Default, visit)
	case *ParamSpec:
		one(n.Default, visit)
	case *TypeVarTuple:
		one(n.Default, visit)
	case *Alias:
	default:
		return false
	}
	return true
}

// argumentsChildren visits each parameter and then its default.
func argumentsChildren(n *Arguments, visit func(Node)) {
	without := len(n.PosOnly) + len(n.Args) - len(n.Defaults)
	positional := func(i int, arg *Arg) {
		visit(arg)
		if i >= without {
			visit(n.Defaults[i-without])
		}
	}
	for i, arg := range n.PosOnly {
		positional(i, arg)
	}
	for i, arg := range n.Args {
		positional(len(n.PosOnly)+i, arg)
	}
	if n.Vararg != nil {
		visit(n.Vararg)
	}
	for i, arg := range n.KwOnly {
		visit(arg)
		one(n.KwDefaults[i], visit)
	}
	if n.Kwarg != nil {
		visit(n.Kwarg)
	}
}
