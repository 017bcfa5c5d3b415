package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// observeTokenisation states where tokenisation runs, how, and with what, also
// where that is fine: people ask for the answer and not only for the fault.
func (p *SourcePass) observeTokenisation(t tokenisation) {
	where, how := "", ""
	if path, ok := p.PerSample(t); ok {
		where, how = p.tokenisedWhileLoading(t, path)
		where += " (" + path.Root.Title() + ")"
	} else if !p.servesTraining() {
		return
	} else {
		where, how = "before training, outside the data path ("+t.Func.Title()+")", "one text at a time"
		_, hot := p.Hot(t)
		if hot {
			where = "in every training step (" + t.Func.Title() + ")"
		}
		if t.many() || t.plural() && (hot || !p.InLoop(t)) {
			how = "a batch at a time"
		}
	}
	with := ""
	if fast := t.fast(); fast != "" {
		with = ", with " + fast
	}
	p.Observe("tokenization", t, "%s, %s%s", where, how, with)
}

func (p *SourcePass) tokenisedWhileLoading(t tokenisation, path project.Path) (where, how string) {
	where = [...]string{
		project.DataSet:   "for every sample while loading",
		project.Collate:   "in the collate function",
		project.Transform: "in a transform of every sample",
		project.Mapped:    "in a map over the dataset, once",
	}[path.Kind]
	switch {
	case path.Kind == project.Mapped && !p.mapsInBatches(path), path.Kind != project.Mapped && p.singly(t, path):
		return where, "one text at a time"
	case path.Kind == project.Transform:
		return where, "as the transform is called"
	}
	return where, "a batch at a time"
}

// mapsInBatches reports whether the map that starts the path is batched.
func (p *SourcePass) mapsInBatches(path project.Path) bool {
	for _, m := range p.Maps() {
		if m.function == path.Root {
			return m.Arg("batched").IsTrue()
		}
	}
	return false
}

// plural reports whether the call is given something that is named as many are.
func (t tokenisation) plural() bool {
	if len(t.Node.Args) == 0 {
		return false
	}
	name := lastName(t.Node.Args[0])
	if s, ok := t.Node.Args[0].(*pysrc.Subscript); ok {
		name, _ = pysrc.StringValue(s.Slice)
	}
	return strings.HasSuffix(name, "s") && !strings.HasSuffix(name, "ss") || strings.HasSuffix(name, "list")
}

// servesTraining reports whether a file trains, or one that trains calls it.
func (p *SourcePass) servesTraining() bool {
	if p.Module.Role == project.Training {
		return true
	}
	for _, m := range p.Project.Modules {
		if m.Role != project.Training {
			continue
		}
		for _, s := range m.Sites {
			if s.Calls.Func != nil && s.Calls.Func.Module == p.Module {
				return true
			}
		}
	}
	return false
}
