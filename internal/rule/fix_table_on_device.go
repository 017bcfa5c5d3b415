package rule

import "saturate/internal/pysrc"

// longSchedule is how many more computations a schedule of noise takes than what a model keeps otherwise.
const longSchedule = 8

// moveTableOnce repairs a table of an object that stays on the host, so that each step copies the indexes there and the rows
// back:
//
//	rows = self.table[t.cpu()].to(t.device)
//
// The first step moves the table to the GPU, which then looks the rows up itself.
func (p *SourcePass) moveTableOnce(r *Report, read Call) {
	if read.Method() != "cpu" || len(read.Node.Args) > 0 || !isName(read.Receiver()) {
		return
	}
	var rows *pysrc.Subscript
	var back *pysrc.Call
	statement := p.Module.StatementAt(read.Node.Start)
	pysrc.Inspect(statement, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Call:
			if of, method, _ := calledOn(n); method == "to" {
				if part, ok := of.(*pysrc.Subscript); ok && part.Slice == pysrc.Expr(read.Node) {
					rows, back = part, n
				}
			}
		}
		return back == nil
	})
	if back == nil || len(back.Args) != 1 || len(back.Keywords) > 0 {
		return
	}
	table, ok := rows.Value.(*pysrc.Attribute)
	device := p.Text(read.Receiver()) + ".device"
	if !ok || p.Text(back.Args[0]) != device || !p.heldOnHost(table, -longSchedule) || p.readBeside(table) {
		return
	}
	if s, ok := statement.(*pysrc.Assign); !ok || s.Span.Start != statement.Bounds().Start {
		return
	}
	name, index := p.Text(table), p.Text(read.Receiver())
	r.Fix(Safe, "move the table to the GPU once", p.LineBefore(statement, name+" = "+name+".to("+device+")"), p.Replace(back, name+"["+index+"]"))
}

// readBeside reports a field that something but this expression and the making of its object reads, and would find on the GPU.
func (p *SourcePass) readBeside(field *pysrc.Attribute) bool {
	class := p.Class(field)
	for _, m := range p.Project.Modules {
		if !m.Says(field.Attr) {
			continue
		}
		there, found := p.In(m), false
		there.Inspect(m.File.Module, func(n pysrc.Node) bool {
			a, ok := n.(*pysrc.Attribute)
			if ok && a.Attr == field.Attr && a != field && a.Ctx == pysrc.Load {
				fn := there.Function(a)
				found = found || fn.Class != class || fn.BaseName() != "__init__"
			}
			return !found
		})
		if found {
			return true
		}
	}
	return false
}
