package project

import (
	"bytes"

	"saturate/internal/pysrc"
)

// findTurns finds tests of a remainder by one, which is zero in every iteration: step % log_interval == 0 is always
// true if log_interval is 1.
func (p *Project) findTurns(m *Module) {
	if bytes.IndexByte(m.Text, '%') < 0 {
		return
	}
	e := p.NewEval()
	defer e.Release()
	for _, test := range m.Tests {
		pysrc.Inspect(test, func(n pysrc.Node) bool {
			b, ok := n.(*pysrc.BinOp)
			if !ok || b.Op != pysrc.Mod || m.counts(b.Right) {
				return true
			}
			if v := e.Of(m, b.Right); v.Equals(1) && v.Sure >= Perhaps {
				if m.turns == nil {
					m.turns = map[*pysrc.BinOp]Value{}
				}
				m.turns[b] = v
			}
			return true
		})
	}
}

// counts reports whether a variable is a counter: its initial value says little.
func (m *Module) counts(x pysrc.Expr) bool {
	name, ok := x.(*pysrc.Name)
	if !ok {
		return false
	}
	_, b := m.blocks[m.BlockAt(name.Start)].Scope.find(name.ID)
	for ; b != nil; b = b.prior {
		if b.Kind == Augmented {
			return true
		}
	}
	return false
}

// EachTurn reports whether the remainder in a test is zero in every iteration, as far as constants and defaults show.
func (m *Module) EachTurn(remainder *pysrc.BinOp) bool {
	_, ok := m.turns[remainder]
	return ok
}

// byTurns adds to a path the tests that let it run in every iteration, and lowers the confidence if another value may
// be set.
func (m *Module) byTurns(path Path, at int32) Path {
	if len(m.turns) == 0 {
		return path
	}
	m.around(at, func(b *Block) bool {
		if test, ok := b.Owner.(*pysrc.If); ok {
			pysrc.Inspect(test.Test, func(n pysrc.Node) bool {
				if remainder, ok := n.(*pysrc.BinOp); ok && m.EachTurn(remainder) {
					path.turns = append(path.turns, turn{m, remainder})
					path.Sure *= m.turns[remainder].Sure
				}
				return true
			})
		}
		return !b.isLoop()
	})
	return path
}

// turn is a remainder that is zero in every iteration, so that it does not stop a path.
type turn struct {
	m         *Module
	remainder *pysrc.BinOp
}

func (t turn) step() Step {
	s := Step{Text: string(t.m.Text[t.remainder.Start:t.remainder.End]) + " is 0 in every step", Source: t.m.Source, Span: t.remainder.Span}
	v := t.m.turns[t.remainder]
	if v.Origin.How > InPlace && v.Origin.Source != nil {
		by := t.remainder.Right.Bounds()
		s.Text = string(t.m.Text[by.Start:by.End]) + " is 1, " + v.Origin.How.String()
		s.Source, s.Span = v.Origin.Source, v.Origin.Span
	}
	return s
}
