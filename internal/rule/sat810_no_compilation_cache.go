package rule

import (
	"strings"

	"saturate/internal/project"
)

// noCompilationCache finds training programs of JAX that compile everything again at each start.
var noCompilationCache = Rule{
	Code: "SAT810", Name: "no-compilation-cache", Severity: Advice, Subject: AboutCompiling, General: true,
	Areas: []Area{HostArea}, Asked: true,
	Title: "JAX compiles the training step again in every run",
	What: "A program that trains with a jitted step, takes options and writes checkpoints, in a project that " +
		"never mentions JAX's compilation cache.",
	Why:  "XLA takes minutes to compile a large step. With a cache on disk, every later run reads the result.",
	Fine: "JAX_COMPILATION_CACHE_DIR set elsewhere. A model that compiles in a second. One long run.",
	Advice: "Call jax.config.update(\"jax_compilation_cache_dir\", DIR) before the first compilation, or set " +
		"JAX_COMPILATION_CACHE_DIR in the environment.",
	Bad: "state = create_train_state(config)\nfor batch in batches:\n    state = train_step(state, batch)",
	Good: "jax.config.update(\"jax_compilation_cache_dir\", \"/scratch/jax-cache\")\nstate = " +
		"create_train_state(config)\nfor batch in batches:\n    state = train_step(state, batch)",
	Source: func(p *SourcePass) {
		if !p.compilesAtStart() {
			return
		}
		for _, m := range p.Project.Modules {
			if m.Says("compilation_cache") || m.Says("COMPILATION_CACHE") {
				return
			}
		}
		for _, m := range p.Project.Modules { // one program of a project speaks for all
			if m == p.Module {
				p.Report(header(p.JAXLoops()[0].Stmt), likely).Small("it takes seconds to minutes, once in a run")
				return
			}
			if m.Role != project.Test && p.In(m).compilesAtStart() {
				return
			}
		}
	},
}

// compilesAtStart reports a module with a program that trains with JAX and is run again and again.
func (p *SourcePass) compilesAtStart() bool {
	return p.usesJAX() && !strings.HasSuffix(p.Module.Path, ".ipynb") && p.Module.Says("checkpoint") &&
		p.takesOptions() && len(p.JAXLoops()) > 0 && p.NearSays("jit", "pmap")
}

// takesOptions reports a module that is run with options or a configuration, of which there are many runs then.
func (p *SourcePass) takesOptions() bool {
	for _, library := range [...]string{
		"argparse", "absl", "hydra", "tyro", "fire", "ml_collections", "mlxu", "click",
		"draccus", "simple_parsing",
	} {
		if p.Imports(library) {
			return true
		}
	}
	return p.Module.Says("HfArgumentParser")
}
