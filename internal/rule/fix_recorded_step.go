package rule

import (
	"bytes"
	"slices"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// recordStep gives the edits that move the step of the module's training loop, from its forward pass to the optimizer's step, into
// a function that is recorded as one CUDA graph:
//
//	@saturate_gpu.replay.replayed(optimizer)
//	def train_step(x, y):
//	    …
//	    return loss
//
// There are none where a statement of the step does what a recording cannot hold or would hold on to. A step that is a function
// of its own is recorded within it.
func (p *SourcePass) recordStep() ([]patch.Edit, *patch.Part) {
	passes := p.ForwardPasses()
	if len(passes) != 1 || len(passes[0].stmts) == 0 || p.Module.Notebook || p.Module.Encoded ||
		p.Uses("torch.nn.parallel.DistributedDataParallel", "accelerate.Accelerator", "torch.cuda.CUDAGraph") {
		return nil, nil
	}
	r := &recorded{p: p, reads: p.readsBack()}
	if !r.find(passes[0]) || !r.holds(r.stmts) || !r.names() || !r.steady() || r.counts() {
		return nil, nil
	}
	place := location(p.Module.Source, r.bounds())
	return r.edits(), &patch.Part{Path: place.Path, Start: place.Start, End: place.End}
}

// recorded is a step that one graph could hold.
type recorded struct {
	p         *SourcePass
	loop      pysrc.Stmt         // around all steps, of all epochs if there is one
	fn        *pysrc.FunctionDef // which each step calls, where no loop is around its statements
	reads     []readBack
	stmts     []pysrc.Stmt
	sets      map[string]bool // names that the loop sets, or that each call of the function does
	optimizer string
	given     []string // what each step brings
	gives     []string // what is read after it
}

func (r *recorded) bounds() pysrc.Span {
	return pysrc.Span{Start: r.stmts[0].Bounds().Start, End: r.stmts[len(r.stmts)-1].Bounds().End}
}

// find takes the statements of a loop's or a function's body from the forward pass to the optimizer's step, with the zero_grad beside them.
func (r *recorded) find(pass forwardPass) bool {
	p := r.p
	body := p.siblingsOf(pass.stmts[0])
	backward := slices.Index(body, p.Module.StatementAt(pass.backward.Node.Start))
	first := slices.Index(body, pass.stmts[0])
	if backward < 0 || first < 0 || len(pass.backward.Node.Args) > 0 {
		return false
	}
	for last := backward + 1; last < len(body); last++ {
		of, ok := methodOf(body[last], "step")
		if !ok || !p.Eval(of).IsInstance("torch.optim.Optimizer") {
			continue
		}
		r.optimizer = pysrc.DottedName(of)
		for first > 0 && r.zeroes(body[first-1]) {
			first--
		}
		for last+1 < len(body) && r.zeroes(body[last+1]) {
			last++
		}
		r.stmts = body[first : last+1]
		return r.optimizer != "" && (r.inLoop(rootName(of)) || r.inFunction())
	}
	return false
}

// inLoop takes the loop that makes the steps.
func (r *recorded) inLoop(optimizer string) bool {
	loop := r.p.LoopAround(r.stmts[0])
	if loop == nil || !slices.Contains(pysrc.LoopBody(loop), r.stmts[0]) {
		return false
	}
	r.loop = r.outermost(loop, optimizer)
	r.sets = r.setBy([]pysrc.Stmt{r.loop})
	return true
}

// outermost is the loop of the epochs, if the optimizer is the same in all of them: otherwise each has recordings of its own.
func (r *recorded) outermost(loop pysrc.Stmt, optimizer string) pysrc.Stmt {
	epochs := r.p.EpochLoop(loop)
	if epochs == nil || r.p.bodyOf(epochs) != r.p.bodyOf(loop) || r.setBy([]pysrc.Stmt{epochs})[optimizer] {
		return loop
	}
	return epochs
}

func (r *recorded) zeroes(s pysrc.Stmt) bool {
	of, ok := methodOf(s, "zero_grad")
	return ok && pysrc.DottedName(of) == r.optimizer
}

// methodOf is the object of which a statement calls a method, without anything else.
func methodOf(s pysrc.Stmt, method string) (pysrc.Expr, bool) {
	e, ok := s.(*pysrc.ExprStmt)
	if !ok {
		return nil, false
	}
	call, ok := e.Value.(*pysrc.Call)
	if !ok || len(call.Args) > 0 {
		return nil, false
	}
	a, ok := call.Func.(*pysrc.Attribute)
	if !ok || a.Attr != method {
		return nil, false
	}
	return a.Value, true
}

// holds reports statements that do the same in every step, on the device alone.
func (r *recorded) holds(stmts []pysrc.Stmt) bool {
	for _, s := range stmts {
		switch s := s.(type) {
		case *pysrc.ExprStmt, *pysrc.AugAssign, *pysrc.AnnAssign, *pysrc.Assign:
		case *pysrc.With:
			if s.Async || !r.holds(s.Body) {
				return false
			}
		default:
			return false
		}
	}
	fine := true
	for _, s := range stmts {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch n := n.(type) {
			case *pysrc.Call:
				fine = fine && !r.onHost(n)
			case *pysrc.Attribute, *pysrc.Subscript:
				fine = fine && !stored(n)
			case *pysrc.Yield, *pysrc.YieldFrom, *pysrc.Await, *pysrc.NamedExpr:
				fine = false
			case *pysrc.JoinedStr, *pysrc.Constant:
				fine = fine && r.p.Module.LineAt(n.Bounds().Start) == r.p.Module.LineAt(n.Bounds().End) // its lines may be indented anew
			}
			return fine
		})
	}
	return fine
}

