package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// textMethod tells what a method of a string that is known gives: the parts of "models.unet.UNet".split("."), and the
// like. Names of classes come in one string and are taken apart.
func (e *Eval) textMethod(of Value, method string, x *pysrc.Call, sc *Scope) Value {
	text, ok := of.Str()
	if !ok {
		return Value{}
	}
	argument, given := "", false
	if len(x.Args) > 0 && method != "join" {
		if argument, given = e.expr(x.Args[0], sc).Str(); !given {
			return Value{}
		}
	}
	switch method {
	case "split", "rsplit":
		most := -1
		if len(x.Args) > 1 {
			n, ok := pysrc.IntValue(x.Args[1])
			if !ok {
				return Value{}
			}
			most = int(n)
		}
		return textList(splitText(text, argument, most, method == "rsplit"), x, sc, of.Sure)
	case "rpartition", "partition":
		at, found := strings.Index(text, argument), strings.Contains(text, argument)
		if method == "rpartition" {
			at = strings.LastIndex(text, argument)
		}
		if !given || !found {
			return Value{}
		}
		return textList([]string{text[:at], argument, text[at+len(argument):]}, x, sc, of.Sure)
	case "join":
		return e.joined(text, x, sc).lessSure(of.Sure)
	case "lower":
		text = strings.ToLower(text)
	case "upper":
		text = strings.ToUpper(text)
	case "strip":
		text = strings.TrimSpace(text)
	default:
		return Value{}
	}
	return e.literal(Scalar{Type: String, Text: text}, x, sc).lessSure(of.Sure)
}

// splitText is what split and rsplit of Python give; most is -1 where nothing limits the parts.
func splitText(text, by string, most int, fromRight bool) []string {
	switch {
	case by == "":
		return strings.Fields(text)
	case most < 0:
		return strings.Split(text, by)
	case !fromRight:
		return strings.SplitN(text, by, most+1)
	}
	all := strings.Split(text, by)
	if len(all) <= most+1 {
		return all
	}
	cut := len(all) - most
	return append([]string{strings.Join(all[:cut], by)}, all[cut:]...)
}

// joined is what separator.join(list) gives for a list that is known.
func (e *Eval) joined(separator string, x *pysrc.Call, sc *Scope) Value {
	if len(x.Args) != 1 {
		return Value{}
	}
	list := e.expr(x.Args[0], sc)
	elts := elements(list.Expr)
	if list.Kind != Display || len(elts) == 0 {
		return Value{}
	}
	parts := make([]string, 0, len(elts))
	for _, elt := range elts {
		text, ok := e.expr(elt, list.scope).Str()
		if !ok {
			return Value{}
		}
		parts = append(parts, text)
	}
	return e.literal(Scalar{Type: String, Text: strings.Join(parts, separator)}, x, sc).lessSure(list.Sure)
}

// textList is a list of strings that a call gives.
func textList(parts []string, x *pysrc.Call, sc *Scope, sure float64) Value {
	list := &pysrc.List{Span: x.Span}
	for _, part := range parts {
		list.Elts = append(list.Elts, &pysrc.Constant{Span: x.Span, Kind: pysrc.Str, Value: part})
	}
	return Value{Kind: Display, Expr: list, scope: sc, Origin: origin(sc, x), Sure: sure}
}

// sliced is what value[low:high] gives of a list of constants; of anything else, the value.
func (e *Eval) sliced(v Value, by *pysrc.Slice, sc *Scope) Value {
	elts := elements(v.Expr)
	constant := func(x pysrc.Expr) bool { _, ok := x.(*pysrc.Constant); return ok }
	if v.Kind != Display || elts == nil || by.Step != nil || !allOf(elts, constant) {
		return v
	}
	low, high := 0, len(elts)
	for _, end := range [...]struct {
		x  pysrc.Expr
		to *int
	}{{by.Lower, &low}, {by.Upper, &high}} {
		if end.x == nil {
			continue
		}
		n, ok := e.expr(end.x, sc).Int()
		if !ok {
			return v
		}
		if n < 0 {
			n += int64(len(elts))
		}
		*end.to = int(min(max(n, 0), int64(len(elts))))
	}
	if low > high {
		return v
	}
	v.Expr = &pysrc.List{Span: v.Expr.Bounds(), Elts: elts[low:high]}
	return v
}

func allOf[T any](list []T, holds func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !holds(x) })
}
