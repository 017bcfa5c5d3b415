package project

import (
	"path"
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// roleOfPath returns the role of a file as far as its path shows it: nobody trains with files of tests or
// documentation. Whether a module trains or evaluates depends on its code.
func roleOfPath(file string) Role {
	folders, base := pathParts(file)
	if slices.ContainsFunc(folders, ofTestsByName) || strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test") || base == "conftest" || base == "tests" {
		return Test
	}
	return Library
}

// ofTestsByName reports a folder for tests or documentation.
func ofTestsByName(dir string) bool {
	switch dir {
	case "test", "tests", "testing", "unit_tests", "integration_tests", "docs", "doc", "benchmarks", "benchmark":
		return true
	}
	return strings.HasPrefix(dir, "test_")
}

// trainsUnderTestName reports a program that only its file's name calls a test: mnist_test.py, which takes training steps
// and holds none of the functions and classes that test runners look for. A folder's name counts for more, unless nothing
// outside of such folders trains.
func (p *Project) trainsUnderTestName(m *Module, elsewhere bool) bool {
	folders, _ := pathParts(p.relative(m.Path))
	if m.Role != Test || elsewhere && slices.ContainsFunc(folders, ofTestsByName) || m.imports["pytest"] || m.imports["unittest"] {
		return false
	}
	return slices.ContainsFunc(m.Sites, isStep) &&
		!slices.ContainsFunc(m.Functions, func(f *Function) bool { return strings.HasPrefix(f.BaseName(), "test_") }) &&
		!slices.ContainsFunc(m.Classes, func(c *Class) bool { return strings.HasPrefix(c.Name, "Test") })
}

// roleOfSettings is roleOfPath for a settings file. It has no code to examine, so its name decides.
func roleOfSettings(file string) Role {
	folders, base := pathParts(file)
	for _, dir := range folders {
		switch dir {
		case "eval", "evals", "evaluation", "inference", "serving", "deploy", "demo", "demos":
			return Evaluation
		}
	}
	if role := roleOfPath(file); role != Library {
		return role
	}
	if namesEvaluation(base) {
		return Evaluation
	}
	return Library
}

func pathParts(file string) (folders []string, base string) {
	parts := strings.Split(strings.ToLower(slashed(file)), "/")
	last := parts[len(parts)-1]
	return parts[:len(parts)-1], strings.TrimSuffix(last, path.Ext(last))
}

// rolesByPath sets the role of each file as far as its path shows it. A module that a program imports is not a test,
// whatever its name: batch_test.py may hold code that training evaluates with.
func (p *Project) rolesByPath() {
	elsewhere := false
	for _, m := range p.Modules {
		m.Role = roleOfPath(p.relative(m.Path))
		elsewhere = elsewhere || m.Role != Test && slices.ContainsFunc(m.Sites, func(s *Site) bool { return isStep(s) || s.startsTrainer() })
	}
	for _, m := range p.Modules {
		if p.trainsUnderTestName(m, elsewhere || p.isLibrary()) {
			m.Role = Library
		}
	}
	for changed := true; changed; {
		changed = false
		for _, m := range p.Modules {
			if m.Role == Test && slices.ContainsFunc(m.ImportedBy, func(user *Module) bool { return user.Role != Test }) {
				m.Role, changed = Library, true
			}
		}
	}
	for _, s := range p.Settings {
		s.Role = roleOfSettings(p.relative(s.Path))
	}
}

// assignRoles finds the modules that train.
func (p *Project) assignRoles() {
	for _, m := range p.Modules {
		if m.Role != Test && (len(p.loops[m]) > 0 || m.startsTrainer()) {
			m.Role = Training
		}
	}
}

