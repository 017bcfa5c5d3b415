package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// fuseAttention repairs attention that is written out in statements which follow
// each other, as nearly all of it is:
//
//	att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
//	att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
//	att = F.softmax(att, dim=-1)
//	att = self.attn_dropout(att)
//	y = att @ v
//
// The statements go, and the product becomes one call. Anything else between
// them, or a form that is not known to mean the same, leaves it as it is.
func (p *SourcePass) fuseAttention(r *Report, softmax Call) {
	body := p.siblingsOf(p.Module.StatementAt(softmax.Node.Start))
	at := slices.Index(body, p.Module.StatementAt(softmax.Node.Start))
	if at < 0 || p.AtLeast("torch", "2.1") == project.No {
		return
	}
	a := &attention{p: p}
	first := a.before(body, at, softmax.Node)
	if first < 0 {
		return
	}
	last := a.behind(body, at)
	if last < 0 || a.disturbed(body[first:last+1]) || a.readAgain(body[first:last], body[last:]) {
		return
	}
	call, imports := p.Import("torch.nn.functional.scaled_dot_product_attention")
	arguments := []string{a.turned(a.query), a.turned(a.key), a.turned(a.value)}
	switch {
	case a.causal:
		arguments = append(arguments, "is_causal=True")
	case a.added != "":
		query, named := a.query.(*pysrc.Name)
		if !named {
			return
		}
		where, more := p.Import("torch.where")
		imports = append(imports, more...)
		arguments = append(arguments, "attn_mask="+where+"("+a.mask+", "+a.added+", 0.0).to("+query.ID+".dtype)")
	case a.mask != "":
		arguments = append(arguments, "attn_mask="+a.mask)
	}
	if a.dropout != "" {
		arguments = append(arguments, "dropout_p="+a.dropout)
	}
	if a.scale != "" {
		arguments = append(arguments, "scale="+a.scale)
	}
	text := call + "(" + strings.Join(arguments, ", ") + ")"
	if a.turns[a.product] {
		text += ".transpose(-2, -1)"
	}
	if strings.HasPrefix(string(p.Module.Text[a.product.Bounds().End:]), ".view(") {
		text += ".contiguous()" // the kernel may leave the heads behind the positions
	}
	edits := append(imports, p.Replace(a.product, text))
	for _, s := range body[first:last] {
		edits = append(edits, p.RemoveStatement(s))
	}
	r.Fix(Unsafe, "compute attention in one fused kernel; rounding differs", edits...)
}

// attention is what the statements compute.
type attention struct {
	p                    *SourcePass
	weights              string // the variable that goes from statement to statement
	query, key, value    pysrc.Expr
	mask, dropout, scale string
	added                string              // to the scores where the mask is true, if that is a number
	causal               bool                // the mask is the causal one
	product              pysrc.Expr          // weights @ value
	turns                map[pysrc.Expr]bool // parts whose positions stand behind their channels
}

// turned is the text of a part with its positions before its channels.
func (a *attention) turned(part pysrc.Expr) string {
	if a.turns[part] {
		return a.p.Text(part) + ".transpose(-2, -1)"
	}
	return a.p.Text(part)
}

// before reads the statements up to the softmax, backwards, and returns the
// first of them, or -1.
func (a *attention) before(body []pysrc.Stmt, at int, softmax *pysrc.Call) int {
	name, value := plainAssign(body[at])
	if c, ok := value.(*pysrc.Call); ok && firstArg(c) == pysrc.Expr(softmax) && a.drops(c) { // self.drop(softmax(…))
		value = softmax
	}
	if value != pysrc.Expr(softmax) || !lastDimension(softmax) {
		return -1
	}
	a.weights = name
	scores := firstArg(softmax)
	if f, ok := softmax.Func.(*pysrc.Attribute); ok && !a.p.isFunction(f) {
		scores = f.Value
	}
	for {
		if a.scores(scores) {
			return at
		}
		from, ok := scores.(*pysrc.Name)
		if !ok || at == 0 {
			return -1
		}
		at--
		name, value := plainAssign(body[at])
		if name != from.ID || value == nil {
			return -1
		}
		if c, ok := value.(*pysrc.Call); ok && lastName(c.Func) == "masked_fill" && a.mask == "" {
			if value = a.masked(c); value == nil {
				return -1
			}
		}
		scores = value
	}
}

// isFunction reports F.softmax and its like, where the value before the dot is a module.
func (p *SourcePass) isFunction(f *pysrc.Attribute) bool {
	return strings.HasPrefix(p.NameOf(f), "torch.") && !p.Eval(f.Value).IsInstance("torch.Tensor") &&
		p.NameOf(f.Value) != ""
}

func plainAssign(s pysrc.Stmt) (string, pysrc.Expr) {
	a, ok := s.(*pysrc.Assign)
	if !ok || len(a.Targets) != 1 {
		return "", nil
	}
	name, ok := a.Targets[0].(*pysrc.Name)
	if !ok {
		return "", nil
	}
	return name.ID, a.Value
}

