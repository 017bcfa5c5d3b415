package project

// Reads reports whether the project's Python reads the file that holds a setting.
func (p *Project) Reads(s *Setting) bool { return p.settingsRead()[s.File] }

// findRead are the settings files that calls such as yaml.safe_load read.
func (p *Project) findRead() map[*Settings]bool {
	read := map[*Settings]bool{}
	e := p.NewEval()
	for _, m := range p.Modules {
		for _, site := range m.Sites {
			if isLoaded(site.Calls.Name + "()") {
				e.steps = mostSteps
				for _, path := range e.pathsIn(site) {
					if file := p.settingsAt(m, path); file != nil {
						read[file] = true
					}
				}
			}
		}
	}
	return read
}
