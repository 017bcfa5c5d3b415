package project

import (
	"path"

	"saturate/internal/pysrc"
)

// addedFolder finds the module that an import names in the folders that a module puts on Python's search path with a text:
// sys.path.append("core"), sys.path.insert(0, "../lib"). The text is relative to where the program is started: in the
// project's folder, or beside the module.
func (p *Project) addedFolder(m *Module, dotted string) place {
	if len(m.Sites) == 0 || !m.Says("sys.path") {
		return place{}
	}
	own := path.Dir(slashed(m.Path))
	for _, s := range m.Sites {
		name := pysrc.DottedName(s.Node.Func)
		if name != "sys.path.append" && name != "sys.path.insert" || len(s.Node.Args) == 0 {
			continue
		}
		text, ok := pysrc.StringValue(s.Node.Args[len(s.Node.Args)-1])
		if !ok || text == "" || path.IsAbs(text) {
			continue
		}
		for _, root := range [...]string{own, "."} {
			if at := p.inFolder(path.Join(root, text), dotted); at.module != nil && at.module != m {
				return at
			}
		}
	}
	return place{}
}
