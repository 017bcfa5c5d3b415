package rule

import (
	"strings"

	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// tokeniseOnce repairs a dataset that keeps its texts and tokenises one of them
// in each __getitem__: all of them are tokenised in one call when it is made.
//
//	text = self.texts[i]
//	ids = self.tokenizer(text, return_tensors="pt").input_ids[0]
//
// Other forms, and arguments whose meaning for many texts is another one (padding), are left alone.
func (p *SourcePass) tokeniseOnce(r *Report, t tokenisation) {
	fn := p.Function(t)
	if fn.Class == nil || fn.Def == nil || fn.BaseName() != "__getitem__" || len(fn.Def.Args.All()) != 2 {
		return
	}
	self, index := fn.Def.Args.All()[0].Name, fn.Def.Args.All()[1].Name
	texts := p.elementOf(firstArg(t.Node), self, index)
	init := fn.Class.Methods["__init__"]
	if texts == "" || rootName(t.Node.Func) != self || init == nil || init.Def == nil || len(t.Node.Args) != 1 ||
		!setOnlyIn(fn.Class.Def, init.Def, texts) {
		return
	}
	options, tensors, ok := p.tokeniserOptions(t.Node)
	ids := idsOf(p.Module.StatementAt(t.Node.Start), t.Node, tensors)
	read := attributesOf([]pysrc.Expr{t.Node.Func}, self)
	read[strings.TrimPrefix(texts, self+".")] = true
	last := p.endOfInit(fn, read)
	if !ok || ids == nil || last == nil || hasAttribute(fn.Class, "token_ids") {
		return
	}
	all := p.Text(t.Node.Func) + "(list(" + texts + ")" + options + ").input_ids"
	var edits []patch.Edit
	if tensors {
		tensor, imports := p.Import("torch.tensor")
		all, edits = "["+tensor+"(ids) for ids in "+all+"]", imports
	}
	edits = append(edits, p.LineAfter(last, self+".token_ids = "+all), p.Replace(ids, self+".token_ids["+index+"]"))
	r.Fix(Unsafe, "tokenize all texts in one call when the dataset is built; the tokens stay in memory", edits...)
}

// elementOf returns the self.texts of self.texts[i], written in place or assigned to a variable once.
func (p *SourcePass) elementOf(e pysrc.Expr, self, index string) string {
	if name, ok := e.(*pysrc.Name); ok {
		values := p.assignments(name.ID, p.Function(name))
		if len(values) != 1 {
			return ""
		}
		e = values[0]
	}
	s, ok := e.(*pysrc.Subscript)
	if !ok {
		return ""
	}
	at, named := s.Slice.(*pysrc.Name)
	of := pysrc.DottedName(s.Value)
	if !named || at.ID != index || !strings.HasPrefix(of, self+".") || strings.Count(of, ".") != 1 {
		return ""
	}
	return of
}

// setOnlyIn reports an attribute that a class sets in one of its methods and nowhere else.
func setOnlyIn(class *pysrc.ClassDef, method *pysrc.FunctionDef, attribute string) bool {
	inside, outside := false, false
	pysrc.Inspect(class, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Attribute); ok && a.Ctx == pysrc.Store && pysrc.DottedName(a) == attribute {
			if method.Bounds().Contains(int(a.Start)) {
				inside = true
			} else {
				outside = true
			}
		}
		return true
	})
	return inside && !outside
}

// tokeniserOptions returns the further arguments of a tokenizer's call that mean the
// same for many texts, and whether it gives tensors of PyTorch.
func (p *SourcePass) tokeniserOptions(c *pysrc.Call) (options string, tensors, ok bool) {
	for _, k := range c.Keywords {
		kind, _ := pysrc.StringValue(k.Value)
		_, constant := k.Value.(*pysrc.Constant)
		switch {
		case k.Name == "return_tensors" && kind == "pt":
			tensors = true
		case constant && (k.Name == "truncation" || k.Name == "max_length" || k.Name == "add_special_tokens"):
			options += ", " + k.Name + "=" + p.Text(k.Value)
		default:
			return "", false, false
		}
	}
	return options, tensors, true
}

// idsOf returns the expression around a tokenizer's call that takes its ids out:
// call.input_ids or call["input_ids"], and [0] of tensors.
func idsOf(stmt pysrc.Stmt, call *pysrc.Call, tensors bool) pysrc.Expr {
	var ids, first pysrc.Expr
	pysrc.Inspect(stmt, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Attribute:
			if n.Value == pysrc.Expr(call) && n.Attr == "input_ids" {
				ids = n
			}
		case *pysrc.Subscript:
			if key, text := pysrc.StringValue(n.Slice); n.Value == pysrc.Expr(call) && text && key == "input_ids" {
				ids = n
			}
		}
		return true
	})
	if !tensors || ids == nil {
		return ids
	}
	pysrc.Inspect(stmt, func(n pysrc.Node) bool {
		if s, ok := n.(*pysrc.Subscript); ok && s.Value == ids {
			if zero, isInt := pysrc.IntValue(s.Slice); isInt && zero == 0 {
				first = s
			}
		}
		return true
	})
	return first
}
