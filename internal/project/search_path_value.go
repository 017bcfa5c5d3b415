package project

import (
	"path"
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// Programs put folders on Python's search path whose place they compute from their own: os.path.join(dirname(__file__), "..",
// "lib"), Path(__file__).parent. Many do so in a function, add_path(folder), or in a module of its own that others import.

// findAddedFolders finds the folders that a module puts on the search path, as far as the source shows them.
func (m *Module) findAddedFolders() {
	if len(m.Sites) == 0 || !m.Says("sys.path") {
		return
	}
	own := path.Dir(slashed(m.Path))
	for _, s := range m.Sites {
		if i := addsToPath(s); i >= 0 && i < len(s.Node.Args) {
			at, from := m.pathValue(s.Node.Args[i], 0)
			switch {
			case from == ofFile:
				m.onPath = append(m.onPath, at)
			case from == asWritten && at != "" && !path.IsAbs(at): // relative to where the program is started
				m.onPath = append(m.onPath, path.Join(own, at), path.Clean(at))
			}
		}
	}
}

// addsToPath is the argument of a call that is put on the search path: of sys.path.append(folder), or of a function of the
// module that does so with what it is given. It is -1 for other calls.
func addsToPath(s *Site) int {
	switch pysrc.DottedName(s.Node.Func) {
	case "sys.path.append", "sys.path.insert", "path.append", "path.insert":
		return len(s.Node.Args) - 1
	}
	name, ok := s.Node.Func.(*pysrc.Name)
	if !ok {
		return -1
	}
	b := s.Module().Scope.last(name.ID)
	if b == nil || b.Kind != Defined || b.func_.Params() == nil {
		return -1
	}
	for _, inner := range b.func_.Sites {
		if i := len(inner.Node.Args) - 1; i >= 0 && strings.HasPrefix(pysrc.DottedName(inner.Node.Func), "sys.path.") {
			if given, ok := inner.Node.Args[i].(*pysrc.Name); ok {
				return b.func_.position(given.ID)
			}
		}
	}
	return -1
}

// pathOrigin tells what a path is relative to.
type pathOrigin uint8

const (
	nowhere   pathOrigin = iota // not known
	asWritten                   // a text of the source
	ofFile                      // the project: it was computed from the module's own path
)

// pathValue is the path that an expression of a module gives.
func (m *Module) pathValue(x pysrc.Expr, depth int) (at string, from pathOrigin) {
	if depth > 8 {
		return "", nowhere
	}
	of := func(x pysrc.Expr) (string, pathOrigin) { return m.pathValue(x, depth+1) }
	switch x := x.(type) {
	case *pysrc.Constant:
		if text, ok := pysrc.StringValue(x); ok {
			return text, asWritten
		}
	case *pysrc.Name:
		if x.ID == "__file__" {
			return slashed(m.Path), ofFile
		}
		if b := m.Scope.last(x.ID); b != nil && b.Kind == Assigned && b.prior == nil && b.path == 0 && b.Value != nil {
			return of(b.Value)
		}
	case *pysrc.BinOp:
		left, from := of(x.Left)
		right, text := of(x.Right)
		switch {
		case from == nowhere || text != asWritten:
		case x.Op == pysrc.Div:
			return path.Join(left, right), from
		case x.Op == pysrc.Add:
			return path.Clean(left + right), from
		}
	case *pysrc.Attribute:
		if x.Attr == "parent" {
			return folderAbove(of(x.Value))
		}
	case *pysrc.Subscript:
		if a, ok := x.Value.(*pysrc.Attribute); ok && a.Attr == "parents" {
			if up, ok := pysrc.IntValue(x.Slice); ok && up >= 0 && up < 8 {
				at, from = of(a.Value)
				for range up + 1 {
					at, from = folderAbove(at, from)
				}
				return at, from
			}
		}
	case *pysrc.Call:
		return m.pathCalled(x, of)
	}
	return "", nowhere
}

// folderAbove is the folder that holds a path.
func folderAbove(at string, from pathOrigin) (string, pathOrigin) {
	if from == nowhere {
		return "", nowhere
	}
	return path.Dir(at), from
}

// pathCalled is the path that a call gives.
func (m *Module) pathCalled(x *pysrc.Call, of func(pysrc.Expr) (string, pathOrigin)) (string, pathOrigin) {
	a, method := x.Func.(*pysrc.Attribute)
	switch name := lastName(x.Func); {
	case len(x.Args) == 0 && method && (name == "resolve" || name == "absolute" || name == "as_posix"):
		return of(a.Value)
	case len(x.Args) == 1 && name == "dirname":
		return folderAbove(of(x.Args[0]))
	case len(x.Args) == 1 && slices.Contains([]string{"abspath", "realpath", "normpath", "str", "Path", "expanduser", "fspath"}, name):
		return of(x.Args[0])
	case len(x.Args) > 1 && (name == "join" || name == "Path"):
		at, from := of(x.Args[0])
		for _, part := range x.Args[1:] {
			text, written := of(part)
			if written != asWritten {
				return "", nowhere
			}
			at = path.Join(at, text)
		}
		return at, from
	}
	return "", nowhere
}
