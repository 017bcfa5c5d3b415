package project

import (
	"path"
	"strings"
)

// roleOfPath tells what a file is for by its path alone.
func roleOfPath(file string) Role {
	parts := strings.Split(strings.ToLower(slashed(file)), "/")
	base := strings.TrimSuffix(parts[len(parts)-1], path.Ext(parts[len(parts)-1]))
	for _, dir := range parts[:len(parts)-1] {
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
	case hasWord(base, "train", "finetune", "pretrain", "trainer", "training", "fit"):
		return Library // decided by what it does
	case hasWord(base, evaluationWords...), hasWord(base, "serve", "server", "generate", "sample", "benchmark", "decode", "export", "convert"):
		return Evaluation
	}
	return Library
}

// assignRoles tells what each file is for: by its path, and by whether it trains.
func (p *Project) assignRoles() {
	for _, m := range p.Modules {
		m.Role = roleOfPath(p.relative(m.Path))
		switch {
		case m.Role == Test:
		case len(p.loops[m]) > 0 || m.startsTrainer():
			m.Role = Training
		case m.MainGuard && m.infers():
			m.Role = Evaluation
		}
	}
	for _, s := range p.Settings {
		s.Role = roleOfPath(p.relative(s.Path))
	}
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

// evaluationWords are parts of names that tell of evaluation.
var evaluationWords = []string{"eval", "evaluate", "evaluation", "evaluator", "val", "valid", "validate", "validation", "dev", "test", "testing", "infer", "inference", "predict", "prediction", "demo"}

// hasWord reports whether a name written in snake_case or CamelCase has one of the words.
func hasWord(name string, words ...string) bool {
	for _, part := range splitWords(name) {
		if contains(words, part) {
			return true
		}
	}
	return false
}

// splitWords splits snake_case, kebab-case and CamelCase into lower case words.
func splitWords(name string) []string {
	var words []string
	start := 0
	flush := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(name[start:end]))
		}
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9':
			flush(i)
			start = i + 1
		case c >= 'A' && c <= 'Z' && i > start && (name[i-1] < 'A' || name[i-1] > 'Z'):
			flush(i)
			start = i
		}
	}
	flush(len(name))
	return words
}
