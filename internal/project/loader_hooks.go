package project

import (
	"strings"

	"saturate/internal/pysrc"
)

// loaderHooks are the methods by which Lightning asks for loaders, and what it does with them.
var loaderHooks = map[string]Use{
	"train_dataloader": Trains | Repeats, "val_dataloader": LooksAt, "validate_dataloader": LooksAt, "test_dataloader": LooksAt, "predict_dataloader": LooksAt,
}

// findHooked notes the loaders that a framework is given: that methods of a Lightning module return, and that are
// passed to its trainer's fit. A function that makes several of them is asked which one this call gets.
func (p *Project) findHooked(e *Eval) {
	note := func(v Value, use Use) {
		if made := e.onlyLoader(v); made != nil {
			p.uses.made[made] |= use
		}
	}
	for _, m := range p.Modules {
		if m.Role == Test || m.Outline {
			continue
		}
		for _, c := range m.Classes {
			if !c.Derives("lightning.pytorch.LightningModule", "lightning.pytorch.LightningDataModule") {
				continue
			}
			for name, use := range loaderHooks {
				if f := c.Methods[name]; f != nil {
					e.steps = mostSteps
					note(e.returned(f), use)
				}
			}
		}
		for _, s := range m.Sites {
			if s.Calls.IsClass("transformers.Trainer") {
				e.steps = mostSteps
				for _, name := range [...]string{"train_dataset", "eval_dataset"} {
					use := LooksAt
					if name == "train_dataset" {
						use = Trains
					}
					if x := s.ArgumentNode(name, -1); x != nil {
						p.useMadeOf(e, s, x, use, 0)
					}
				}
			}
			if !strings.HasPrefix(s.Calls.Name, "lightning.") {
				continue
			}
			use := loaderHooks[s.Method()+"_dataloader"]
			if s.Method() == "fit" {
				use = Trains | Repeats
			}
			if a, ok := s.Node.Func.(*pysrc.Attribute); ok && use != NoUse {
				e.steps = mostSteps
				if trainer := e.expr(a.Value, s.scope()); trainer.Made != nil {
					p.uses.made[trainer.Made] |= use
				}
			}
			if s.Method() != "fit" {
				continue
			}
			note(e.Argument(s, "train_dataloaders"), Trains|Repeats)
			note(e.Argument(s, "val_dataloaders"), LooksAt)
			if len(s.Node.Args) > 1 {
				note(e.ArgumentAt(s, 1), Trains|Repeats)
			}
			if len(s.Node.Args) > 2 {
				note(e.ArgumentAt(s, 2), LooksAt)
			}
		}
	}
}
