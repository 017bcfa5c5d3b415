package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// splitters are library functions that split a text in Python.
var splitters = []string{
	"nltk.word_tokenize", "nltk.tokenize.word_tokenize", "nltk.sent_tokenize", "nltk.tokenize.sent_tokenize", "nltk.pos_tag", "nltk.tokenize.wordpunct_tokenize",
	"jieba.cut", "jieba.lcut", "MeCab.Tagger.parse", "pypinyin.pinyin",
	"spacy.load()", "spacy.load().tokenizer",
}

// searchers are functions of re that give the pieces of a text which match.
var searchers = []string{"re.findall", "re.finditer", "re.compile().findall", "re.compile().finditer", "re.compile().split"}

// textWork returns the places of this module where Python splits a text and looks up its pieces one by one: a splitter
// of a library, [ids[word] for word in text.split()], a loop that does the same.
func (p *SourcePass) textWork() []Node {
	var list []Node
	for _, c := range append(p.CallsTo(splitters...), p.InstanceCalls("spacy.Language")...) {
		list = append(list, c.Node)
	}
	for _, fn := range p.Module.Functions {
		if fn.Def == nil || len(fn.Def.Body) == 0 {
			continue
		}
		_, sample := p.PerSample(fn.Def.Body[0])
		if !sample && !p.mayStep(fn.Def.Body[0]) {
			continue // as most functions, through whose loops nobody then looks
		}
		lookups := p.pieceLookups(fn)
		if len(lookups) == 0 {
			continue
		}
		if !sample {
			if _, ok := p.fetchedInStep(fn.Def.Body[0]); !ok {
				continue
			}
		}
		list = append(list, lookups...)
	}
	slices.SortFunc(list, func(a, b Node) int { return int(a.Bounds().Start - b.Bounds().Start) })
	return list
}

// pieceLookups are the loops of a function that look up the pieces of texts.
func (p *SourcePass) pieceLookups(fn *project.Function) (list []Node) {
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.ListComp:
			if p.looksUpPieces(x.Generators[0].Target, x.Generators[0].Iter, x.Elt) {
				list = append(list, x)
			}
		case *pysrc.For:
			if slices.ContainsFunc(x.Body, func(s pysrc.Stmt) bool { return p.looksUpPieces(x.Target, x.Iter, s) }) {
				list = append(list, header(x))
			}
		case *pysrc.FunctionDef:
			return x == fn.Def
		}
		return true
	})
	return list
}

// fetchedInStep is the way from a training step to what makes its batch in the trainer's own process, without a loader.
func (p *SourcePass) fetchedInStep(n Node) (project.Path, bool) {
	way, hot := p.Hot(n)
	if !hot || way.Kind != project.TrainingLoop || p.EvaluationOnly(n) || p.Rare(n) != nil || p.rareOnTheWay(way) || way.Root == nil || !p.optimizesOn(way) {
		return project.Path{}, false
	}
	return way, true
}

// looksUpPieces reports a loop over the pieces of a text that looks each one up: ids[word], ids.get(word), in a dict that
// numbers them or over what split gives.
func (p *SourcePass) looksUpPieces(target, iter pysrc.Expr, body pysrc.Node) bool {
	if c, ok := iter.(*pysrc.Call); ok && lastName(c.Func) == "enumerate" && len(c.Args) > 0 {
		if t, ok := target.(*pysrc.Tuple); ok && len(t.Elts) == 2 {
			target, iter = t.Elts[1], c.Args[0]
		}
	}
	piece, ok := target.(*pysrc.Name)
	if !ok {
		return false
	}
	split := p.splits(iter, 0)
	pieces := map[string]bool{piece.ID: true}
	found := false
	pysrc.Inspect(body, func(n pysrc.Node) bool {
		var table, key pysrc.Expr
		switch x := n.(type) {
		case *pysrc.For: // over parts of a piece
			if part, ok := x.Target.(*pysrc.Name); ok && mentionsAny(x.Iter, pieces) {
				pieces[part.ID] = true
			}
		case *pysrc.Subscript:
			if x.Ctx == pysrc.Load {
				table, key = x.Value, x.Slice
			}
		case *pysrc.Call:
			a, method := x.Func.(*pysrc.Attribute)
			switch {
			case len(x.Args) == 0:
			case method && a.Attr == "get":
				table, key = a.Value, x.Args[0]
			case len(x.Args) == 1 && p.Eval(x.Func).Kind == project.Instance: // vocab(word)
				table, key = x.Func, x.Args[0]
			}
		}
		name, ok := key.(*pysrc.Name)
		found = found || ok && pieces[name.ID] && (split || p.numbers(table))
		return !found
	})
	return found
}

// splits reports what a text is taken apart into: text.split(), list(text), a splitter's result.
func (p *SourcePass) splits(e pysrc.Expr, depth int) bool {
	switch x := e.(type) {
	case *pysrc.Name:
		if value := p.Module.SaidOnce(x); value != nil && depth < 3 {
			return p.splits(value, depth+1)
		}
	case *pysrc.Call:
		if a, ok := x.Func.(*pysrc.Attribute); ok && (a.Attr == "split" || a.Attr == "strip" || a.Attr == "lower") {
			return a.Attr == "split" && !isPath(x) || a.Attr != "split"
		}
		return slices.Contains(splitters, p.NameOf(x.Func)) || slices.Contains(searchers, p.NameOf(x.Func))
	}
	return false
}

// isPath reports a split at another separator than a blank: name.split("/"), line.split("|"), prompt.split(template.end).
func isPath(split *pysrc.Call) bool {
	separator, ok := pysrc.StringValue(firstArg(split))
	return len(split.Args) > 0 && (!ok || strings.TrimSpace(separator) != "")
}

// numbers reports a dict that gives each of many things its number: {word: i for i, word in enumerate(words)}.
func (p *SourcePass) numbers(table pysrc.Expr) bool {
	v := p.Eval(table)
	d, ok := v.Expr.(*pysrc.DictComp)
	if !ok || v.Kind != project.Display {
		return false
	}
	module, fn := v.WrittenIn()
	if fn != nil && fn == p.Function(table) {
		return false // it numbers what one sample has: the nodes of a part of a graph
	}
	c, ok := d.Generators[0].Iter.(*pysrc.Call)
	if !ok || lastName(c.Func) != "enumerate" || len(c.Args) == 0 {
		return false
	}
	return module == nil || !p.In(module).isArray(c.Args[0]) // numbers, not pieces of a text
}