// findEvaluation finds the modules that serve evaluation alone: training does not reach them, and they run a model
// without gradients, or only such modules use them.
func (p *Project) findEvaluation() {
	var queue []*Module
	mark := func(m *Module) {
		m.Role = Evaluation
		queue = append(queue, m)
	}
	for _, m := range p.Modules {
		if m.Role == Library && !p.reachedByTraining(m) && m.infers() {
			mark(m)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, m := range queue[0].Uses {
			if m.Role == Library && !p.reachedByTraining(m) && !slices.ContainsFunc(m.UsedBy, func(user *Module) bool { return user.Role != Evaluation }) {
				mark(m)
			}
		}
	}
}

// reachedByTraining reports whether training calls or imports a module.
func (p *Project) reachedByTraining(m *Module) bool {
	return p.trained[m] || slices.ContainsFunc(m.ImportedBy, p.Trained)
}

// mostApart is how many modules may lie between one that trains and what it trains.
const mostApart = 8

// findTrained finds the modules that training reaches: by calls, over a few files.
func (p *Project) findTrained() {
	p.trained = map[*Module]bool{}
	var queue []*Module
	for _, m := range p.Modules {
		if m.Role == Training || m.Role != Test && (m.hasTrainingHook() || p.hooked[m] || p.startsLoop(m) || m.registersInFairseq()) {
			p.trained[m] = true
			queue = append(queue, m)
		}
	}
	registered := p.registered()
	for depth := 0; depth < mostApart && len(queue) > 0; depth++ {
		var next []*Module
		for _, m := range queue {
			for _, other := range slices.Concat(m.Uses, registered[m]) {
				if !p.trained[other] {
					p.trained[other] = true
					next = append(next, other)
				}
			}
		}
		queue = next
	}
}

// Trained reports whether training reaches a module: it trains itself, or one that
// does calls it over a few files. A forward elsewhere may serve inference alone.
func (p *Project) Trained(m *Module) bool { return p.trained[m] }

// hasTrainingHook reports a class that a trainer calls in every step.
func (m *Module) hasTrainingHook() bool {
	for _, c := range m.Classes {
		for _, name := range [...]string{"training_step", "compute_loss", "compute_objectives", "train_step"} {
			if c.Methods[name] != nil {
				return true
			}
		}
	}
	return false
}

// Starts reports whether a module trains, or calls what does.
func (p *Project) Starts(m *Module) bool {
	return m.Role == Training || m.Role != Test && p.startsLoop(m)
}

// infers reports a script that runs a model without gradients, or puts it into evaluation, and trains nothing.
func (m *Module) infers() bool {
	if !m.MainGuard && !m.runsAtImport() {
		return false
	}
	return slices.ContainsFunc(m.Sites, func(s *Site) bool {
		switch s.Calls.Name {
		case "torch.no_grad", "torch.inference_mode":
			return true
		}
		return s.Method() == "eval" && len(s.Node.Args) == 0
	})
}

// runsAtImport reports a script without a main guard: its top level calls methods, such as those of a model.
func (m *Module) runsAtImport() bool {
	return slices.ContainsFunc(m.Main.Sites, func(s *Site) bool {
		return s.Method() == "eval" || s.Method() == "load_state_dict" || s.Method() == "parse_args"
	})
}

// startsTrainer reports a module that calls a trainer's train or fit.
func (m *Module) startsTrainer() bool { return slices.ContainsFunc(m.Sites, (*Site).startsTrainer) }

// startsTrainers reports a project that starts a trainer of a library.
func (p *Project) startsTrainers() bool {
	return slices.ContainsFunc(p.Modules, func(m *Module) bool { return m.Role != Test && m.startsTrainer() })
}

// startsTrainer reports a call of a trainer's train or fit.
func (s *Site) startsTrainer() bool {
	switch {
	case s.Calls.Name == "ignite.engine.create_supervised_trainer", s.StartsRunner():
		return true
	case s.Calls.Name == commandLine || s.Calls.Kind == Type && s.Calls.Class != nil && s.Calls.Class.Derives(commandLine):
		run := s.ArgumentNode("run", -1)
		return run == nil || !pysrc.IsConst(run, pysrc.False)
	}
	method := s.Method()
	if method != "train" && method != "fit" {
		return false
	}
	starts := func(v Value) bool {
		if i := strings.LastIndexByte(v.Name, '.'); i > 0 && (libraryDerives(v.Name[:i], trainers) || v.member && trainsByName(v.Name[:i])) {
			return true
		}
		f := v.Func
		return f != nil && f.Class != nil && !s.onSelf() && f.Class.Derives(trainers...) // of the project's own, with a loop of its own
	}
	return starts(*s.Calls) || slices.ContainsFunc(s.Calls.Either, starts) // one of several
}

// trainsByName reports a class of a library that trains by its name, such as mmengine.runner.Runner and
// detectron2.engine.DefaultTrainer.
func trainsByName(class string) bool {
	last := LastOf(strings.TrimSuffix(class, "()"))
	return endsInWord(last, "trainer", "runner", "learner")
}

// commandLine is Lightning's command line, which makes a trainer and runs it.
const commandLine = "lightning.pytorch.cli.LightningCLI"

var trainers = []string{"transformers.Trainer", "lightning.pytorch.Trainer", "speechbrain.core.Brain", "trainer.Trainer", "keras.Model", "composer.Trainer"}
