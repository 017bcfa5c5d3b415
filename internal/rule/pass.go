package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// Value is what an argument or expression stands for, and where that is set.
type Value = project.Value

// SourcePass is one rule applied to one module. Rules are written in terms of its methods.
type SourcePass struct {
	*judge
	Project *project.Project
	Module  *project.Module
	eval    *project.Eval
	shared  *moduleFacts
}

// In returns a pass for another module, such as that of a function that this module passes on. It is for queries;
// findings are still reported in this module.
func (p *SourcePass) In(m *project.Module) *SourcePass {
	if m == p.Module {
		return p
	}
	facts := p.shared.others[m]
	if facts == nil {
		facts = gather(m, p.shared.index)
		facts.others, facts.open, facts.passes = p.shared.others, p.shared.open, p.shared.passes
		facts.others[m] = facts
	}
	if facts.asked == nil || facts.asked.rule != p.rule {
		asked := p.shared.passes.new()
		asked.judge = judge{rule: p.rule, source: m.Source}
		asked.pass = SourcePass{judge: &asked.judge, Project: p.Project, Module: m, eval: p.eval, shared: facts}
		facts.asked = &asked.pass
	}
	return facts.asked
}

// said returns the findings of a rule in this module. Each rule runs once, when first asked.
func (p *SourcePass) said(r *Rule) *judge {
	if j := p.shared.said[r]; j != nil {
		return j
	}
	asked := p.shared.passes.new()
	asked.pass = *p
	asked.judge = judge{rule: r, source: p.Module.Source}
	asked.pass.judge = &asked.judge
	asked.pass.apply(r)
	asked.judge.within(p.versions)
	asked.pass.callCheapSmall()
	asked.judge.sift()
	if p.shared.said == nil {
		p.shared.said = make(map[*Rule]*judge, manyRules)
	}
	p.shared.said[r] = &asked.judge
	return &asked.judge
}

// At returns evidence for a node of this module, for a report in another.
func (p *SourcePass) At(n Node, text string) project.Step {
	return project.Step{Text: text, Source: p.Module.Source, Span: n.Bounds()}
}

// Node is anything that has a place in the source: a pysrc node or a Call.
type Node interface{ Bounds() pysrc.Span }

// Eval returns the value of an expression of this module: a literal, a class, an instance with the call that made it, a
// key of a settings file. The expression must be a node of this module's tree.
func (p *SourcePass) Eval(e pysrc.Expr) Value { return p.eval.Of(p.Module, e) }

// EvalIn returns the value of a part of a list, dict or f-string in a Value of Kind Display, wherever it is written.
func (p *SourcePass) EvalIn(display Value, part pysrc.Expr) Value {
	return p.eval.Within(display, part)
}

// Text returns the source of a node.
func (p *SourcePass) Text(n Node) string {
	s := n.Bounds()
	return string(p.Module.Text[s.Start:s.End])
}

// Short returns the source of a node for a message: on one line, cut when long.
func (p *SourcePass) Short(n Node) string {
	text := strings.Join(strings.Fields(p.Text(n)), " ")
	if runes := []rune(text); len(runes) > 50 {
		text = string(runes[:49]) + "…"
	}
	return text
}

// NameOf returns the canonical dotted name that an expression stands for, such
// as torch.float16 or torch.utils.data.DataLoader, or nothing.
func (p *SourcePass) NameOf(e pysrc.Expr) string { return p.Eval(e).Name }

// Inspect visits a node of this module and everything below it, including inner functions. Prefer CallsTo and similar
// methods, which use an index.
func (p *SourcePass) Inspect(root pysrc.Node, visit func(pysrc.Node) bool) {
	if root != pysrc.Node(p.Module.File.Module) {
		pysrc.Inspect(root, visit)
		return
	}
	if p.shared.nodes == nil {
		p.shared.nodes = flatRoom.Get().(*[]flatNode)
		*p.shared.nodes = flatten(root, *p.shared.nodes)
	}
	nodes := *p.shared.nodes
	for i := int32(0); int(i) < len(nodes); {
		if n := &nodes[i]; visit(n.node) {
			i++
		} else {
			i = n.next
		}
	}
}

// Function returns the function that a node stands in: the module's own top
// level if no other. Class returns the class whose method that is, or nil.
func (p *SourcePass) Function(n Node) *project.Function {
	return p.Module.FunctionAt(n.Bounds().Start)
}

// Class returns the class whose method or body a node stands in, or nil.
func (p *SourcePass) Class(n Node) *project.Class {
	return p.Module.ClassAt(n.Bounds().Start)
}

// Classes returns the classes of this module that derive, over any number of
// files, from one of the names, a library's: torch.utils.data.Dataset.
func (p *SourcePass) Classes(names ...string) []*project.Class {
	var list []*project.Class
	for _, c := range p.Module.Classes {
		if c.Derives(names...) {
			list = append(list, c)
		}
	}
	return list
}
