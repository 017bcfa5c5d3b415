package rule

import (
	"slices"

	"saturate/internal/pysrc"
)

// scoresByEquation reads torch.einsum("bhid,bhjd->bhij", q, k) and keeps its parts, also where the channels stand before the
// positions: "bhci,bhcj->bhij".
func (a *attention) scoresByEquation(e pysrc.Expr) bool {
	inputs, out, operands := a.equation(e)
	if len(out) < 3 {
		return false
	}
	heads, query, key := out[:len(out)-2], out[len(out)-2], out[len(out)-1]
	width, turnsQuery, ok := pair(inputs[0], heads, query)
	again, turnsKey, known := pair(inputs[1], heads, key)
	if !ok || !known || width != again || width == key {
		return false
	}
	a.query, a.key = operands[0], operands[1]
	a.turn(a.query, turnsQuery)
	a.turn(a.key, turnsKey)
	return true
}

// sumByEquation reads torch.einsum("bhij,bhjd->bhid", weights, v).
func (a *attention) sumByEquation(e pysrc.Expr) (weights, values pysrc.Expr) {
	inputs, out, operands := a.equation(e)
	if len(out) < 3 {
		return nil, nil
	}
	at := 0
	if isNamed(operands[1], a.weights) {
		at = 1
	}
	w := inputs[at]
	if len(w) < 3 {
		return nil, nil
	}
	heads, query, key := w[:len(w)-2], w[len(w)-2], w[len(w)-1]
	width, turnsValue, ok := pair(inputs[1-at], heads, key)
	again, turnsOut, known := pair(out, heads, query)
	if !ok || !known || width != again {
		return nil, nil
	}
	a.turn(operands[1-at], turnsValue)
	a.turn(e, turnsOut)
	return operands[at], operands[1-at]
}

// equation is an einsum of two operands: its axes as letters, and the operands.
func (a *attention) equation(e pysrc.Expr) (inputs [][]rune, out []rune, operands []pysrc.Expr) {
	c, ok := e.(*pysrc.Call)
	if !ok || a.p.NameOf(c.Func) != "torch.einsum" {
		return nil, nil, nil
	}
	terms, output, operands := einsumOf(c)
	if len(terms) != 2 || len(operands) != 2 {
		return nil, nil, nil
	}
	return [][]rune{[]rune(terms[0]), []rune(terms[1])}, []rune(output), operands
}

// pair is the axis that stands beside another behind the leading ones, and whether it stands before it.
func pair(axes, leading []rune, position rune) (width rune, before, ok bool) {
	if len(axes) != len(leading)+2 || !slices.Equal(axes[:len(leading)], leading) {
		return 0, false, false
	}
	switch x, y := axes[len(axes)-2], axes[len(axes)-1]; position {
	case x:
		return y, false, true
	case y:
		return x, true, true
	}
	return 0, false, false
}

func (a *attention) turn(part pysrc.Expr, turns bool) {
	if a.turns == nil {
		a.turns = map[pysrc.Expr]bool{}
	}
	a.turns[part] = turns
}

// readAgain reports scores that statements set and others behind them read.
func (a *attention) readAgain(gone, behind []pysrc.Stmt) bool {
	return slices.ContainsFunc(gone, func(s pysrc.Stmt) bool {
		name, _ := plainAssign(s)
		return name != a.weights && a.p.countReads(name, behind) > 0
	})
}
