package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// trainsIf reports a variable that its function asks for before it takes gradients: if train: loss.backward(). Where it
// is not set, the function evaluates.
func (m *Module) trainsIf(name *pysrc.Name) bool {
	fn := m.FunctionAt(name.Start)
	if fn.Def == nil {
		return false
	}
	for _, s := range fn.Sites {
		if s.Method() != "backward" {
			continue
		}
		asked := false
		m.around(s.Node.Start, func(b *Block) bool {
			test, ok := b.Owner.(*pysrc.If)
			asked = ok && b.Arm == Body && requires(test.Test, name.ID)
			return !asked
		})
		if !asked {
			return false
		}
	}
	return slices.ContainsFunc(fn.Sites, func(s *Site) bool { return s.Method() == "backward" })
}

// requires reports a test that a variable must pass: train, or train and more.
func requires(test pysrc.Expr, name string) bool {
	switch t := test.(type) {
	case *pysrc.Name:
		return t.ID == name
	case *pysrc.BoolOp:
		return t.Op == pysrc.And && slices.ContainsFunc(t.Values, func(v pysrc.Expr) bool { return requires(v, name) })
	}
	return false
}

// trainsIfEqual reports a comparison of a variable with a text where its function takes gradients only for one such text:
// phase == "valid" beside if phase == "train": loss.backward(). It evaluates for all others, and trained says whether the text is
// that one.
func (m *Module) trainsIfEqual(left, right pysrc.Expr) (trained, ok bool) {
	name, plain := left.(*pysrc.Name)
	text, said := pysrc.StringValue(right)
	if !plain || !said {
		return false, false
	}
	fn := m.FunctionAt(name.Start)
	for _, s := range fn.Sites {
		if s.Method() != "backward" {
			continue
		}
		wanted, asked := "", false
		m.around(s.Node.Start, func(b *Block) bool {
			if test, is := b.Owner.(*pysrc.If); is && b.Arm == Body {
				wanted, asked = requiresText(test.Test, name.ID)
			}
			return !asked
		})
		if !asked || ok && trained != (wanted == text) {
			return false, false
		}
		trained, ok = wanted == text, true
	}
	return trained, ok
}

// requiresText is the text that a variable must be for a test to pass: phase == "train", or that and more.
func requiresText(test pysrc.Expr, name string) (text string, ok bool) {
	switch t := test.(type) {
	case *pysrc.Compare:
		if of, plain := t.Left.(*pysrc.Name); plain && of.ID == name && len(t.Ops) == 1 && t.Ops[0] == pysrc.Eq {
			return pysrc.StringValue(t.Comparators[0])
		}
	case *pysrc.BoolOp:
		for _, v := range t.Values {
			if text, ok = requiresText(v, name); ok && t.Op == pysrc.And {
				return text, true
			}
		}
	}
	return "", false
}

// fillsByCall reports if table is None: make_table(), where the function that is called stores what is missing, in a
// field of the object or in a variable of the module.
func (m *Module) fillsByCall(test *pysrc.If) bool {
	fields, globals := map[string]bool{}, map[string]bool{}
	pysrc.Inspect(test.Test, func(n pysrc.Node) bool {
		c, ok := n.(*pysrc.Compare)
		if !ok || len(c.Ops) != 1 || c.Ops[0] != pysrc.Is || !pysrc.IsConst(c.Comparators[0], pysrc.None) {
			return true
		}
		if field := FieldOfSelf(c.Left); field != "" {
			fields[field] = true
		} else if name, ok := c.Left.(*pysrc.Name); ok {
			globals[name.ID] = true
		}
		return true
	})
	if len(fields)+len(globals) == 0 {
		return false
	}
	for _, s := range test.Body {
		stmt, ok := s.(*pysrc.ExprStmt)
		if !ok {
			continue
		}
		call, ok := stmt.Value.(*pysrc.Call)
		if !ok {
			continue // a comment that is written as a text
		}
		if site := m.SiteAt(call); site != nil && site.Calls.Func != nil && site.Calls.Func.Def != nil && stores(site.Calls.Func.Def, fields, globals) {
			return true
		}
	}
	return false
}

// stores reports a function that assigns to one of the fields of its object, or to one of the variables as global ones.
func stores(def *pysrc.FunctionDef, fields, globals map[string]bool) bool {
	declared, found := map[string]bool{}, false
	for _, s := range def.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch n := n.(type) {
			case *pysrc.Global:
				for _, name := range n.Names {
					declared[name] = globals[name]
				}
			case *pysrc.Assign:
				for _, t := range n.Targets {
					name, ok := t.(*pysrc.Name)
					found = found || fields[FieldOfSelf(t)] || ok && declared[name.ID]
				}
			}
			return !found
		})
	}
	return found
}

// deniedTensor reports a variable in the arm of a test that it is not a tensor: if isinstance(x, torch.Tensor): … else: x.
func (m *Module) deniedTensor(x *pysrc.Name) bool {
	if m == nil || !m.Says("isinstance(") {
		return false
	}
	denied := false
	m.around(x.Start, func(b *Block) bool {
		test, ok := b.Owner.(*pysrc.If)
		if !ok {
			return true
		}
		asked, arm := test.Test, Else
		if not, ok := asked.(*pysrc.UnaryOp); ok && not.Op == pysrc.Not {
			asked, arm = not.Operand, Body
		}
		call, ok := asked.(*pysrc.Call)
		if ok && b.Arm == arm && len(call.Args) == 2 && lastName(call.Func) == "isinstance" && lastName(call.Args[1]) == "Tensor" {
			of, plain := call.Args[0].(*pysrc.Name)
			denied = plain && of.ID == x.ID
		}
		return !denied
	})
	return denied
}
