package rule

import (
	"fmt"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// behindGuard gives the edits that put a statement, with all its lines, behind if step % n == 0. It
// gives none when the statement shares its line.
func (p *SourcePass) behindGuard(stmt pysrc.Stmt, step string, every int) []patch.Edit {
	return p.under(fmt.Sprintf("if %s %% %d == 0:", step, every), []pysrc.Stmt{stmt})
}

// What a statement does besides showing something.
const (
	showsOnly = iota
	mayChange
	changes
)

// doesMore reports whether what a statement hands to the call it consists of changes anything when it is computed:
// print(clip_grad_norm_(model.parameters(), 1.0)). A function of the project may.
func (p *SourcePass) doesMore(stmt *pysrc.ExprStmt) int {
	does := showsOnly
	pysrc.Inspect(stmt, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.NamedExpr, *pysrc.Await, *pysrc.Yield, *pysrc.YieldFrom:
			does = changes
		case *pysrc.Call:
			name := lastName(n.Func)
			switch {
			case pysrc.Expr(n) == stmt.Value:
			case changing[name], inPlace(name), strings.HasPrefix(name, "rand"):
				does = changes
			case p.Eval(n.Func).Func != nil:
				does = max(does, mayChange)
			}
		}
		return does != changes
	})
	return does
}

// changing are names of functions and methods that are called for what they change.
var changing = setOfNames("next", "step", "update", "backward", "zero_grad", "pop", "popleft", "popitem", "append",
	"extend", "add", "send", "get_nowait", "shuffle", "write", "train", "eval", "readline", "acquire")

// under gives the edits that put statements, which follow each other, below a
// header such as with torch.autocast("cuda"):, each of their lines indented.
// It gives an edit without a path when a line cannot be moved: when it lies in
// a string, or when a statement shares its line.
func (p *SourcePass) under(header string, stmts []pysrc.Stmt) []patch.Edit {
	if len(stmts) == 0 {
		return []patch.Edit{{}}
	}
	first := p.LineBefore(stmts[0], header)
	if first.Path == "" {
		return []patch.Edit{first}
	}
	first.Text += "    "
	edits := []patch.Edit{first}
	for i, s := range stmts {
		span := s.Bounds()
		if p.hasLongString(s) {
			return []patch.Edit{{}}
		}
		from, to := p.Module.LineAt(span.Start), p.Module.LineAt(span.End)
		if i == 0 {
			from++
		} else {
			from = p.Module.LineAt(stmts[i-1].Bounds().End) + 1 // comments between two statements move along
		}
		for line := from; line <= to; line++ {
			if strings.TrimSpace(p.Module.Line(line)) == "" {
				continue
			}
			at := p.Module.File.LineStarts[line-1]
			edits = append(edits, p.Module.Edit(pysrc.Span{Start: at, End: at}, "    "))
		}
	}
	return edits
}

// hasLongString reports a string that goes over lines: indenting would change it.
func (p *SourcePass) hasLongString(n pysrc.Node) bool {
	found := false
	pysrc.Inspect(n, func(n pysrc.Node) bool {
		switch n.(type) {
		case *pysrc.Constant, *pysrc.JoinedStr:
			found = found || strings.Contains(p.Text(n), "\n")
		}
		return !found
	})
	return found
}

// onlyEvery repairs a statement that runs in every step: it puts it behind a
// guard that lets it through every so many steps. It needs a name that counts them.
func (p *SourcePass) onlyEvery(r *Report, safety Safety, n Node, steps int) {
	step := p.StepCounter(n)
	stmt, ok := p.Module.StatementAt(n.Bounds().Start).(*pysrc.ExprStmt)
	if step == "" || !ok {
		return
	}
	switch does := p.doesMore(stmt); {
	case does == changes:
		return // the steps between would go without it
	case does == mayChange && safety == Safe:
		safety = Unsafe
	}
	r.Fix(safety, "do it only every N steps", p.behindGuard(stmt, step, steps)...)
}
