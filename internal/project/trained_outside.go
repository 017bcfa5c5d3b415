package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// Some libraries hold the training loop and call what a project registers: the models, heads and losses of OpenMMLab, the tasks and
// criteria of fairseq. What they call in each step has fixed names.

// stepOfRegistered are the methods of a class that such a library calls in each step.
func stepOfRegistered(c *Class) []string {
	switch {
	case c.Derives("torch.nn.Module") && slices.ContainsFunc(c.Heirs(), isRegisteredInOpenMMLab):
		return []string{"train_step", "forward_train", "loss", "losses", "loss_by_feat"}
	case strings.HasPrefix(c.LibraryBase(), "fairseq.tasks."):
		return []string{"train_step"}
	}
	return nil
}

// isRegisteredInOpenMMLab reports a class under @MODELS.register_module() in a module that imports one of its libraries, or a
// registry of the project: from .builder import HEADS.
func isRegisteredInOpenMMLab(c *Class) bool {
	return slices.ContainsFunc(c.Def.Decorators, func(d pysrc.Expr) bool {
		if call, ok := d.(*pysrc.Call); ok {
			d = call.Func
		}
		a, ok := d.(*pysrc.Attribute)
		return ok && a.Attr == "register_module"
	})
}

// StartsRunner reports a call that trains with a runner of mmcv or mmengine: runner.run(loaders, workflow), train_detector(model,
// datasets, config) of a library.
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

// registersInFairseq reports a module that gives fairseq a model, a criterion or a task, which its own program trains with.
func (m *Module) registersInFairseq() bool {
	return m.imports["fairseq"] && slices.ContainsFunc(m.Classes, func(c *Class) bool {
		return slices.ContainsFunc(c.Def.Decorators, func(d pysrc.Expr) bool {
			call, ok := d.(*pysrc.Call)
			return ok && (lastName(call.Func) == "register_model" || lastName(call.Func) == "register_criterion" || lastName(call.Func) == "register_task")
		})
	})
}
