package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// writtenBySample reports whether the file that a call loads may be written by what is done for the same sample: a tool
// that was started, or another call that is given the same place. Then it has the same name and another content for
// every sample.
func (p *SourcePass) writtenBySample(path project.Path, load Call) bool {
	place := placeOf(load.Node)
	if place == nil {
		return false
	}
	text := p.Text(place)
	value := ""
	if s, ok := place.(*pysrc.Constant); ok && s.Kind == pysrc.Str {
		value = s.Value
	}
	for fn := range sampleCode(path) {
		for _, s := range fn.Sites {
			switch name := s.Name(); {
			case s.Node == load.Node || within(s.Node, load.Node) || within(load.Node, s.Node):
			case isProgram(name):
				return true
			case leavesFile(name) && !opensToWrite(s):
			case s.Module() == p.Module && p.gives(s.Node, text), value != "" && saysName(s.Node, value):
				return true
			}
		}
	}
	return false
}

// placeOf is the expression of the file that a call loads.
func placeOf(load *pysrc.Call) pysrc.Expr {
	all := argumentsOf(load)
	if len(all) == 0 {
		return nil
	}
	if opened, ok := all[0].(*pysrc.Call); ok && lastName(opened.Func) == "open" && len(opened.Args) > 0 {
		return opened.Args[0]
	}
	return all[0]
}

// sampleCode is the functions of the project that run for a sample: those on the way to a place, and what they call.
func sampleCode(path project.Path) map[*project.Function]bool {
	seen := map[*project.Function]bool{}
	var visit func(fn *project.Function)
	visit = func(fn *project.Function) {
		if fn == nil || seen[fn] {
			return
		}
		seen[fn] = true
		for _, s := range fn.Sites {
			s.EachPossible(func(v *project.Value) { visit(v.Func) })
		}
	}
	visit(path.Root)
	for _, s := range path.Calls {
		visit(s.Func)
		s.EachPossible(func(v *project.Value) { visit(v.Func) })
	}
	return seen
}

func within(inner, outer *pysrc.Call) bool {
	return inner != outer && inner.Start >= outer.Start && inner.End <= outer.End
}

// isProgram reports a call that runs a program: what that writes cannot be read from the source.
func isProgram(name string) bool {
	first, _, _ := strings.Cut(name, ".")
	return first == "subprocess" || first == "ffmpeg" || first == "sox" || name == "os.system" || name == "os.popen" || strings.HasPrefix(name, "os.spawn") || strings.HasPrefix(name, "asyncio.create_subprocess")
}

// leavesFile reports calls that are given a file's place without writing to it.
func leavesFile(name string) bool {
	if strings.HasPrefix(name, "os.path.") || strings.HasPrefix(name, "logging.") || strings.HasSuffix(name, ".from_pretrained") {
		return true
	}
	switch name {
	case "open", "print", "str", "len", "hash", "isinstance", "pathlib.Path", "os.stat", "os.listdir":
		return true
	}
	for _, l := range loaders {
		if l == name {
			return true
		}
	}
	return false
}

// opensToWrite reports open(path, "w") and its like.
func opensToWrite(s *project.Site) bool {
	if s.Name() != "open" {
		return false
	}
	mode, ok := s.ArgumentNode("mode", 1).(*pysrc.Constant)
	return s.ArgumentNode("mode", 1) != nil && (!ok || strings.ContainsAny(mode.Value, "wax+"))
}

// gives reports a call that is given an expression, or is a method of it.
func (p *SourcePass) gives(c *pysrc.Call, text string) bool {
	parts := argumentsOf(c)
	if a, ok := c.Func.(*pysrc.Attribute); ok {
		parts = append(parts, a.Value)
	}
	found := false
	for _, part := range parts {
		pysrc.Inspect(part, func(n pysrc.Node) bool {
			if e, ok := n.(pysrc.Expr); ok && p.Text(e) == text {
				found = true
			}
			return !found
		})
	}
	return found
}

// saysName reports a call with a text that holds a file's name.
func saysName(c *pysrc.Call, value string) bool {
	found := false
	for _, part := range argumentsOf(c) {
		pysrc.Inspect(part, func(n pysrc.Node) bool {
			if s, ok := n.(*pysrc.Constant); ok && s.Kind == pysrc.Str && strings.Contains(s.Value, value) {
				found = true
			}
			return !found
		})
	}
	return found
}