// lastDimension reports a softmax over the last dimension, written as -1.
func lastDimension(c *pysrc.Call) bool {
	for _, k := range c.Keywords {
		if k.Name != "dim" {
			return false // a dtype, which the fused kernel does not take
		}
	}
	over := c.Args
	if k := c.Keyword("dim"); k != nil {
		over = append(over[:len(over):len(over)], k.Value)
	}
	if len(over) == 0 {
		return false
	}
	n, ok := pysrc.IntValue(over[len(over)-1])
	return ok && n == -1
}

// scores reports q @ k.transpose(-2, -1), scaled or not, and keeps its parts.
func (a *attention) scores(e pysrc.Expr) bool {
	scale := "1.0"
	if x, ok := e.(*pysrc.BinOp); ok && (x.Op == pysrc.Mult || x.Op == pysrc.Div) {
		by, good := a.factor(x.Right, x.Op == pysrc.Div)
		if !good {
			return false
		}
		e, scale = x.Left, by
	}
	left, right := productParts(e)
	if left == nil {
		a.scale = scale
		return a.scoresByEquation(e)
	}
	if a.key = transposed(right); a.key == nil {
		return false
	}
	a.query, a.scale = left, scale
	return true
}

// factor reads what the scores are multiplied with or divided by: nothing to
// say for the square root of the width, which is what the kernel does itself.
func (a *attention) factor(e pysrc.Expr, divides bool) (string, bool) {
	text := strings.ReplaceAll(a.p.Text(e), " ", "")
	for _, width := range []string{
		"k.size(-1)", "q.size(-1)", "k.shape[-1]", "q.shape[-1]", "query.size(-1)",
		"key.size(-1)", "query.shape[-1]", "key.shape[-1]",
	} {
		switch {
		case divides && (text == "math.sqrt("+width+")" || text == width+"**0.5"),
			!divides && (text == "1.0/math.sqrt("+width+")" || text == "1/math.sqrt("+width+")" || text == width+"**-0.5"):
			return "", true
		}
	}
	if !a.p.isPlainNumber(e) {
		return "", false
	}
	if divides {
		return "1.0 / (" + a.p.Text(e) + ")", true
	}
	return a.p.Text(e), true
}

// isPlainNumber reports an expression of numbers, sizes and math alone, or an
// attribute that is set from one: no tensor, which the kernel would refuse.
func (p *SourcePass) isPlainNumber(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Constant:
		_, ok := pysrc.FloatValue(x)
		return ok
	case *pysrc.BinOp:
		return p.isPlainNumber(x.Left) && p.isPlainNumber(x.Right)
	case *pysrc.UnaryOp:
		return p.isPlainNumber(x.Operand)
	case *pysrc.Call:
		name := p.NameOf(x.Func)
		return len(x.Args) == 1 && (name == "math.sqrt" || name == "float" || lastName(x.Func) == "size") // whatever it is given
	case *pysrc.Subscript:
		return lastName(x.Value) == "shape"
	case *pysrc.Attribute:
		class := p.Class(x)
		if class == nil || rootName(x) != "self" {
			return false
		}
		found, plain := false, true
		pysrc.Inspect(class.Def, func(n pysrc.Node) bool {
			if s, ok := n.(*pysrc.Assign); ok && pysrc.DottedName(s.Targets[0]) == pysrc.DottedName(x) {
				text := p.Text(s.Value)
				found = true
				plain = plain && !strings.Contains(text, "torch.") && (strings.Contains(text, "**") ||
					strings.Contains(text, "sqrt") || p.isPlainNumber(s.Value))
			}
			return true
		})
		return found && plain
	}
	return false
}

// productParts returns the two sides of a @ b, torch.matmul(a, b) and a.matmul(b).
func productParts(e pysrc.Expr) (left, right pysrc.Expr) {
	switch x := e.(type) {
	case *pysrc.BinOp:
		if x.Op == pysrc.MatMult {
			return x.Left, x.Right
		}
	case *pysrc.Call:
		if name := lastName(x.Func); (name == "matmul" || name == "bmm") && len(x.Args) == 2 && len(x.Keywords) == 0 {
			return x.Args[0], x.Args[1]
		}
	}
	return nil, nil
}

// transposed returns the k of k.transpose(-2, -1) and its like, or nil.
func transposed(e pysrc.Expr) pysrc.Expr {
	if a, ok := e.(*pysrc.Attribute); ok && a.Attr == "mT" {
		return a.Value
	}
	c, ok := e.(*pysrc.Call)
	if !ok || len(c.Args) != 2 || len(c.Keywords) > 0 {
		return nil
	}
	f, ok := c.Func.(*pysrc.Attribute)
	if !ok || f.Attr != "transpose" && f.Attr != "swapaxes" {
		return nil
	}
	one, _ := pysrc.IntValue(c.Args[0])
	two, _ := pysrc.IntValue(c.Args[1])
	if one == -2 && two == -1 || one == -1 && two == -2 || one == 2 && two == 3 || one == 3 && two == 2 {
		return f.Value
	}
	return nil
}

