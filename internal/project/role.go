package project

import (
	"path"
	"slices"
	"strings"
)

// roleOfPath tells what a file is for by its path alone.
func roleOfPath(file string) Role {
	parts := strings.Split(strings.ToLower(slashed(file)), "/")
	base := strings.TrimSuffix(parts[len(parts)-1], path.Ext(parts[len(parts)-1]))
	for _, dir := range parts[:len(parts)-1] {
		if strings.HasPrefix(dir, "test_") {
			return Test
		}
		switch dir {
		case "test", "tests", "testing", "unit_tests", "integration_tests", "docs", "doc", "benchmarks", "benchmark":
			return Test
		case "eval", "evals", "evaluation", "inference", "serving", "deploy", "demo", "demos":
			return Evaluation
		}
	}
	switch {
	case strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test") || base == "conftest" || base == "tests":
		return Test
	case HasWord(base, trainingWords...):
		return Library // decided by what it does
	case HasWord(base, evaluationWords...),
		HasWord(base, servingWords...):
		return Evaluation
	}
	return Library
}

// rolesByPath tells what each file is for as far as its path says it.
func (p *Project) rolesByPath() {
	for _, m := range p.Modules {
		m.Role = roleOfPath(p.relative(m.Path))
	}
	for _, s := range p.Settings {
		s.Role = roleOfPath(p.relative(s.Path))
	}
}

// assignRoles tells more of the modules: whether they train.
func (p *Project) assignRoles() {
	for _, m := range p.Modules {
		switch {
		case m.Role == Test:
		case len(p.loops[m]) > 0 || m.startsTrainer():
			m.Role = Training
		case m.MainGuard && m.infers() && !p.startsLoop(m):
			m.Role = Evaluation
		}
	}
}

// mostApart is how many modules may lie between one that trains and what it trains.
const mostApart = 5

// findTrained finds the modules that training reaches: by calls, over a few files.
func (p *Project) findTrained() {
	p.trained = map[*Module]bool{}
	var queue []*Module
	for _, m := range p.Modules {
		if m.Role == Training || m.Role != Test && (m.hasTrainingHook() || p.startsLoop(m)) {
			p.trained[m] = true
			queue = append(queue, m)
		}
	}
	for depth := 0; depth < mostApart && len(queue) > 0; depth++ {
		var next []*Module
		for _, m := range queue {
			for _, other := range m.Uses {
				if !p.trained[other] {
					p.trained[other] = true
					next = append(next, other)
				}
			}
		}
		queue = next
	}
}

// takeBack makes modules of training of those that are only named after other uses, such as decode.py or
// generate_speech.py: training loads its samples with them, or calls them in every step.
func (p *Project) takeBack() {
	for _, m := range p.Modules {
		base := strings.ToLower(strings.TrimSuffix(path.Base(slashed(m.Path)), path.Ext(m.Path)))
		if m.Role != Evaluation || !p.trained[m] || !HasWord(base, servingWords...) || HasWord(base, evaluationWords...) {
			continue
		}
		if slices.ContainsFunc(m.Functions, func(f *Function) bool {
			step := p.hot[f]
			return p.samples[f] != nil || step != nil && step.kind != Forward
		}) {
			m.Role = Library
		}
	}
}

// Trained tells whether training reaches a module: it trains itself, or one that
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

// startsLoop reports a module that calls a training loop of another: trainer.run(). What it makes,
// a model too, is trained there.
func (p *Project) startsLoop(m *Module) bool {
	for _, s := range m.Sites {
		if fn := s.Calls.Func; fn != nil && slices.ContainsFunc(p.loops[fn.Module], func(l *Loop) bool { return l.Func == fn }) {
			return true
		}
	}
	return false
}

// infers reports a script that runs a model without gradients.
func (m *Module) infers() bool {
	for _, s := range m.Sites {
		switch s.Calls.Name {
		case "torch.no_grad", "torch.inference_mode":
			return true
		}
	}
	return false
}

// startsTrainer reports a call of a trainer's train or fit.
func (m *Module) startsTrainer() bool {
	for _, s := range m.Sites {
		switch s.Method() {
		case "train", "fit":
			if i := strings.LastIndexByte(s.Calls.Name, '.'); i > 0 && libraryDerives(s.Calls.Name[:i], trainers) {
				return true
			}
		}
	}
	return false
}

var trainers = []string{"transformers.Trainer", "lightning.pytorch.Trainer", "speechbrain.core.Brain", "trainer.Trainer", "keras.Model"}
