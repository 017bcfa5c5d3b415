package project

// Imported lists the project's modules that a module imports from.
func (p *Project) Imported(m *Module) []*Module { return p.importedModules(m) }