func stored(n pysrc.Node) bool {
	switch n := n.(type) {
	case *pysrc.Attribute:
		return n.Ctx != pysrc.Load
	case *pysrc.Subscript:
		return n.Ctx != pysrc.Load
	}
	return false
}

// onHost reports a call that reads from the device, copies to it, or writes something.
func (r *recorded) onHost(call *pysrc.Call) bool {
	if slices.ContainsFunc(r.reads, func(c readBack) bool { return c.Node == call }) {
		return true
	}
	switch f := call.Func.(type) {
	case *pysrc.Name:
		return f.ID == "print" || f.ID == "next"
	case *pysrc.Attribute:
		return f.Attr == "to" && !r.p.Eval(f.Value).IsInstance("torch.nn.Module") || f.Attr == "cuda" || f.Attr == "cpu" || f.Attr == "numpy"
	}
	return false
}

// names finds what the step needs and what it leaves. It reports false if something is carried from step to step, which a
// recording would not see change.
func (r *recorded) names() bool {
	set := r.setBy(r.stmts)
	assigned := map[string]bool{}
	fine := true
	for _, s := range r.stmts {
		r.eachName(s, func(n *pysrc.Name) {
			switch {
			case n.Ctx == pysrc.Store && !augments(s, n):
				assigned[n.ID] = true
			case assigned[n.ID]:
			case set[n.ID]:
				fine = false // from the step before
			case r.sets[n.ID] && !slices.Contains(r.given, n.ID):
				r.given = append(r.given, n.ID)
			}
		})
	}
	span := r.bounds()
	r.eachName(r.p.bodyOf(r.stmts[0]), func(n *pysrc.Name) {
		if n.Ctx == pysrc.Load && set[n.ID] && (n.Start < span.Start || n.Start >= span.End) && !slices.Contains(r.gives, n.ID) {
			r.gives = append(r.gives, n.ID)
		}
	})
	return fine && len(r.given) > 0
}

// augments reports the target of an assignment such as +=, which is read as well.
func augments(s pysrc.Stmt, n *pysrc.Name) bool {
	a, ok := s.(*pysrc.AugAssign)
	return ok && a.Target == pysrc.Expr(n)
}

// eachName visits names in the order in which they are evaluated: what is assigned comes after its value.
func (r *recorded) eachName(root pysrc.Node, visit func(*pysrc.Name)) {
	var later []*pysrc.Name
	flush := func() {
		for _, n := range later {
			visit(n)
		}
		later = nil
	}
	pysrc.Inspect(root, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Name:
			if n.Ctx == pysrc.Store {
				later = append(later, n)
			} else {
				visit(n)
			}
		case *pysrc.Assign, *pysrc.ExprStmt, *pysrc.AugAssign, *pysrc.AnnAssign, *pysrc.With:
			flush()
		}
		return true
	})
	flush()
}

