package project

import (
	"slices"
	"strings"
)

// Programs of OpenMMLab train by a runner of a library, which calls the train_step of a model in each step; what a detector or a
// head does in it stands in methods that its base calls.

// runnerSteps are the methods that such a runner calls in every step, itself or by a base of the library.
var runnerSteps = []string{"train_step", "forward_train", "loss"}

// StartsRunner reports a call that trains with a runner of mmcv or mmengine: runner.run(loaders, workflow), train_detector(model,
// datasets, config).
func (s *Site) StartsRunner() bool {
	library, rest, _ := strings.Cut(s.Calls.Name, ".")
	if !strings.HasPrefix(library, "mm") {
		return false
	}
	if library == "mmcv" || library == "mmengine" {
		return strings.HasPrefix(rest, "runner.") && (s.Method() == "run" || s.Method() == "train")
	}
	return strings.HasPrefix(rest, "apis.train_")
}

// startsRunners reports a project that trains with such a runner.
func (p *Project) startsRunners() bool {
	return slices.ContainsFunc(p.Modules, func(m *Module) bool { return m.Role != Test && slices.ContainsFunc(m.Sites, (*Site).StartsRunner) })
}

// ofRunner reports a model, or a part of one, that a runner's step may call.
func (c *Class) ofRunner() bool { return c.Derives("torch.nn.Module") && c.Module.Role != Test }
