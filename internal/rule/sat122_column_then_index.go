package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// columnThenIndex finds whole columns that are read for one of their values.
var columnThenIndex = Rule{
	Code: "SAT122", Name: "column-then-index", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "a whole column is read for one value",
	What: "data[\"audio\"][i] or len(data[\"audio\"]) on a dataset of the datasets library, in a project that " +
		"requires a version before 4.0.",
	Why: "data[\"audio\"] builds a list of the whole column first: every file is decoded to get one of them, and in a " +
		"loop again in every iteration. Since datasets 4.0, columns are lazy.",
	Fine:   "datasets 4.0 and later. Columns with a few rows.",
	Bad:    "clip = data[\"audio\"][0]",
	Good:   "clip = data[0][\"audio\"]",
	Safety: Safe,
	Source: func(p *SourcePass) {
		if !p.Imports("datasets") || p.AtLeast("datasets", "4.0") != project.No ||
			p.Module.Says("pandas") {
			return
		}
		for _, s := range p.Module.Subscripts {
			column, ok := s.Value.(*pysrc.Subscript)
			if !ok || !p.isColumn(column) || !isPosition(s.Slice) || s.Ctx != pysrc.Load {
				continue
			}
			r := p.Report(s, project.Likely).Fix(Safe, "read the row first, then the column",
				p.Replace(s, p.Text(column.Value)+"["+p.Text(s.Slice)+"]["+p.Text(column.Slice)+"]"))
			p.weighColumn(r, column)
		}
		for _, c := range p.CallsTo("len") {
			if column, ok := firstArg(c.Node).(*pysrc.Subscript); ok && p.isColumn(column) {
				r := p.Report(c, project.Likely).Saying("a whole column is read to count its rows").
					Fix(Safe, "count the rows of the dataset", p.Replace(column, p.Text(column.Value)))
				p.weighColumn(r, column)
			}
		}
	},
}

// weighColumn lowers the severity of one read of plain values, which is a list to be built and no files to decode.
func (p *SourcePass) weighColumn(r *Report, column *pysrc.Subscript) {
	name, _ := pysrc.StringValue(column.Slice)
	if p.LoopAround(column) == nil && !project.HasWord(name, mediaWords...) {
		r.At(Advice)
	}
}

// isColumn reports data["name"] of a dataset that the datasets library made, and no split of one.
func (p *SourcePass) isColumn(s *pysrc.Subscript) bool {
	name, ok := pysrc.StringValue(s.Slice)
	if !ok || isSplit(name) {
		return false
	}
	of := s.Value
	if project.HasWord(lastName(of), "row", "batch", "example", "sample", "item", "df") {
		return false
	}
	if split, ok := of.(*pysrc.Subscript); ok {
		name, text := pysrc.StringValue(split.Slice)
		if !text || !isSplit(name) {
			return false // a row, or a slice of rows
		}
		of = split.Value
	} else if v := p.Eval(of); v.Made == nil || (Call{v.Made, p}).Arg("split").Missing() {
		return false // may be a dictionary of splits, or a row
	}
	v := p.Eval(of)
	return v.IsInstance("datasets.Dataset") && v.Made != nil && strings.HasPrefix(v.Made.Name(), "datasets.load_") &&
		!(Call{v.Made, p}).Arg("streaming").Given()
}

func isSplit(name string) bool {
	return project.HasWord(name, splitWords...)
}

// isPosition reports an index that is one number: 0, -1, i, i + 1.
func isPosition(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Constant:
		_, number := pysrc.IntValue(x)
		return number
	case *pysrc.UnaryOp:
		return isPosition(x.Operand)
	case *pysrc.Name:
		return project.HasWord(x.ID, indexWords...)
	}
	return false
}
