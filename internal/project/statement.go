package project

import (
	"bytes"
	"sort"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// StatementAt returns the innermost statement that holds the offset, or nil.
func (m *Module) StatementAt(at int32) pysrc.Stmt {
	found, _ := m.statementAt(at)
	return found
}

// StatementsAfter returns what follows the innermost statement that holds the offset in its block.
func (m *Module) StatementsAfter(at int32) []pysrc.Stmt {
	_, after := m.statementAt(at)
	return after
}

func (m *Module) statementAt(at int32) (found pysrc.Stmt, after []pysrc.Stmt) {
	body := m.File.Module.Body
	for body != nil {
		i := sort.Search(len(body), func(i int) bool { return startOf(body[i]) > at }) - 1
		if i < 0 || at >= body[i].Bounds().End {
			break
		}
		found, after = body[i], body[i+1:]
		body = bodyAt(found, at)
	}
	return found, after
}

// bodyAt is the list of statements inside a statement that holds the offset, or nil.
func bodyAt(s pysrc.Stmt, at int32) (body []pysrc.Stmt) {
	eachBody(s, func(part []pysrc.Stmt) {
		if len(part) > 0 && startOf(part[0]) <= at && at < part[len(part)-1].Bounds().End {
			body = part
		}
	})
	return body
}

// eachBody visits the lists of statements inside a statement.
func eachBody(s pysrc.Stmt, visit func([]pysrc.Stmt)) {
	switch s := s.(type) {
	case *pysrc.FunctionDef:
		visit(s.Body)
	case *pysrc.ClassDef:
		visit(s.Body)
	case *pysrc.For:
		visit(s.Body)
		visit(s.Orelse)
	case *pysrc.While:
		visit(s.Body)
		visit(s.Orelse)
	case *pysrc.If:
		visit(s.Body)
		visit(s.Orelse)
	case *pysrc.With:
		visit(s.Body)
	case *pysrc.Try:
		visit(s.Body)
		for _, h := range s.Handlers {
			visit(h.Body)
		}
		visit(s.Orelse)
		visit(s.Finalbody)
	case *pysrc.Match:
		for _, c := range s.Cases {
			visit(c.Body)
		}
	case *pysrc.BadStmt:
		visit(s.Body)
	}
}

// Simple reports a statement that holds no others.
func (m *Module) Simple(s pysrc.Stmt) bool { return isSimple(s) }

func isSimple(s pysrc.Stmt) bool {
	simple := true
	eachBody(s, func([]pysrc.Stmt) { simple = false })
	return simple
}

// Newline is what ends the lines of the file.
func (s *Source) Newline() string {
	if i := bytes.IndexByte(s.Text, '\n'); i > 0 && s.Text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// LineBefore gives the edit that writes a line before the statement that holds
// the node, indented as the statement is. Where the statement shares its line
// with another there is no such edit.
func (m *Module) LineBefore(n interface{ Bounds() pysrc.Span }, line string) patch.Edit {
	s := m.StatementAt(n.Bounds().Start)
	if s == nil {
		return patch.Edit{}
	}
	start := startOf(s)
	indent, alone := lineIndent(m.Text, start)
	if !alone {
		return patch.Edit{}
	}
	return m.Edit(pysrc.Span{Start: start, End: start}, line+m.Newline()+indent)
}

// LineAfter gives the edit that writes a line after the statement that holds the node.
func (m *Module) LineAfter(n interface{ Bounds() pysrc.Span }, line string) patch.Edit {
	s := m.StatementAt(n.Bounds().Start)
	if s == nil {
		return patch.Edit{}
	}
	indent, alone := lineIndent(m.Text, startOf(s))
	end, clean := m.lineEnd(s.Bounds().End)
	if !alone || !clean {
		return patch.Edit{}
	}
	return m.Edit(pysrc.Span{Start: end, End: end}, m.Newline()+indent+line)
}

// lineEnd is the end of the line, and whether only a comment stands before it.
func (m *Module) lineEnd(at int32) (int32, bool) {
	clean := true
	for int(at) < len(m.Text) && m.Text[at] != '\n' && m.Text[at] != '\r' {
		switch c := m.Text[at]; {
		case c == '#':
			for int(at) < len(m.Text) && m.Text[at] != '\n' && m.Text[at] != '\r' {
				at++
			}
			return at, clean
		case c != ' ' && c != '\t':
			clean = false
		}
		at++
	}
	return at, clean
}

// RemoveStatement gives the edit that removes the statement that holds the
// node: its whole line when it stands alone on it, and pass in its place where
// its block would be left empty.
func (m *Module) RemoveStatement(n interface{ Bounds() pysrc.Span }) patch.Edit {
	s := m.StatementAt(n.Bounds().Start)
	if s == nil {
		return patch.Edit{}
	}
	span := pysrc.Span{Start: startOf(s), End: s.Bounds().End}
	if len(m.siblings(s)) == 1 {
		return m.Edit(span, "pass")
	}
	_, alone := lineIndent(m.Text, span.Start)
	end, clean := m.lineEnd(span.End)
	if !alone || !clean {
		return m.Edit(span, "pass")
	}
	for span.Start > 0 && m.Text[span.Start-1] != '\n' {
		span.Start--
	}
	for int(end) < len(m.Text) && (m.Text[end] == '\r' || m.Text[end] == '\n') {
		end++
		if m.Text[end-1] == '\n' {
			break
		}
	}
	if blank(m.Line(m.LineAt(span.Start)-1)) && m.LineAt(end) < m.Lines() && blank(m.Line(m.LineAt(end))) &&
		m.LineAt(span.Start) > 1 {
		end = m.lines[m.LineAt(end)] // it stood between two blank lines: one is enough
	}
	return m.Edit(pysrc.Span{Start: span.Start, End: end}, "")
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

// siblings are the statements of the list that a statement stands in.
func (m *Module) siblings(s pysrc.Stmt) []pysrc.Stmt {
	at := startOf(s)
	body := m.File.Module.Body
	for {
		i := sort.Search(len(body), func(i int) bool { return startOf(body[i]) > at }) - 1
		if i < 0 || body[i] == s {
			return body
		}
		next := bodyAt(body[i], at)
		if next == nil {
			return body
		}
		body = next
	}
}

// ImportOf makes a library's name usable in the module: it gives the
// expression to write for it and the edits that add an import, none when the
// module has one already at its top level.
func (m *Module) ImportOf(name string) (string, []patch.Edit) {
	root, _, _ := strings.Cut(name, ".")
	best := ""
	for _, b := range m.Scope.all() {
		alias, ok := b.Node.(*pysrc.Alias)
		if !ok || b.Block != 0 {
			continue
		}
		full := alias.Name
		if b.from != nil {
			if b.from.Level > 0 {
				continue
			}
			full = b.from.Module + "." + alias.Name
		} else if alias.Asname == "" {
			full = b.Name // import a.b binds a
		}
		if full == name {
			return b.Name, nil
		}
		if rest, ok := strings.CutPrefix(name, full+"."); ok && (b.from != nil || alias.Asname != "" || full == root) {
			if e := b.Name + "." + rest; best == "" || len(e) < len(best) || len(e) == len(best) && e < best {
				best = e
			}
		}
	}
	if best != "" {
		return best, nil
	}
	if root == "torchao" || root == "saturate_gpu" {
		root = name[:strings.LastIndexByte(name, '.')] // the package alone need not load its parts
	}
	return name, []patch.Edit{m.addImport(root)}
}

// ImportOwn gives the edits that import a module of the project itself, none when it is imported
// already: behind all libraries.
func (m *Module) ImportOwn(module string) []patch.Edit {
	_, edits := m.ImportOf(module)
	last := pysrc.Stmt(nil)
	for _, s := range m.File.Module.Body {
		switch s.(type) {
		case *pysrc.Import, *pysrc.ImportFrom:
			last = s
		}
	}
	if len(edits) == 0 || last == nil {
		return edits
	}
	return []patch.Edit{m.LineAfter(last, "import "+module)}
}

// addImport writes an import line among the plain imports that open the module,
// in the order of their names; or after the last import of another kind, or
// before the first statement behind the documentation.
func (m *Module) addImport(module string) patch.Edit {
	body := m.File.Module.Body
	if _, isDoc := pysrc.Docstring(body); isDoc {
		body = body[1:]
	}
	var last, plain pysrc.Stmt
	for _, s := range body {
		one, isPlain := s.(*pysrc.Import)
		if _, from := s.(*pysrc.ImportFrom); !isPlain && !from {
			break
		}
		// of the first run of them
		if isPlain && (plain == nil || plain == last && m.LineAt(s.Bounds().Start) == m.LineAt(plain.Bounds().End)+1) {
			if one.Names[0].Name > module {
				return m.LineBefore(s, "import "+module)
			}
			plain = s
		}
		last = s
	}
	switch {
	case plain != nil:
		return m.LineAfter(plain, "import "+module)
	case last != nil:
		return m.LineAfter(last, "import "+module)
	case len(body) > 0:
		return m.LineBefore(body[0], "import "+module)
	}
	return m.Edit(pysrc.Span{}, "import "+module+m.Newline())
}
