package project

import (
	"strings"

	"saturate/internal/pysrc"
)

// runsOnce reports if self.first: self.first = False, also of a flag that is a buffer: self.first.fill_(0).
func runsOnce(test *pysrc.If) bool { return setsFlag(test.Test, test.Body) }

// ranBefore is the guard of a function that returns early in all calls but the first: if self.ready: return, and below it
// self.ready = True.
func ranBefore(fn *Function, at int32) *Guard {
	if fn.Def == nil {
		return nil
	}
	for i, s := range fn.Def.Body {
		if s.Bounds().Start >= at {
			break
		}
		test, ok := s.(*pysrc.If)
		if ok && test.End <= at && len(test.Orelse) == 0 && leaves(test.Body) && FieldOfSelf(test.Test) != "" && setsFlag(test.Test, fn.Def.Body[i+1:]) {
			return &Guard{Kind: Absent, Source: fn.Module.Source, Span: test.Test.Bounds()}
		}
	}
	return nil
}

// flagOf is the flag that a call sets in place: self.ready of self.ready.fill_(1), self.ready.data.copy_(…).
func flagOf(c *pysrc.Call) string {
	if c == nil {
		return ""
	}
	a, ok := c.Func.(*pysrc.Attribute)
	if !ok || a.Attr != "fill_" && a.Attr != "copy_" {
		return ""
	}
	return strings.TrimSuffix(pysrc.DottedName(a.Value), ".data")
}

// setsFlag reports statements that set a flag which a test asks for.
func setsFlag(asked pysrc.Expr, body []pysrc.Stmt) bool {
	for _, s := range body {
		if flag := flagOf(callOf(s)); flag != "" && mentionsDotted(asked, flag) {
			return true
		}
		a, ok := s.(*pysrc.Assign)
		if !ok {
			continue
		}
		if _, flag := pysrc.BoolValue(a.Value); !flag {
			continue
		}
		for _, t := range a.Targets {
			if name := pysrc.DottedName(t); name != "" && mentionsDotted(asked, name) {
				return true
			}
		}
	}
	return false
}
