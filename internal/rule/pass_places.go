package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// StepPlaces are the statements of one training loop that stand in a module, by what they do.
type StepPlaces struct {
	Loop      pysrc.Stmt     // the innermost loop around the step; nil when it stands in another module
	Iterates  bool           // the loop's own iterator gives the batches
	Load      []pysrc.Stmt   // statements in the loop that fetch a batch
	Forward   [][]pysrc.Stmt // runs of statements from the call of the model to the loss
	Backward  []pysrc.Stmt
	Optimizer []pysrc.Stmt
}

// PlacesOf finds the training steps of a module.
func PlacesOf(p *project.Project, m *project.Module) []StepPlaces {
	pass := passOf(p, m)
	var list []StepPlaces
	for _, loop := range pass.trainingLoopsHere() {
		places := StepPlaces{}
		if loop.Module == m {
			places.Loop = loop.Stmt
			places.loading(pass)
		}
		for _, step := range loop.Steps {
			if step.Module() != m || step.Method() != "backward" {
				continue
			}
			places.Backward = append(places.Backward, m.StatementAt(step.Node.Start))
			if f := pass.forwardBefore(step); f.stmts != nil {
				places.Forward = append(places.Forward, f.stmts)
			}
			for _, s := range m.Sites {
				if s.Method() == "step" && s.Func == step.Func &&
					project.HasWord(lastName((Call{s, pass}).Receiver()), "optimizer", "optim", "opt", "scaler", "engine") {
					if stmt := m.StatementAt(s.Node.Start); !slices.Contains(places.Optimizer, stmt) {
						places.Optimizer = append(places.Optimizer, stmt)
					}
				}
			}
		}
		if places.Loop != nil || len(places.Backward) > 0 {
			list = append(list, places)
		}
	}
	return list
}

// loading finds where the loop gets its batches from.
func (s *StepPlaces) loading(p *SourcePass) {
	loop, ok := s.Loop.(*pysrc.For)
	if ok && !countsSteps(loop.Iter) {
		s.Iterates = true
		return
	}
	for _, site := range p.Module.Sites {
		if !s.Loop.Bounds().Contains(int(site.Node.Start)) {
			continue
		}
		name := lastName(site.Node.Func)
		if name == "next" || project.HasWord(name, batchWords...) &&
			project.HasWord(name, takingWords...) {
			if stmt, ok := p.Module.StatementAt(site.Node.Start).(*pysrc.Assign); ok {
				s.Load = append(s.Load, stmt)
			}
		}
	}
}

// countsSteps reports an iterator that gives numbers and no batches: range(steps), trange(steps), tqdm(range(steps)).
func countsSteps(iter pysrc.Expr) bool {
	c, ok := iter.(*pysrc.Call)
	if !ok {
		return false
	}
	switch lastName(c.Func) {
	case "range", "trange", "count":
		return true
	case "tqdm":
		first := firstArg(c)
		return first == nil || countsSteps(first)
	}
	return false
}

// MadeTrainer is a place where a trainer of a framework is made.
type MadeTrainer struct {
	Class    string     // as the program writes it
	Variable string     // that holds it; none where it is used at once: Trainer(…).train()
	Stmt     pysrc.Stmt // that makes it
}

// TrainersOf returns the trainers of a framework that a module makes.
func TrainersOf(p *project.Project, m *project.Module, classes ...string) (list []MadeTrainer) {
	pass := passOf(p, m)
	for _, c := range inOrder(append(pass.Constructions(classes...), pass.CallsTo(classes...)...)) {
		made := MadeTrainer{pysrc.DottedName(c.Node.Func), pass.variableOf(c), m.StatementAt(c.Node.Start)}
		if made.Class != "" || made.Variable != "" {
			list = append(list, made)
		}
	}
	return list
}

// passOf returns a pass without a rule, for its queries.
func passOf(p *project.Project, m *project.Module) *SourcePass {
	return &SourcePass{judge: &judge{rule: &Rule{}, source: m.Source}, Project: p, Module: m, eval: p.NewEval(), shared: gatherAll(m, tablesOf(p))}
}
