package rule

// trained tells whether a training loop or a trainer's hook leads to this
// module: by imports, calls and constructions, over a few files. A forward elsewhere may
// serve inference alone.
func (p *SourcePass) trained() bool { return p.Project.Trained(p.Module) }
