package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// mapNotBatched finds tokenisation that a map does row by row.
var mapNotBatched = Rule{
	Code: "SAT120", Name: "map-not-batched", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "the map tokenizes one row at a time in one process",
	What: "dataset.map(function) without batched=True and num_proc, where the function tokenizes a column or a text made of the " +
		"row. Also a function for batched=True that tokenizes the texts one by one.",
	Why: "Every row pays for Python, Arrow and a tokenizer call. In a batch the tokenizer processes a thousand " +
		"rows in parallel.",
	Fine: "Small datasets. Functions that do more than tokenize and are written for one row. Results that are " +
		"cached and never computed again.",
	Advice: "Write the function for lists of values and pass batched=True.",
	Gain:   Range{1, 1.1, "the map is 3 to 5 times faster (huggingface/trl#1624); training gains only if it waits for the map"},
	Bad:    `dataset.map(lambda row: tokenizer(row["text"], truncation=True))`,
	Good:   `dataset.map(lambda rows: tokenizer(rows["text"], truncation=True), batched=True)`,
	Safety: Safe, AtWorst: Unsafe,
	Source: func(p *SourcePass) {
		for _, m := range p.Maps() {
			batched, workers := m.Arg("batched"), m.Arg("num_proc")
			if batched.IsTrue() && m.function.Module == p.Module && !inProcesses(workers) && !p.EvaluationOnly(m) {
				p.loopsOverBatch(m)
			}
			there := p.In(m.function.Module)
			if !off(batched) || inProcesses(workers) || p.EvaluationOnly(m) || there.EvaluationOnly(m.function) || p.ofFewRows(m.Receiver(), 0) {
				continue
			}
			t := there.tokenisationIn(m.function)
			if t == nil || t.many() {
				continue
			}
			r := p.Report(m, m.sure*t.sure).Because(there.At(t.Node, "one text at a time"))
			if only, safe := there.onlyTokenises(m.function, *t); only {
				r.Fix(safe, "tokenize in batches", batched.SetTo("True"))
			}
		}
	},
}

// loopsOverBatch reports a batched map whose function takes the texts of the batch one after the other.
func (p *SourcePass) loopsOverBatch(m datasetMap) {
	for _, t := range p.Tokenisations() {
		if t.Func != m.function || t.many() || p.heavyIn(m.function) != nil || len(t.Node.Args) == 0 {
			continue
		}
		round, ok := p.turnAround(t.Site)
		text, named := t.Node.Args[0].(*pysrc.Name)
		column, sub := without(round.iter, "enumerate").(*pysrc.Subscript)
		if ok && named && sub && round.names[text.ID] && isParameter(m.function, column.Value) {
			p.Report(t, m.sure*t.sure).Because(p.At(m.Node, "a batch of rows")).
				Saying("the map tokenizes one text of a batch at a time").
				Advising("Pass the whole list to the tokenizer: tokenizer(rows[\"text\"]).")
			return
		}
	}
}

// tokenisationIn is the call that tokenises in a function that does nothing
// heavier: it decodes no audio and computes no features.
func (p *SourcePass) tokenisationIn(fn *project.Function) *tokenisation {
	if p.heavyIn(fn) != nil {
		return nil
	}
	for _, t := range p.Tokenisations() {
		if t.Func == fn && !p.InLoop(t) && len(t.Node.Args) > 0 {
			if _, column := t.Node.Args[0].(*pysrc.Subscript); column || p.textOfRow(t.Node.Args[0], fn, 0) {
				return &t
			}
		}
	}
	for _, s := range fn.Sites { // tokenize(prompt(row)), one row at a time just the same
		if called := s.Calls.Func; called != nil && called != fn && called.Module == p.Module && called.Def != nil {
			for _, t := range p.Tokenisations() {
				if t.Func == called && !p.InLoop(t) && len(t.Node.Args) > 0 && isParameter(called, t.Node.Args[0]) {
					return &t
				}
			}
		}
	}
	return nil
}

