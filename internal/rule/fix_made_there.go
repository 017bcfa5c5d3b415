package rule

import (
	"bytes"
	"slices"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// makeThere gives the edits that pass device= to the function which fills a tensor and drop the move: of the tensor itself, or of
// what is computed from it and numbers alone, as torch.exp(torch.arange(half) * -rate).to(t.device) is.
func (p *SourcePass) makeThere(c Call, made *pysrc.Call, device pysrc.Expr) (how computed, edits []patch.Edit) {
	text := `"cuda"`
	if device != nil {
		text = p.Text(device)
	}
	var dropped patch.Edit
	if value := p.movedNext(c); value != nil {
		how, dropped = p.computedFrom(value, made), p.RemoveStatement(c.Node)
	} else {
		dot := bytes.LastIndexByte(p.Module.Text[:c.Node.Func.Bounds().End], '.') // behind a bracket around the tensor, if there is one
		start := len(bytes.TrimRight(p.Module.Text[:dot], " \t\n\\"))
		how, dropped = p.computedFrom(c.Receiver(), made), p.Module.Edit(pysrc.Span{Start: int32(start), End: c.Node.End}, "")
	}
	if how == elsewhere {
		return how, nil
	}
	edits = []patch.Edit{p.CallAt(made).SetArg("device", text), dropped}
	if lastName(made.Func) == "tensor" { // which makes it on the host also for a device
		return how, append(edits, p.fillNumber(made)...)
	}
	return how, edits
}

// movedNext is what a statement sets a variable to that the next one moves: t = torch.ones(3); t = t.to(device). It is nil for
// another move.
func (p *SourcePass) movedNext(c Call) pysrc.Expr {
	move, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign)
	name, moved := c.Receiver().(*pysrc.Name)
	if !ok || !moved || move.Value != pysrc.Expr(c.Node) || len(move.Targets) != 1 || !isNamed(move.Targets[0], name.ID) {
		return nil
	}
	body := p.siblingsOf(move)
	at := slices.Index(body, pysrc.Stmt(move))
	if at < 1 {
		return nil
	}
	set, ok := body[at-1].(*pysrc.Assign)
	if !ok || len(set.Targets) != 1 || !isNamed(set.Targets[0], name.ID) {
		return nil
	}
	return set.Value
}

// computed is how a moved value comes from the tensor that is filled on the host.
type computed int

const (
	elsewhere computed = iota // not in this expression, or with other tensors, which would stay on the host
	itself                    // the tensor, perhaps in another shape or type
	rounded                   // by arithmetic with numbers, whose last digits another device may round in another way
)

// computedFrom tells how an expression comes from a tensor filled in it.
func (p *SourcePass) computedFrom(e pysrc.Expr, made *pysrc.Call) computed {
	switch x := e.(type) {
	case *pysrc.Call:
		if x == made {
			return itself
		}
		if method, ok := x.Func.(*pysrc.Attribute); ok && reshapes[method.Attr] && !strings.HasSuffix(method.Attr, "_") {
			return p.computedFrom(method.Value, made)
		}
		if strings.HasPrefix(p.NameOf(x.Func), "torch.") && len(x.Keywords) == 0 {
			return p.computedOf(made, x.Args...)
		}
	case *pysrc.BinOp:
		return p.computedOf(made, x.Left, x.Right)
	case *pysrc.UnaryOp:
		return p.computedOf(made, x.Operand)
	}
	return elsewhere
}

// computedOf tells how a result comes from its operands: one is the tensor or computed from it, and the others are numbers.
func (p *SourcePass) computedOf(made *pysrc.Call, operands ...pysrc.Expr) computed {
	found := elsewhere
	for _, o := range operands {
		switch {
		case p.computedFrom(o, made) != elsewhere:
			found = rounded
		case !p.isNumberBeside(o, made):
			return elsewhere
		}
	}
	return found
}

// isNumberBeside reports a number: written out, computed from such, or a size that the tensor is made with.
func (p *SourcePass) isNumberBeside(e pysrc.Expr, made *pysrc.Call) bool {
	switch x := e.(type) {
	case *pysrc.BinOp:
		return p.isNumberBeside(x.Left, made) && p.isNumberBeside(x.Right, made)
	case *pysrc.UnaryOp:
		return p.isNumberBeside(x.Operand, made)
	case *pysrc.Call:
		return strings.HasPrefix(p.NameOf(x.Func), "math.") || p.NameOf(x.Func) == "len"
	case *pysrc.Name:
		if mentions(made, x.ID) || p.isNumber(x) {
			return true
		}
		said := p.Module.SaidOnce(x)
		return said != nil && p.isNumberBeside(said, made)
	}
	return p.isNumber(e)
}
