package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// rowsOnHost reports a loop that computes on the host alone, with data that is already there: it calls neither a model nor an environment.
func (p *SourcePass) rowsOnHost(t *turns) bool {
	if slices.ContainsFunc(t.iter, func(e pysrc.Expr) bool { return p.valueOnGPU(e, 0) >= likely }) || p.launchesIn(t) != nil {
		return false
	}
	span := t.whole.Bounds()
	for _, s := range p.Function(t.at).Sites {
		if !span.Contains(int(s.Node.Start)) {
			continue
		}
		if s.Calls.IsInstance("torch.nn.Module") || s.Method() == "item" || s.Method() == "tolist" && !p.isArray(s.Node.Func.(*pysrc.Attribute).Value) || s.Method() == "step" || s.Method() == "reset" || s.Method() == "backward" {
			return false
		}
		if fn := s.Calls.Func; fn != nil {
			if _, runs := p.Reaches(fn, func(s *project.Site) bool { return s.Calls.IsInstance("torch.nn.Module") || s.Method() == "step" }, 2); runs {
				return false
			}
		}
	}
	return true
}

// joinsTensors reports a batch of what are tensors already, of which it is not known that the host holds them: torch.stack(rows) where
// nothing that a turn does makes a tensor of host data, and where it is not known either that the rows are drawn, or nothing is done for them.
func (p *SourcePass) joinsTensors(into pysrc.Node, t *turns, works bool) bool {
	c, ok := into.(*pysrc.Call)
	if !ok || !tensorJoins[p.NameOf(c.Func)] {
		return false
	}
	made := false
	for _, b := range t.body {
		pysrc.Inspect(b, func(n pysrc.Node) bool {
			if c, ok := n.(*pysrc.Call); ok {
				name, torch := strings.CutPrefix(p.NameOf(c.Func), "torch.")
				made = made || torch && hostTensors[name] && !p.takesDevice(c)
			}
			return !made
		})
	}
	ranged := slices.ContainsFunc(t.iter, isRange)
	return !made && (ranged || !works || slices.ContainsFunc(t.iter, func(e pysrc.Expr) bool { return p.OnDevice(e) >= perhaps }))
}

// tensorJoins are the functions that join tensors.
var tensorJoins = setOfNames("torch.stack", "torch.cat", "torch.vstack", "torch.hstack", "torch.concat", "torch.nn.utils.rnn.pad_sequence")

// workOnRow is what a loop does for each row beyond taking and copying it: a loop of its own, a function of the project, one of a library.
func (p *SourcePass) workOnRow(t *turns) (work pysrc.Node) {
	for _, b := range t.body {
		pysrc.Inspect(b, func(n pysrc.Node) bool {
			switch x := n.(type) {
			case *pysrc.For:
				if !overConstant(x.Iter) && !p.knownFew(x.Iter) {
					work = x.Iter
				}
			case *pysrc.While:
				work = x.Test
			case *pysrc.ListComp:
				work = x
			case *pysrc.Call:
				if s := p.Module.SiteAt(x); s != nil && work == nil && p.worksOnRow(s) {
					work = x
				}
			}
			return work == nil
		})
	}
	return work
}

// worksOnRow reports a call that takes as long as several copies of numbers.
func (p *SourcePass) worksOnRow(s *project.Site) bool {
	if s.Calls.Func != nil {
		return true
	}
	if method := s.Method(); givesArray[method] || reshapes[method] {
		return false // of an array
	}
	library, name, dotted := strings.Cut(p.NameOf(s.Node.Func), ".")
	if !dotted || library == "torch" && (name == "from_numpy" || name == "as_tensor") || library == "numpy" && (name == "int64" || name == "float32") {
		return false
	}
	switch library {
	case "random":
		return name == "sample" || name == "choices" || name == "shuffle"
	case "numpy":
		return !strings.HasPrefix(name, "random.") || p.drawsRows(s.Node)
	case "torch", "jax", "copy", "librosa", "cv2", "PIL", "scipy", "skimage", "torchaudio", "torchvision", "soundfile", "pandas", "networkx":
		return true
	}
	return false
}

// copiesSlices reports rows that are windows of one array: data[i : i + n]. Their batch takes a few dozen copies.
func copiesSlices(t *turns) bool {
	found := false
	for _, b := range t.body {
		pysrc.Inspect(b, func(n pysrc.Node) bool {
			part, ok := n.(*pysrc.Subscript)
			if ok && part.Ctx == pysrc.Load {
				cut, ok := firstIndex(part).(*pysrc.Slice)
				found = found || ok && cut.Lower != nil
			}
			return !found
		})
	}
	return found
}