// rowOf is the parameter for the row that a function is mapped over; empty where it takes more.
func rowOf(fn *project.Function) string {
	params := fn.Params()
	if params == nil {
		return ""
	}
	all := params.All()
	if fn.Method() && len(all) > 0 {
		all = all[1:]
	}
	if len(all) != 1 {
		return ""
	}
	return all[0].Name
}

// textOfRow reports a text that a function joins of the columns of the row it is given: clean(row["title"]) + row["body"].
func (p *SourcePass) textOfRow(e pysrc.Expr, fn *project.Function, depth int) bool {
	row := rowOf(fn)
	if depth > 3 || row == "" {
		return false
	}
	switch x := e.(type) {
	case *pysrc.Name:
		said := p.Module.SaidOnce(x)
		return said != nil && p.textOfRow(said, fn, depth+1)
	case *pysrc.BinOp:
		return x.Op == pysrc.Add && (p.textOfRow(x.Left, fn, depth+1) || p.textOfRow(x.Right, fn, depth+1))
	case *pysrc.Subscript:
		_, column := pysrc.StringValue(x.Slice)
		return column && isNamed(x.Value, row)
	case *pysrc.JoinedStr:
		return mentionsName(x, row)
	case *pysrc.Call: // clean(row["title"]), render(row)
		if method, ok := x.Func.(*pysrc.Attribute); ok && p.formatsRow(x, method, fn, depth) {
			return true
		}
		return len(x.Args) > 0 && (isNamed(x.Args[0], row) || depth > 0 && p.textOfRow(x.Args[0], fn, depth+1))
	}
	return false
}

// formatsRow reports a method of a text that puts columns of the row into it, or changes one: TEMPLATE.format(q=row["question"]),
// " ".join([row["title"], row["body"]]), row["text"].strip().
func (p *SourcePass) formatsRow(x *pysrc.Call, method *pysrc.Attribute, fn *project.Function, depth int) bool {
	switch method.Attr {
	case "format", "format_map", "join":
		return slices.ContainsFunc(argumentsOf(x), func(given pysrc.Expr) bool {
			return isNamed(given, rowOf(fn)) || p.textOfRow(given, fn, depth+1) ||
				slices.ContainsFunc(elementsOf(given), func(part pysrc.Expr) bool { return part != given && p.textOfRow(part, fn, depth+1) })
		})
	case "strip", "lstrip", "rstrip", "lower", "upper", "replace", "removeprefix", "removesuffix":
		return p.textOfRow(method.Value, fn, depth+1)
	}
	return false
}

// onlyTokenises reports whether a function returns the tokens of a column and does
// nothing else, so that it works on a batch as it is, and how safe that is.
func (p *SourcePass) onlyTokenises(fn *project.Function, t tokenisation) (bool, Safety) {
	var result pysrc.Expr
	switch {
	case fn.Lambda != nil:
		result = fn.Lambda.Body
	case fn.Def != nil && len(fn.Def.Body) == 1:
		if r, ok := fn.Def.Body[0].(*pysrc.Return); ok {
			result = r.Value
		}
	}
	if result != pysrc.Expr(t.Node) || len(t.Node.Args) != 1 ||
		t.Method() != "" && t.tokenizer.Kind != project.Instance || encodesOne(t) {
		return false, NoFix
	}
	column, ok := t.Node.Args[0].(*pysrc.Subscript)
	if !ok {
		return false, NoFix
	}
	params := fn.Params().All()
	row, ok := column.Value.(*pysrc.Name)
	if _, literal := pysrc.StringValue(column.Slice); !ok || !literal || len(params) != 1 || row.ID != params[0].Name {
		return false, NoFix
	}
	if t.Arg("return_overflowing_tokens").Given() {
		return false, NoFix // a text that is cut gives several rows then
	}
	if t.Arg("return_tensors").Given() || t.Arg("padding").IsTrue() || t.Arg("padding").Equals("longest") ||
		t.Arg("padding").Unknown() {
		return true, Unsafe // the rows of a batch are then padded alike
	}
	return true, Safe
}

// encodesOne reports a method that takes one text alone.
func encodesOne(t tokenisation) bool {
	_, encodes := encoders[t.Method()]
	return encodes && !t.batch
}
