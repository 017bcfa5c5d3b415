package offline

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

const helper = "saturate_offline"

// render writes the cuts down: as edits of the user's files, a helper, a script and what to say about them.
func (w *work) render(cuts []*cut) (Repair, error) {
	sort.SliceStable(cuts, func(i, j int) bool { // outer ones first: their text goes around that of the inner ones
		a, b := cuts[i].span(), cuts[j].span()
		return cuts[i].module().Path < cuts[j].module().Path || cuts[i].module() == cuts[j].module() && (a.Start < b.Start || a.Start == b.Start && a.End > b.End)
	})
	places := name(cuts)
	edits := map[*project.Module]*edited{}
	of := func(m *project.Module) *edited {
		if edits[m] == nil {
			edits[m] = &edited{module: m}
		}
		return edits[m]
	}
	var draws []draw
	for i, c := range cuts {
		e := of(c.module())
		for _, d := range c.draws {
			if slices.ContainsFunc(draws, func(o draw) bool { return o.expr == d.expr }) {
				continue
			}
			draws = append(draws, d)
			if !d.hoisted {
				of(d.fn.Module).around(d.expr.Bounds(), helper+".drawn(lambda: ", ", "+d.options+")")
				continue
			}
			variable := fmt.Sprintf("drawn_%d", len(draws))
			line := fmt.Sprintf("%s = %s.drawn(lambda: %s, %s)", variable, helper, text(d.fn.Module, d.expr), d.options)
			if !e.lineBefore(d.expr, line) {
				return Repair{}, fmt.Errorf("no line can be inserted before %s", short(d.fn.Module, d.expr))
			}
			e.replace(d.expr.Bounds(), variable)
			c.inputs = append(c.inputs, variable)
		}
		if err := e.keep(c, places[i]); err != nil {
			return Repair{}, err
		}
	}
	r := Repair{Title: title(cuts), Once: once(cuts), Patch: patch.Patch{Title: title(cuts), Safety: patch.Unsafe}}
	r.Mel = slices.ContainsFunc(cuts, (*cut).whisper)
	roots := map[string]bool{}
	for _, m := range w.project.Modules {
		e := edits[m]
		if e == nil {
			continue
		}
		list, err := e.finish()
		if err != nil {
			return Repair{}, err
		}
		r.Patch.Edits = append(r.Patch.Edits, list...)
		roots[importRoot(m)] = true
	}
	w.describe(&r, cuts, places)
	w.emit(&r, cuts, places, roots)
	return r, nil
}

// name gives each cut the name of its folder.
func name(cuts []*cut) []string {
	count := map[kind]int{}
	var list []string
	for _, c := range cuts {
		count[c.kind]++
		if n := count[c.kind]; n > 1 {
			list = append(list, fmt.Sprintf("%s_%d", c.kind, n))
		} else {
			list = append(list, string(c.kind))
		}
	}
	return list
}

// edited is a module with what is to be written into it.
type edited struct {
	module *project.Module
	before []patch.Edit // at one place these come in order of the cuts, outer first
	after  []patch.Edit // and these in the reverse order
	other  []patch.Edit
}

func (e *edited) around(span pysrc.Span, before, after string) {
	e.before = append(e.before, e.module.Edit(pysrc.Span{Start: span.Start, End: span.Start}, before))
	e.after = append(e.after, e.module.Edit(pysrc.Span{Start: span.End, End: span.End}, after))
}

func (e *edited) replace(span pysrc.Span, text string) {
	e.other = append(e.other, e.module.Edit(span, text))
}

func (e *edited) lineBefore(n pysrc.Node, line string) bool {
	edit := e.module.LineBefore(n, line)
	if edit.Path == "" {
		return false
	}
	e.other = append(e.other, edit)
	return true
}

// keep writes the call of kept() for a cut.
func (e *edited) keep(c *cut, place string) error {
	arguments := strings.Join(c.inputs, ", ")
	if arguments != "" {
		arguments = ", " + arguments
	}
	if len(c.rows) > 0 {
		var list []string
		for _, name := range c.rows {
			list = append(list, fmt.Sprintf("%q: %s", name, name))
		}
		arguments += ", rows={" + strings.Join(list, ", ") + "}"
	}
	if c.rate != "" {
		arguments += ", rate=" + c.rate
	}
	if c.copy {
		arguments += ", copy=True"
	}
	if c.folder {
		e.around(c.expr.Bounds(), fmt.Sprintf("%s.folder(%q, ", helper, place), ")")
		return nil
	}
	if c.applies != nil {
		transform := text(c.module(), c.applies.Func)
		e.around(c.expr.Bounds(), fmt.Sprintf("%s.kept(%q, lambda: %s.first(%s, ", helper, place, helper, transform),
			fmt.Sprintf(")%s, %s.leading(%s))", arguments, helper, transform))
		e.around(c.applies.Func.Bounds(), helper+".rest(", ")")
		return nil
	}
	if c.region == nil {
		parameters := strings.Join(c.rows, ", ")
		if parameters != "" {
			parameters = " " + parameters
		}
		e.around(c.expr.Bounds(), fmt.Sprintf("%s.kept(%q, lambda%s: ", helper, place, parameters), arguments+")")
		return nil
	}
	return e.keepRegion(c, place, arguments)
}

