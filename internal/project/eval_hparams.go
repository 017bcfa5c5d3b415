package project

import "saturate/internal/pysrc"

// hyperparameter is self.hparams.num_workers of Lightning, also as a key: the argument of the constructor that
// save_hyperparameters() kept.
func (e *Eval) hyperparameter(hparams pysrc.Expr, name string, sc *Scope) Value {
	if alias, ok := hparams.(*pysrc.Name); ok { // hp = self.hparams
		if _, b := sc.find(alias.ID); b != nil && b.Kind == Assigned && b.prior == nil && b.path == 0 {
			hparams = b.Value
		}
	}
	of, ok := hparams.(*pysrc.Attribute)
	if !ok || of.Attr != "hparams" || !IsSelf(of.Value) {
		return Value{}
	}
	f := functionOf(sc)
	for f != nil && f.Class == nil {
		f = f.Outer
	}
	if f == nil || len(f.Class.attrs["hparams"]) > 0 { // which the class sets itself
		return Value{}
	}
	init := f.Class.Method("__init__")
	if init == nil || init.Params() == nil {
		return Value{}
	}
	if init.HasParameter(name) {
		return e.passed(init, name)
	}
	for _, s := range init.Sites { // save_hyperparameters(args): an object that holds them all
		if s.Method() == "save_hyperparameters" && len(s.Node.Args) == 1 {
			if held := e.expr(s.Node.Args[0], s.scope()); held.Kind != Literal {
				return e.kept(held, name)
			}
		}
	}
	if all := init.Params().Kwarg; all != nil {
		v, _ := e.handedKeyword(&pysrc.Name{ID: all.Name}, name, Value{Kind: Missing}, init.Scope)
		return v
	}
	return Value{}
}

// firstString is the text that a call is given first.
func firstString(x *pysrc.Call) (string, bool) {
	if len(x.Args) == 0 {
		return "", false
	}
	return pysrc.StringValue(x.Args[0])
}

// kept is a hyperparameter of the object that was saved: an attribute of it, or a key.
func (e *Eval) kept(of Value, name string) Value {
	if v := e.unpackedKey(of, name); v.Kind != Unknown && v.Kind != Missing || len(v.Either) > 0 {
		return v
	}
	return e.attribute(of, name)
}
