package rule

import (
	"bytes"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// varyingShapes finds last batches that JAX compiles for again.
var varyingShapes = Rule{
	Code: "SAT807", Name: "varying-shapes", Severity: Warning, Subject: AboutCompiling,
	Areas: []Area{ComputeArea, HostArea},
	Title: "the last batch of an epoch has a different shape, so JAX compiles again",
	What: "A training pipeline in a JAX module that keeps the remainder when it batches: batch of tf.data " +
		"without drop_remainder=True, or a DataLoader without drop_last=True. Also a generator whose arrays are as wide as " +
		"the longest sample of each batch, and a compiled step that gets rows chosen by a mask or by jnp.nonzero, or a slice as " +
		"long as a number that is drawn or read from an array, or an array that a loop makes longer in each iteration.",
	Why: "A jitted function is compiled for each shape. A smaller batch costs seconds of compilation, and may " +
		"not divide over several devices.",
	Fine: "Data that repeats before it is batched. A dataset size that is a multiple of the batch size. Masks " +
		"and padding.",
	Bad:    "ds = ds.shuffle(1024).batch(128)",
	Good:   "ds = ds.shuffle(1024).batch(128, drop_remainder=True)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		p.widthsOfBatches()
		p.raggedSteps()
		p.grownForSteps()
		if !p.usesJAX() || !p.NearSays("jit", "pmap") || !p.Project.Trains() {
			return
		}
		for _, c := range p.MethodCalls("batch") {
			drop := c.Arg("drop_remainder")
			if len(c.Node.Args) != 1 || !off(drop) || !p.tfPipeline(c) || p.repeats(c) || p.EvaluationOnly(c) {
				continue
			}
			p.Report(c, probable*drop.Confidence()).Fix(Unsafe, "drop the smaller batch", drop.SetTo("True"))
		}
		for _, c := range p.TrainingLoaders() {
			drop := c.Arg("drop_last")
			if p.Imports("torch") && off(drop) && !project.HasWord(p.variableOf(c), "sample", "class") &&
				c.Arg("batch_sampler").Missing() && !c.Arg("batch_size").IsNone() {
				p.Report(c.Callee(), probable*drop.Confidence()).Because(drop).
					Fix(Unsafe, "drop the smaller batch", drop.SetTo("True"))
			}
		}
	},
}

// tfPipeline reports a batch of a tf.data pipeline: its module imports tensorflow
// and its receiver is named or made as datasets are.
func (p *SourcePass) tfPipeline(c Call) bool {
	if !p.Imports("tensorflow") && !p.Imports("tensorflow_datasets") {
		return false
	}
	name := rootName(c.Receiver())
	if strings.HasPrefix(p.NameOf(c.Receiver()), "tensorflow") && !project.HasWord(name, heldOutWords...) {
		return true
	}
	return project.HasWord(name, inputWords...) &&
		!project.HasWord(name, heldOutWords...)
}

// repeats reports a pipeline that repeats before it batches: in the same chain,
// or in an earlier statement of the same function that takes or sets the same variable.
func (p *SourcePass) repeats(c Call) bool {
	if bytes.Contains(p.Module.Text[c.Node.Start:c.Node.End], []byte(".repeat(")) {
		return true
	}
	pipeline := rootName(c.Receiver())
	for _, s := range p.Function(c).Sites {
		if s.Method() != "repeat" || s.Node.Start >= c.Node.Start {
			continue
		}
		set, ok := p.Module.StatementAt(s.Node.Start).(*pysrc.Assign)
		if rootName(s.Node.Func) == pipeline || ok && pysrc.DottedName(set.Targets[0]) == pipeline {
			return true
		}
	}
	return false
}
