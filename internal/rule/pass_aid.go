package rule

import (
	"maps"
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// switchedOn reports a place behind switches that are all on unless somebody turns them off: if cfg.debug_nans, where the
// settings say true.
func (p *SourcePass) switchedOn(n Node) bool { return p.underTest(n) && p.onUnlessAsked(n) }

// switches are the values that turn a place on, for evidence: those of the tests around it that are set elsewhere.
func (p *SourcePass) switches(n Node) (list []any) {
	p.testsAround(n, func(test pysrc.Expr) {
		if v := p.Eval(test); v.IsTrue() && v.Sure > 0 {
			list = append(list, v)
		}
	})
	return list
}

// debugVariables are environment variables that turn a debugging aid on: the value, or nothing for any that is true, and
// what the aid does.
var debugVariables = map[string][2]string{
	"TORCH_DISTRIBUTED_DEBUG": {"DETAIL", "every collective is checked against those of the other ranks"},
	"JAX_DEBUG_NANS":          {"", aidsOfJAX["jax_debug_nans"]},
	"JAX_DEBUG_INFS":          {"", aidsOfJAX["jax_debug_infs"]},
	"JAX_DISABLE_JIT":         {"", aidsOfJAX["jax_disable_jit"]},

	"XLA_PYTHON_CLIENT_ALLOCATOR": {"platform", "every array is allocated by the driver, which waits for the GPU"},
}

// aidsByVariable reports environment variables that turn a debugging aid on.
func (p *SourcePass) aidsByVariable() {
	for _, name := range slices.Sorted(maps.Keys(debugVariables)) {
		on, what := debugVariables[name][0], debugVariables[name][1]
		for _, e := range p.environment(name) {
			if (on == "" && isSet(e.value) || on != "" && e.value.Equals(on)) && !p.aidIsFine(e.at) {
				p.Report(e.at, e.value.Sure).Because(e.because()).Saying("%s in training", what)
			}
		}
	}
}

// aidsOfTrainers reports what arguments of transformers turn on for debugging.
func (p *SourcePass) aidsOfTrainers() {
	for _, args := range p.HFArguments() {
		v := args.Arg("full_determinism")
		p.reportAid(args.Call, v, "every operation is restricted to deterministic algorithms, and kernels are launched one by one", v.SetTo("False"), true)
		v = args.Arg("debug")
		p.reportAid(args.Call, v, "every output of every layer is read back and checked", v.SetTo(`""`), "underflow_overflow")
	}
}

// recordedMemory reports a history of all allocations that is recorded until the end.
func (p *SourcePass) recordedMemory() {
	calls := p.CallsTo("torch.cuda.memory._record_memory_history")
	off := slices.ContainsFunc(calls, func(c Call) bool {
		v := c.ArgAt(0)
		return v.IsNone() || v.IsFalse() || c.Arg("enabled").IsNone()
	})
	for _, c := range calls {
		if !off && !p.aidIsFine(c) && p.trainingPlace() != nil {
			p.Report(c, likely).Because(p.switches(c)...).Saying("a stack trace is recorded for every allocation in training")
		}
	}
}

// profiledSteps reports profilers that are entered anew in every training step.
func (p *SourcePass) profiledSteps() {
	for _, c := range p.CallsTo("torch.profiler.profile", "torch.autograd.profiler.profile") {
		with, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.With)
		loop := p.LoopAround(c)
		if !ok || loop == nil || !p.isTrainingLoop(loop) || p.Rare(c) != nil || c.Arg("enabled").IsFalse() || p.EvaluationOnly(c) ||
			!slices.ContainsFunc(with.Items, func(i *pysrc.WithItem) bool { return i.Context == pysrc.Expr(c.Node) }) || !p.leavesLate(loop) {
			continue
		}
		p.Report(c.Callee(), likely).Saying("a profiler starts and stops in every step").
			Advising("Profile a few steps: one profiler around the loop, with a schedule.")
	}
}

// leavesLate reports a training loop that goes on for many steps.
func (p *SourcePass) leavesLate(loop pysrc.Stmt) bool {
	at := slices.IndexFunc(p.TrainingLoops(), func(l *project.Loop) bool { return l.Stmt == loop })
	return at >= 0 && p.stepsMany(p.TrainingLoops()[at])
}
