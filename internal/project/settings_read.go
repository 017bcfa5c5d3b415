package project

import "saturate/internal/pysrc"

// Reads reports whether the project's Python reads the file that holds a setting.
func (p *Project) Reads(s *Setting) bool {
	_, read := p.settingsRead()[s.File]
	return read
}

// HandsOn reports whether the project's Python reads the file that holds a setting and hands what it says on as a whole, so that a
// library may get it under any key.
func (p *Project) HandsOn(s *Setting) bool { return p.settingsRead()[s.File] }

// findRead are the settings files that calls such as yaml.safe_load read, true for those that are handed on as a whole.
func (p *Project) findRead() map[*Settings]bool {
	read := map[*Settings]bool{}
	e := p.NewEval()
	for _, m := range p.Modules {
		for _, site := range m.Sites {
			if isLoaded(site.Calls.Name + "()") {
				e.steps = mostSteps
				for _, path := range e.pathsIn(site) {
					if file := p.settingsAt(m, path); file != nil {
						read[file] = read[file] || site.handedOn()
					}
				}
			}
		}
	}
	return read
}

// handedOn reports a call whose result is used otherwise than key by key: config = yaml.safe_load(f); Model(**config["model"]).
func (s *Site) handedOn() bool {
	set, ok := s.Module().StatementAt(s.Node.Start).(*pysrc.Assign)
	if !ok || len(set.Targets) != 1 || set.Value != pysrc.Expr(s.Node) {
		return true
	}
	name, ok := set.Targets[0].(*pysrc.Name)
	if !ok {
		return true
	}
	byKey := map[pysrc.Expr]bool{}
	handed := false
	var body pysrc.Node = s.Module().File.Module
	if s.Func.Def != nil {
		body = s.Func.Def
	}
	pysrc.Inspect(body, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Subscript:
			byKey[n.Value] = true
		case *pysrc.Attribute:
			byKey[n.Value] = n.Attr == "get"
		case *pysrc.Name:
			handed = handed || n.ID == name.ID && n.Ctx == pysrc.Load && !byKey[n]
		}
		return !handed
	})
	return handed
}
