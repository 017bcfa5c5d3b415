package rule

import (
	"slices"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// fusedSince is the torch in which an optimizer can be fused, and what those before it do instead.
func fusedSince(optimizer string, v *project.Versions) Since {
	since := Since{Library: "torch", Version: "2.0", Lacks: "updates one parameter at a time", Then: "pass fused=True"}
	if optimizer == "torch.optim.SGD" {
		since.Version = "2.3"
		if v.AtLeast("torch", "2.0") != project.No {
			since.Lacks = "has no fused SGD"
		}
	}
	return since
}

// fuse gives the edits that fuse the optimizers of the module, as SAT406 and SAT407 do.
func (p *SourcePass) fuse() (edits []patch.Edit) {
	if p.sharded() || p.nearCalls("apex.*") {
		return nil
	}
	for _, c := range p.optimizers() {
		if p.notFusedYet(c) != "" {
			continue
		}
		switch instead := p.fuseInstead(c); {
		case c.Arg("foreach").IsFalse() && instead != nil:
			edits = append(edits, *instead)
		case p.unfused(c):
			if edit := c.Arg("fused").SetTo("True"); !slices.Contains(edits, edit) {
				edits = append(edits, edit)
			}
		}
	}
	return edits
}

// notFusedYet says what must be done before fused=True can be passed, if anything: it raises an error until then.
func (p *SourcePass) notFusedYet(c Call) string {
	since := fusedSince(c.Calls.Name, p.versions())
	switch {
	case p.AtLeast(since.Library, since.Version) == project.No:
		return "Require torch " + since.Version + " or later, then pass fused=True."
	case p.AtLeast("torch", "2.4") == project.No && !p.onGPUBefore(c):
		return "Move the model to the GPU before its optimizer is made, then pass fused=True: torch before 2.4 fuses only tensors of the GPU."
	}
	return ""
}

// neverFused reports an optimizer for which fused=True raises an error in any version: of sparse gradients, or beside the
// clipping of Lightning in float16.
func (p *SourcePass) neverFused(c Call) bool {
	return c.Calls.Name == "torch.optim.SGD" && p.sparseGradients() || p.clippedByLightning()
}

// sparseGradients reports embeddings nearby whose gradients are sparse.
func (p *SourcePass) sparseGradients() bool {
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		there := p.In(m)
		return slices.ContainsFunc(there.CallsTo("torch.nn.Embedding", "torch.nn.EmbeddingBag", "torch.nn.functional.embedding"), func(c Call) bool {
			return !off(c.Arg("sparse"))
		})
	})
}

// clippedByLightning reports a trainer of Lightning that clips gradients in float16, which it cannot where the optimizer
// unscales them itself.
func (p *SourcePass) clippedByLightning() bool {
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		return slices.ContainsFunc(p.In(m).CallsTo("lightning.pytorch.Trainer"), func(c Call) bool {
			clip, precision := c.Arg("gradient_clip_val"), c.Arg("precision")
			return clip.Given() && !clip.IsNone() && slices.ContainsFunc([]any{16, "16", "16-mixed"}, precision.Equals)
		})
	})
}

// onGPUBefore reports an optimizer whose model is moved to the GPU before it is made: in its function, by Lightning, or in the
// statement that makes the model.
func (p *SourcePass) onGPUBefore(c Call) bool {
	if c.Func.Class != nil && c.Func.Class.Derives("lightning.pytorch.LightningModule") {
		return true
	}
	model := p.optimized(c)
	name := pysrc.DottedName(model)
	if name == "" {
		return false
	}
	return slices.ContainsFunc(p.MethodCalls("to", "cuda"), func(move Call) bool {
		return move.Func == c.Func && move.Node.Start < c.Node.Start && !toHost(move.Node) && p.makes(move, model)
	})
}

// hfFuses reports whether transformers knows adamw_torch_fused, and takes it in the precision that is asked for.
func hfFuses(v *project.Versions, float16 bool) bool {
	return v.AtLeast("transformers", "4.28") != project.No && (v.AtLeast("torch", "2.0.1") != project.No || !float16)
}

// hfFusesLater is the advice where it does not.
const hfFusesLater = "Require transformers 4.28 and torch 2.0.1 or later, then set optim to adamw_torch_fused."
