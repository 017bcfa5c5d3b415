package rule

import (
	"strings"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// mixTogether repairs a loop that mixes each tensor of an average with a weight: the same products and sums on lists of
// tensors, which torch computes with a few kernels.
//
//	for a, w in zip(average.parameters(), model.parameters()):
//	    a.data.mul_(decay).add_(w.data, alpha=1 - decay)
func (p *SourcePass) mixTogether(r *Report, loop *pysrc.For) {
	if p.AtLeast("torch", "2.1") == project.No {
		return
	}
	if edit, inPlace := p.mixedTogether(loop); edit != nil && inPlace {
		r.Fix(Safe, "mix all tensors at once", *edit)
	} else if edit != nil {
		r.Fix(Unsafe, "mix all tensors at once; needs memory for two more copies of the weights", *edit)
	}
}

// mixAlso adds a second loop of the function to the fix, or takes the fix away where that loop would stay.
func (p *SourcePass) mixAlso(r *Report, loop *pysrc.For) {
	if len(r.finding.Fixes) == 0 {
		return
	}
	edit, inPlace := p.mixedTogether(loop)
	if edit == nil {
		r.finding.Fixes = nil
		return
	}
	fix := &r.finding.Fixes[0]
	fix.Edits = append(fix.Edits, *edit)
	if !inPlace {
		fix.Safety = Unsafe
	}
}

func (p *SourcePass) mixedTogether(loop *pysrc.For) (edit *patch.Edit, inPlace bool) {
	body, guard := loop.Body, ""
	if len(body) == 1 {
		if test, ok := body[0].(*pysrc.If); ok && len(test.Orelse) == 0 && !holdsCall(test.Test) {
			body, guard = test.Body, " if "+p.Text(test.Test)
		}
	}
	if len(body) != 1 || len(loop.Orelse) > 0 {
		return nil, false
	}
	m := p.mixing(body[0], loop)
	_, alone := p.blockIndent(loop)
	if m == nil || !alone {
		return nil, false
	}
	free := func(names ...string) string {
		return (&deferral{p: p, fn: p.bodyOf(loop)}).freeName(names...)
	}
	pairs, mixed := free("pairs", "mixed_pairs", "both"), free("mixed", "mixture", "averaged")
	averages, weights := free("averages", "average_list"), free("weights", "weight_list")
	if pairs == "" || mixed == "" || averages == "" || weights == "" {
		return nil, false
	}
	torch, imports := p.Import("torch._foreach_mul_")
	if len(imports) > 0 {
		return nil, false
	}
	torch = strings.TrimSuffix(torch, "_foreach_mul_")
	made := []string{
		pairs + " = [(" + p.Text(m.average) + ", " + p.Text(m.weight) + ") for " + p.Text(loop.Target) + " in " + p.Text(loop.Iter) + guard + "]",
		averages + ", " + weights + " = [pair[0] for pair in " + pairs + "], [pair[1] for pair in " + pairs + "]",
	}
	scaled := torch + "_foreach_mul(" + weights + ", " + m.share + ")"
	switch {
	case m.how == mixLerp:
		made = append(made, torch+"_foreach_lerp_("+averages+", "+weights+", "+m.share+")")
	case m.how == mixAlpha:
		made = append(made, torch+"_foreach_mul_("+averages+", "+m.keep+")", torch+"_foreach_add_("+averages+", "+weights+", alpha="+m.share+")")
	case m.key == nil && !callsNamed(loop.Iter, "state_dict") && !p.overState(loop):
		made = append(made, torch+"_foreach_mul_("+averages+", "+m.keep+")", torch+"_foreach_add_("+averages+", "+scaled+")")
	default: // a count among them is an integer, which a product in place cannot be
		made = append(made, mixed+" = "+torch+"_foreach_mul("+averages+", "+m.keep+")", torch+"_foreach_add_("+mixed+", "+scaled+")")
		if m.key == nil {
			made = append(made, torch+"_foreach_copy_("+averages+", "+mixed+")")
		} else {
			made[0] = pairs + " = {" + p.Text(m.key) + ": (" + p.Text(m.average) + ", " + p.Text(m.weight) + ") for " + p.Text(loop.Target) + " in " + p.Text(loop.Iter) + guard + "}"
			made[1] = averages + ", " + weights + " = [pair[0] for pair in " + pairs + ".values()], [pair[1] for pair in " + pairs + ".values()]"
			made = append(made, p.Text(m.table)+".update(zip("+pairs+", "+mixed+"))")
		}
	}
	indent := p.indentOf(loop)
	e := p.Replace(loop, strings.Join(made, p.Module.Newline()+indent))
	return &e, m.how == mixLerp || m.how == mixAlpha
}

// blockIndent is the white space before a statement, and whether nothing else stands on its line.
func (p *SourcePass) blockIndent(s pysrc.Stmt) (indent string, alone bool) {
	line := p.Module.Line(p.Module.LineAt(s.Bounds().Start))
	indent = p.indentOf(s)
	return indent, strings.HasPrefix(line[len(indent):], "for ")
}

// overState reports a loop over the keys or values of a variable that holds a state_dict.
func (p *SourcePass) overState(loop *pysrc.For) bool {
	root := project.RootName(loop.Iter)
	if c, ok := loop.Iter.(*pysrc.Call); ok && root == nil {
		if a, ok := c.Func.(*pysrc.Attribute); ok {
			root = project.RootName(a.Value)
		}
	}
	if root == nil {
		return true
	}
	value := p.Module.SaidLast(root)
	return value == nil && !callsNamed(loop.Iter, "parameters") && !callsNamed(loop.Iter, "zip") || value != nil && callsNamed(value, "state_dict")
}

// mixing is a statement that mixes a tensor of an average with a weight.
type mixing struct {
	average, weight pysrc.Expr
	keep, share     string
	how             mixForm
	table, key      pysrc.Expr // of table[key] = …
}

type mixForm int

const (
	mixSum   mixForm = iota // keep * average + share * weight
	mixAlpha                // average.mul_(keep).add_(weight, alpha=share)
	mixLerp                 // average.lerp_(weight, share)
)

// mixing reads a statement of a loop over tensors; nil for others.
func (p *SourcePass) mixing(s pysrc.Stmt, loop *pysrc.For) *mixing {
	turns := namesStored(loop.Target)
	m := p.mixingCall(s, turns)
	if a, ok := s.(*pysrc.Assign); ok && len(a.Targets) == 1 {
		switch target := a.Targets[0].(type) {
		case *pysrc.Subscript: // shadow[name] = …
			if m = p.mixingSum(a.Value, target, turns); m != nil {
				m.table, m.key = target.Value, target.Slice
			}
			if !isName(target.Slice) || mentionsAny(target.Value, turns) || m == nil {
				return nil
			}
		case *pysrc.Attribute: // average.data = …
			if target.Attr == "data" {
				m = p.mixingSum(a.Value, target, turns)
			}
		}
	}
	if m == nil || !mentionsAny(m.average, turns) || !mentionsAny(m.weight, turns) {
		return nil
	}
	return m
}

// mixingCall reads average.mul_(keep).add_(weight, alpha=share), average.lerp_(weight, share) and average.copy_(sum).
func (p *SourcePass) mixingCall(s pysrc.Stmt, turns map[string]bool) *mixing {
	e, ok := s.(*pysrc.ExprStmt)
	if !ok {
		return nil
	}
	of, method, c := calledOn(e.Value)
	switch {
	case method == "lerp_" && len(c.Args) == 2 && len(c.Keywords) == 0 && !mentionsAny(c.Args[1], turns):
		return &mixing{average: of, weight: c.Args[0], share: p.Text(c.Args[1]), how: mixLerp}
	case method == "copy_" && len(c.Args) == 1 && len(c.Keywords) == 0:
		return p.mixingSum(c.Args[0], of, turns)
	case method == "add_" && len(c.Args) == 1 && len(c.Keywords) <= 1:
		average, scale, mul := calledOn(of)
		if scale != "mul_" || len(mul.Args) != 1 || len(mul.Keywords) > 0 || mentionsAny(mul.Args[0], turns) {
			return nil
		}
		m := &mixing{average: average, weight: c.Args[0], keep: p.Text(mul.Args[0]), how: mixAlpha}
		if alpha := c.Keyword("alpha"); alpha != nil && !mentionsAny(alpha.Value, turns) {
			m.share = p.Text(alpha.Value)
			return m
		}
		if share, weight := shareOf(c.Args[0], turns); share != nil && len(c.Keywords) == 0 {
			m.weight, m.share, m.how = weight, p.Text(share), mixSum
			return m
		}
	}
	return nil
}

// mixingSum reads keep * average + share * weight, in any order.
func (p *SourcePass) mixingSum(e, average pysrc.Expr, turns map[string]bool) *mixing {
	sum, ok := e.(*pysrc.BinOp)
	if !ok || sum.Op != pysrc.Add {
		return nil
	}
	one, first := shareOf(sum.Left, turns)
	two, second := shareOf(sum.Right, turns)
	if one == nil || two == nil {
		return nil
	}
	same := func(e pysrc.Expr) bool { return bare(p.Text(e)) == bare(p.Text(average)) }
	switch {
	case same(first) && !same(second):
		return &mixing{average: average, weight: second, keep: p.Text(one), share: p.Text(two)}
	case same(second) && !same(first):
		return &mixing{average: average, weight: first, keep: p.Text(two), share: p.Text(one)}
	}
	return nil
}

// bare is the text of a tensor without .data, which is the same numbers.
func bare(text string) string { return strings.TrimSuffix(text, ".data") }

// shareOf reads number * tensor or tensor * number, where the tensor is that of a turn of the loop.
func shareOf(e pysrc.Expr, turns map[string]bool) (share, tensor pysrc.Expr) {
	b, ok := e.(*pysrc.BinOp)
	if !ok || b.Op != pysrc.Mult {
		return nil, nil
	}
	switch left, right := mentionsAny(b.Left, turns), mentionsAny(b.Right, turns); {
	case right && !left && !holdsProduct(b.Right):
		return b.Left, b.Right
	case left && !right && !holdsProduct(b.Left):
		return b.Right, b.Left
	}
	return nil, nil
}

func holdsProduct(e pysrc.Expr) bool {
	_, ok := e.(*pysrc.BinOp)
	return ok
}

// calledOn is x, the method and the call of x.method(…).
func calledOn(e pysrc.Expr) (of pysrc.Expr, method string, c *pysrc.Call) {
	c, ok := e.(*pysrc.Call)
	if !ok {
		return nil, "", nil
	}
	a, ok := c.Func.(*pysrc.Attribute)
	if !ok {
		return nil, "", nil
	}
	return a.Value, a.Attr, c
}

func holdsCall(e pysrc.Expr) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		_, ok := n.(*pysrc.Call)
		found = found || ok
		return !found
	})
	return found
}