// masked reads x.masked_fill(mask == 0, float("-inf")) and returns x, or nil. A large negative number is added instead: it
// leaves a row that is masked whole something to attend to.
func (a *attention) masked(c *pysrc.Call) pysrc.Expr {
	f, ok := c.Func.(*pysrc.Attribute)
	if !ok || len(c.Args) != 2 || len(c.Keywords) > 0 {
		return nil
	}
	hidden, infinite := a.p.Text(c.Args[0]), false
	switch value := strings.NewReplacer(" ", "", "'", `"`).Replace(a.p.Text(c.Args[1])); value {
	case `float("-inf")`, `-float("inf")`, "-math.inf", "-torch.inf", "-np.inf", `float("-Inf")`:
		infinite = true
	default:
		if n, ok := pysrc.FloatValue(negated(c.Args[1])); !ok || n < 1e4 {
			return nil
		}
	}
	test, ok := c.Args[0].(*pysrc.Compare)
	byZero := ok && len(test.Ops) == 1 && test.Ops[0] == pysrc.Eq && isZero(test.Comparators[0])
	switch {
	case infinite && byZero:
		a.mask, a.causal = a.p.Text(test.Left)+" != 0", a.isCausal(test.Left)
	case infinite && isPlace(c.Args[0]):
		a.mask = "~" + hidden
	case infinite || !byZero && !isPlace(c.Args[0]):
		return nil
	default:
		a.added, a.mask = a.p.Text(c.Args[1]), hidden
		a.causal = byZero && a.isCausal(test.Left)
	}
	return f.Value
}

// negated is the x of -x, or nil.
func negated(e pysrc.Expr) pysrc.Expr {
	if u, ok := e.(*pysrc.UnaryOp); ok && u.Op == pysrc.USub {
		return u.Operand
	}
	return nil
}

// isPlace reports a variable, a field or a part of one: mask[:, None, None, :].
func isPlace(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Name:
		return true
	case *pysrc.Attribute:
		return isPlace(x.Value)
	case *pysrc.Subscript:
		return isPlace(x.Value)
	}
	return false
}

// behind reads the statements after the softmax up to the product with the
// values and returns the place of that, or -1.
func (a *attention) behind(body []pysrc.Stmt, at int) int {
	for at++; at < len(body); at++ {
		name, value := plainAssign(body[at])
		if c, ok := value.(*pysrc.Call); ok && name == a.weights && a.dropout == "" && a.dropped(c) {
			continue
		}
		pysrc.Inspect(body[at], func(n pysrc.Node) bool {
			e, ok := n.(pysrc.Expr)
			if !ok || a.product != nil {
				return a.product == nil
			}
			left, right := productParts(e)
			if left == nil {
				if left, right = a.sumByEquation(e); left == nil {
					return true
				}
			}
			if c, ok := left.(*pysrc.Call); ok && a.dropout == "" && a.dropped(c) {
				left = firstArg(c)
			}
			if of, ok := left.(*pysrc.Name); ok && of.ID == a.weights {
				a.product, a.value = e, right
			}
			return a.product == nil
		})
		if a.product == nil || a.p.countReads(a.weights, body[at:]) != 1 {
			return -1
		}
		return at
	}
	return -1
}

// dropped reports self.drop(weights), where self.drop is a Dropout, or F.dropout.
func (a *attention) dropped(c *pysrc.Call) bool {
	of, ok := firstArg(c).(*pysrc.Name)
	return ok && of.ID == a.weights && a.drops(c)
}

// drops reports a dropout, and keeps its rate.
func (a *attention) drops(c *pysrc.Call) bool {
	if a.p.Eval(c.Func).IsInstance("torch.nn.Dropout") && len(c.Args) == 1 && rootName(c.Func) == "self" {
		a.dropout = a.p.Text(c.Func) + ".p if self.training else 0.0"
		return true
	}
	p, training := c.Keyword("p"), c.Keyword("training")
	if a.p.NameOf(c.Func) == "torch.nn.functional.dropout" && p != nil && training != nil && len(c.Args) == 1 &&
		a.p.Text(training.Value) == "self.training" {
		a.dropout = a.p.Text(p.Value) + " if self.training else 0.0"
		return true
	}
	return false
}

// countReads counts where statements read a name before they set it anew.
func (p *SourcePass) countReads(name string, body []pysrc.Stmt) int {
	n := 0
	for _, s := range body {
		pysrc.Inspect(s, func(x pysrc.Node) bool {
			if v, ok := x.(*pysrc.Name); ok && v.ID == name && v.Ctx == pysrc.Load {
				n++
			}
			return true
		})
	}
	return n
}

// disturbed reports statements between the first and the last that set
// something which the call will read.
func (a *attention) disturbed(body []pysrc.Stmt) bool {
	read := map[string]bool{}
	for _, e := range []pysrc.Expr{a.query, a.key, a.value} {
		pysrc.Inspect(e, func(n pysrc.Node) bool {
			if v, ok := n.(*pysrc.Name); ok {
				read[v.ID] = true
			}
			return true
		})
	}
	for _, s := range body[:len(body)-1] {
		name, value := plainAssign(s)
		if value == nil || read[name] {
			return true
		}
	}
	return read[a.weights]
}
