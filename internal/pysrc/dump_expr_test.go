package pysrc

import "strconv"

func (d *dumper) expression(e Expr) {
	switch e := e.(type) {
	case *BoolOp:
		d.node("BoolOp", e.Span)
		d.raw(e.Op.String())
		exprs(d, e.Values)
	case *NamedExpr:
		d.node("NamedExpr", e.Span)
		d.expr(e.Target)
		d.expr(e.Value)
	case *BinOp:
		d.node("BinOp", e.Span)
		d.expr(e.Left)
		d.raw(e.Op.String())
		d.expr(e.Right)
	case *UnaryOp:
		d.node("UnaryOp", e.Span)
		d.raw(e.Op.String())
		d.expr(e.Operand)
	case *Lambda:
		d.node("Lambda", e.Span)
		d.arguments(e.Args)
		d.expr(e.Body)
	case *IfExp:
		d.node("IfExp", e.Span)
		d.expr(e.Test)
		d.expr(e.Body)
		d.expr(e.Orelse)
	case *Dict:
		d.node("Dict", e.Span)
		exprs(d, e.Keys)
		exprs(d, e.Values)
	case *Set:
		d.node("Set", e.Span)
		exprs(d, e.Elts)
	case *ListComp:
		d.node("ListComp", e.Span)
		d.expr(e.Elt)
		seq(d, e.Generators, d.comprehension)
	case *SetComp:
		d.node("SetComp", e.Span)
		d.expr(e.Elt)
		seq(d, e.Generators, d.comprehension)
	case *DictComp:
		d.node("DictComp", e.Span)
		d.expr(e.Key)
		d.expr(e.Value)
		seq(d, e.Generators, d.comprehension)
	case *GeneratorExp:
		d.node("GeneratorExp", e.Span)
		d.expr(e.Elt)
		seq(d, e.Generators, d.comprehension)
	case *Await:
		d.node("Await", e.Span)
		d.expr(e.Value)
	case *Yield:
		d.node("Yield", e.Span)
		d.expr(e.Value)
	case *YieldFrom:
		d.node("YieldFrom", e.Span)
		d.expr(e.Value)
	case *Compare:
		d.node("Compare", e.Span)
		d.expr(e.Left)
		seq(d, e.Ops, func(op CmpOp) { d.out = append(d.out, op.String()...) })
		exprs(d, e.Comparators)
	case *Call:
		d.node("Call", e.Span)
		d.expr(e.Func)
		seq(d, e.Args, d.argument)
		seq(d, e.Keywords, d.keyword)
	case *FormattedValue:
		d.node("FormattedValue", e.Span)
		d.expr(e.Value)
		d.conversion(e.Conversion)
		d.formatSpec(e.FormatSpec)
	case *Interpolation:
		d.node("Interpolation", e.Span)
		d.expr(e.Value)
		d.str(e.Str)
		d.conversion(e.Conversion)
		d.formatSpec(e.FormatSpec)
	case *JoinedStr:
		d.joined("JoinedStr", e.Span, e.Values)
	case *TemplateStr:
		d.joined("TemplateStr", e.Span, e.Values)
	case *Constant:
		d.node("Constant", e.Span)
		d.constant(e)
	case *Attribute:
		d.node("Attribute", e.Span)
		d.expr(e.Value)
		d.str(e.Attr)
		d.ctx(e.Ctx)
	case *Subscript:
		d.node("Subscript", e.Span)
		d.expr(e.Value)
		d.index(e.Slice)
		d.ctx(e.Ctx)
	case *Starred:
		d.node("Starred", e.Span)
		d.expr(e.Value)
		d.ctx(e.Ctx)
	case *Name:
		d.node("Name", e.Span)
		d.str(e.ID)
		d.ctx(e.Ctx)
	case *List:
		d.node("List", e.Span)
		exprs(d, e.Elts)
		d.ctx(e.Ctx)
	case *Tuple:
		d.node("Tuple", e.Span)
		exprs(d, e.Elts)
		d.ctx(e.Ctx)
	case *Slice:
		if d.minor >= 9 {
			d.node("Slice", e.Span)
		} else {
			d.bare("Slice")
		}
		d.expr(e.Lower)
		d.expr(e.Upper)
		d.expr(e.Step)
	}
	d.end()
}

// argument writes an argument of a call. Python 3.8 ends a star where its value
// ends, whatever parentheses are around that.
func (d *dumper) argument(e Expr) {
	if s, ok := e.(*Starred); ok && d.minor == 8 {
		short := *s
		short.End = s.Value.Bounds().End
		e = &short
	}
	d.expression(e)
}

// index writes what is between the brackets of a subscript. Python 3.8 tells
// slices from other indexes by wrapping both.
func (d *dumper) index(e Expr) {
	if d.minor >= 9 {
		d.expr(e)
		return
	}
	d.oldIndex(e)
	d.fieldEnd()
}

func (d *dumper) oldIndex(e Expr) {
	switch e := e.(type) {
	case *Slice:
		d.expression(e)
		return
	case *Tuple:
		slices := false
		for _, elt := range e.Elts {
			if _, ok := elt.(*Slice); ok {
				slices = true
			}
		}
		if slices && !e.Parens {
			d.bare("ExtSlice")
			seq(d, e.Elts, d.oldIndex)
			d.end()
			return
		}
	}
	d.bare("Index")
	d.expr(e)
	d.end()
}

func (d *dumper) conversion(c byte) {
	if c == 0 {
		d.raw("-1")
	} else {
		d.raw(strconv.Itoa(int(c)))
	}
}

func (d *dumper) formatSpec(spec *JoinedStr) {
	if spec == nil {
		d.none()
		return
	}
	d.expr(spec)
}

// joined writes an f-string or t-string.
func (d *dumper) joined(name string, span Span, values []Expr) {
	d.node(name, span)
	outside := d.plain
	d.plain = d.minor < 12
	exprs(d, values)
	d.plain = outside
}
