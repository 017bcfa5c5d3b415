package project

import (
	"strings"

	"saturate/internal/pysrc"
)

// prepared is the confidence that the batches of a loader are on the device because Accelerate or Fabric moves them:
// loader = accelerator.prepare(loader).
func (e *Eval) prepared(loader pysrc.Expr, sc *Scope) float64 {
	if c, ok := loader.(*pysrc.Call); ok && lastName(c.Func) == "tqdm" && len(c.Args) > 0 {
		loader = c.Args[0]
	}
	name, ok := loader.(*pysrc.Name)
	if !ok {
		return 0
	}
	holder, b := sc.find(name.ID)
	if b == nil {
		return 0
	}
	var room [8]*Binding
	for _, b := range holder.reaching(room[:0], name.ID, sc, name.Start) {
		if b.Kind != Assigned || !e.prepares(b) {
			return 0
		}
	}
	return Likely
}

func (e *Eval) prepares(b *Binding) bool {
	c, ok := b.Value.(*pysrc.Call)
	if !ok {
		return false
	}
	switch lastName(c.Func) {
	case "prepare", "prepare_data_loader":
		if k := c.Keyword("device_placement"); k != nil {
			return false
		}
		return strings.HasPrefix(e.expr(c.Func, b.Scope.Module.blocks[b.Block].Scope).Name, "accelerate.")
	case "setup_dataloaders":
		return c.Keyword("move_to_device") == nil
	}
	return false
}