// setBy are the names that statements set.
func (r *recorded) setBy(stmts []pysrc.Stmt) map[string]bool {
	set := map[string]bool{}
	for _, s := range stmts {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			if x, ok := n.(*pysrc.Name); ok && x.Ctx == pysrc.Store && !r.p.inComprehension(x) {
				set[x.ID] = true
			}
			return true
		})
	}
	return set
}

// edits write the function before the loop and call it where the statements stood.
func (r *recorded) edits() []patch.Edit {
	p := r.p
	name := r.freeName("train_step", "recorded_step", "run_step")
	replayed, edits := p.Import("saturate_gpu.replay.replayed")
	indent, inner := r.indents()
	line := p.Module.Newline()
	text, more, ok := r.moved(inner)
	if name == "" || !ok || inner == indent {
		return nil
	}
	given, gives := strings.Join(r.given, ", "), strings.Join(r.gives, ", ")
	function := "@" + replayed + "(" + r.optimizer + ")" + line + indent + "def " + name + "(" + given + "):" + line + inner + text + line
	call := name + "(" + given + ")"
	if gives != "" {
		function += inner + "return " + gives + line
		call = gives + " = " + call
	}
	edits = append(edits, more...)
	if r.loop == nil {
		return append(edits, r.apart(p.Module.Edit(r.bounds(), function+line+indent+call), indent))
	}
	before := p.LineBefore(r.loop, function)
	if before.Text == "" {
		return nil
	}
	return append(edits, r.apart(before, indent), p.Module.Edit(r.bounds(), call))
}

// indents are those of the function and of its statements.
func (r *recorded) indents() (outer, inner string) {
	if r.loop == nil {
		outer = r.p.indentOf(r.stmts[0])
		return outer, outer + strings.TrimPrefix(outer, r.p.indentOf(r.fn))
	}
	outer = r.p.indentOf(r.loop)
	return outer, outer + strings.TrimPrefix(r.p.indentOf(pysrc.LoopBody(r.loop)[0]), outer)
}

// freeName is the first of the names that the function around the step does not set.
func (r *recorded) freeName(names ...string) string {
	if r.fn != nil {
		names = slices.DeleteFunc(names, func(name string) bool { return name == r.fn.Name })
	}
	return (&deferral{p: r.p, fn: r.p.bodyOf(r.stmts[0])}).freeName(names...)
}

// apart sets a function apart from the line before it, if that is one of its block, by an empty line.
func (r *recorded) apart(e patch.Edit, indent string) patch.Edit {
	if start := e.Start - len(indent); r.follows(start) {
		e.Start = start
		if r.loop != nil {
			e.End, e.Text = start, strings.TrimSuffix(e.Text, indent)
		}
		e.Text = r.p.Module.Newline() + indent + e.Text
	}
	return e
}

// follows reports a line that stands right after another one of its block, from which a function is set apart.
func (r *recorded) follows(start int) bool {
	text := bytes.TrimSuffix(r.p.Module.Text[:start], []byte("\n"))
	above := bytes.TrimSpace(text[bytes.LastIndexByte(text, '\n')+1:])
	return len(above) > 0 && above[len(above)-1] != ':'
}

// moved is the text of the step, with the mask that a decoder of transformers would otherwise wait for, and the imports that this takes.
func (r *recorded) moved(indent string) (text string, imports []patch.Edit, ok bool) {
	span := r.bounds()
	var within []patch.Edit
	for _, call := range r.p.unmaskedDecoders() {
		if call.Node.Start < span.Start || call.Node.Start >= span.End {
			continue
		}
		for _, e := range r.p.causalMask(call, r.freeName("causal", "causal_mask", "decoder_mask")) {
			if e.Start >= int(span.Start) && e.End <= int(span.End) {
				within = append(within, e)
			} else {
				imports = append(imports, e)
			}
		}
	}
	out, err := patch.Edits(r.p.Module.Text, within)
	if err != nil {
		return "", nil, false
	}
	text = string(out[span.Start : int(span.End)+len(out)-len(r.p.Module.Text)])
	return strings.ReplaceAll(text, "\n"+r.p.indentOf(r.stmts[0]), "\n"+indent), imports, true
}
