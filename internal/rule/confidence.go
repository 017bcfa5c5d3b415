package rule

import "saturate/internal/project"

// Levels of confidence under the names that rules use.
const (
	nearlyCertain = project.NearlyCertain
	likely        = project.Likely
	probable      = project.Probable
	plausible     = project.Plausible
	perhaps       = project.Perhaps
)

// runsOnGPU reports whether this module, or one that is linked with it, says that its code
// runs on a GPU. Another module of the project is not enough.
func (p *SourcePass) runsOnGPU() bool { return p.GPU() > project.GPUElsewhere }