// keepRegion makes a function of statements: a line before, each of their lines deeper, and the call behind.
func (e *edited) keepRegion(c *cut, place, arguments string) error {
	m, r := e.module, c.region
	span := r.span()
	indent, alone := indentOf(m.Text, span.Start)
	if !alone {
		return fmt.Errorf("%s: the statements to cache share a line with others", m.Path)
	}
	unit := unitOf(m, c.fn)
	newline := "\n"
	if strings.Contains(string(m.Text), "\r\n") {
		newline = "\r\n"
	}
	function := "make_" + place
	for localNames(c.fn)[function] {
		function += "_"
	}
	params := slices.Clone(c.rows)
	for _, p := range r.params {
		if !slices.Contains(c.rows, p) {
			params = append(params, p+"="+p)
		}
	}
	head := fmt.Sprintf("%s%sdef %s(%s):%s%s", newline, indent, function, strings.Join(params, ", "), newline, unit)
	if blankBefore(m.Text, span.Start-int32(len(indent))) {
		head = strings.TrimPrefix(head, newline)
	}
	call := fmt.Sprintf("%s.kept(%q, %s%s)", helper, place, function, arguments)
	tail := newline + newline + indent
	switch last := r.list[r.last].(type) {
	case *pysrc.Return:
		tail += "return " + call
	case *pysrc.Assign:
		if name, ok := last.Targets[0].(*pysrc.Name); ok && len(last.Targets) == 1 && len(r.outputs) == 1 && r.outputs[0] == name.ID {
			e.replace(pysrc.Span{Start: last.Start, End: last.Value.Bounds().Start}, "return ")
			tail += name.ID + " = " + call
			break
		}
		tail = newline + indent + unit + "return " + strings.Join(r.outputs, ", ") + tail + strings.Join(r.outputs,
			", ") + " = " + call
	default:
		tail = newline + indent + unit + "return " + strings.Join(r.outputs, ", ") + tail + strings.Join(r.outputs,
			", ") + " = " + call
	}
	if parens := parenthesised(m, r); parens {
		return fmt.Errorf("%s: a parenthesized value cannot be moved", m.Path)
	}
	e.around(pysrc.Span{Start: span.Start - int32(len(indent)), End: span.End}, head, tail)
	for _, at := range lineStarts(m, r) {
		e.before = append(e.before, m.Edit(pysrc.Span{Start: at, End: at}, unit))
	}
	return nil
}

// blankBefore reports whether the line before the one that starts there is empty, or opens a block.
func blankBefore(src []byte, start int32) bool {
	before := strings.TrimRight(string(src[:start]), " \t\r")
	before = strings.TrimSuffix(before, "\n")
	last := strings.TrimSpace(before[strings.LastIndexByte(before, '\n')+1:])
	return last == "" || strings.HasSuffix(last, ":")
}

// parenthesized reports a last statement whose value starts before the tree says so: x = (f(y)).
func parenthesised(m *project.Module, r *region) bool {
	a, ok := r.list[r.last].(*pysrc.Assign)
	if !ok || len(r.outputs) != 1 {
		return false
	}
	between := string(m.Text[a.Targets[len(a.Targets)-1].Bounds().End:a.Value.Bounds().Start])
	return strings.Contains(between, "(")
}

// lineStarts are the lines of a region that go deeper: all but the first, and none within a string.
func lineStarts(m *project.Module, r *region) []int32 {
	var strings []pysrc.Span
	for _, s := range r.statements() {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch n := n.(type) {
			case *pysrc.JoinedStr:
				strings = append(strings, n.Span)
			case *pysrc.Constant:
				if n.Kind == pysrc.Str || n.Kind == pysrc.Bytes {
					strings = append(strings, n.Span)
				}
			}
			return true
		})
	}
	var list []int32
	span := r.span()
	for at := span.Start; at < span.End; at++ {
		if m.Text[at] != '\n' || at+1 >= span.End || m.Text[at+1] == '\n' || m.Text[at+1] == '\r' {
			continue
		}
		if !slices.ContainsFunc(strings, func(s pysrc.Span) bool { return s.Start <= at && at < s.End }) {
			list = append(list, at+1)
		}
	}
	return list
}

// indentOf is what stands before an offset on its line, and whether that is only space.
func indentOf(src []byte, at int32) (string, bool) {
	start := at
	for start > 0 && src[start-1] != '\n' {
		start--
	}
	indent := string(src[start:at])
	return indent, strings.Trim(indent, " \t") == ""
}

// unitOf is by how much the body of a function is indented.
func unitOf(m *project.Module, fn *project.Function) string {
	outer, _ := indentOf(m.Text, fn.Def.Start)
	inner, alone := indentOf(m.Text, fn.Def.Body[0].Bounds().Start)
	if unit := strings.TrimPrefix(inner, outer); alone && unit != "" && unit != inner || alone && outer == "" && inner != "" {
		return unit
	}
	return "    "
}

// finish adds the import and makes sure that Python still understands the file.
func (e *edited) finish() ([]patch.Edit, error) {
	imports := e.module.ImportOwn(helper)
	list := append(slices.Clone(imports), e.other...)
	list = append(list, e.before...)
	for _, edit := range slices.Backward(e.after) {
		list = append(list, edit)
	}
	fresh, err := patch.Edits(e.module.Text, list)
	if err != nil {
		return nil, err
	}
	if problem := pysrc.Parse(e.module.Path, fresh).Err(); problem != nil && e.module.File.Err() == nil {
		return nil, fmt.Errorf("%s would no longer parse: %v", e.module.Path, problem)
	}
	return list, nil
}
