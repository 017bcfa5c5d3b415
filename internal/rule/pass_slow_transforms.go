package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// changedByTransforms names transforms of torchvision and albumentations that change the color of each image, blur or bend it on the CPU. One finding
// for a module.
func (p *SourcePass) changedByTransforms() {
	if p.GPU() == 0 || !p.trained() {
		return
	}
	said := map[*project.Site]bool{}
	say := func(n Node, of costlyChange, because ...any) {
		all, made := of.made, of.made[0]
		in := p.In(made.Module())
		if said[made] || in.EvaluationOnly(made) {
			return
		}
		said[made] = true
		r := p.Report(n, likely*p.GPU()).Too(in.At(made.Node, "made here"))
		for _, other := range all[1:] {
			r.Too(p.In(other.Module()).At(other.Node, "and here"))
		}
		r.Because(because...).beingLittle(of.little).
			Saying("%s changes each image on the CPU%s", lastName(made.Node.Func), of.figures).
			Advising("Let the workers only decode and crop, and change whole batches on the GPU with torchvision.transforms.v2 or kornia.")
	}
	for _, fn := range p.Module.Functions {
		for _, s := range fn.Sites {
			t, made := p.changingCalled(s)
			if made == nil {
				continue
			}
			if path, ok := p.EverySample(s); ok && !p.onlyWhereAsked(path) {
				say(s, p.weigh(t, made, p.viewsIn(s), nil), path)
			}
		}
	}
	for _, loader := range p.TrainingLoaders() {
		data := loader.Arg("dataset")
		for _, v := range append([]Value{data}, data.Either...) {
			if v.Made == nil || !v.IsInstance("torchvision.datasets.VisionDataset") && !strings.HasPrefix(v.Name, "torchvision.datasets.") &&
				(v.Class == nil || !strings.HasPrefix(v.Class.LibraryBase(), "torchvision.datasets.")) {
				continue
			}
			for _, of := range p.In(v.Made.Module()).givenByArm(v.Made) {
				if t, made := p.changingTransform(append([]Value{of}, of.Either...)); made != nil {
					say(loader, p.weigh(t, made, 1, &loader))
					break
				}
			}
		}
	}
}

// givenByArm are the values that a call is given. Of a variable that arms of a test set to objects of one class, it is each of those
// that the defaults do not leave out.
func (p *SourcePass) givenByArm(call *project.Site) (list []Value) {
	for _, given := range argumentsOf(call.Node) {
		list = append(list, p.Eval(given))
		name, ok := given.(*pysrc.Name)
		if !ok {
			continue
		}
		for _, a := range p.assignsOf(call.Func) {
			if len(a.Targets) == 1 && isNamed(a.Targets[0], name.ID) && a.End < call.Node.Start && p.underIf(a) && p.eval.LeftOut(project.Path{}, p.Module, a.Span) == nil {
				list = append(list, p.Eval(a.Value))
			}
		}
	}
	return list
}

// transformAmong is where the first of these transforms is made, alone or in a composition; nil where none is among the values.
func (p *SourcePass) transformAmong(transforms []Value, names map[string]bool) *project.Site {
	if all := p.transformsAmong(transforms, names); len(all) > 0 {
		return all[0]
	}
	return nil
}

// transformsAmong is where these transforms are made that are among the values, alone or in one composition.
func (p *SourcePass) transformsAmong(transforms []Value, names map[string]bool) []*project.Site {
	for _, t := range transforms {
		if made := p.partsNamed(t, func(name string) bool { return names[name] }); made != nil {
			return made
		}
	}
	return nil
}

// changingTransform is the first of these transforms that changes the color of each image, blurs or bends it, and where its parts that do are made.
func (p *SourcePass) changingTransform(transforms []Value) (Value, []*project.Site) {
	for _, t := range transforms {
		if made := p.changingParts(t); made != nil {
			return t, made
		}
	}
	return Value{}, nil
}

func (p *SourcePass) changingParts(t Value) []*project.Site {
	return p.partsNamed(t, func(name string) bool { _, slow := changeCosts[name]; return slow })
}

// partsNamed is where the parts of a transform with such names are made.
func (p *SourcePass) partsNamed(t Value, is func(name string) bool) (made []*project.Site) {
	if t.Kind != project.Instance || !slices.ContainsFunc(transformLibraries, func(library string) bool { return strings.HasPrefix(t.Name, library) }) {
		return nil
	}
	for _, part := range append(p.eval.Parts(t), t) {
		if part.Made != nil && is(strings.TrimSuffix(part.Name, "()")) {
			made = append(made, part.Made)
		}
	}
	return made
}

// transformLibraries are what the names of transforms, and of their compositions, begin with.
var transformLibraries = []string{"torchvision.transforms.", "albumentations.", "audiomentations.", "torch_audiomentations.", "kornia.augmentation.", "torch.nn.Sequential"}

// changingCalled is changingTransform of what a call may call.
func (p *SourcePass) changingCalled(s *project.Site) (t Value, made []*project.Site) {
	p.eachMayBeCalled(s, func(v *Value) {
		if v.Kind == project.Instance && made == nil {
			t, made = *v, p.changingParts(*v)
		}
	})
	return t, made
}

// eachMayBeCalled visits what a call may call, also through a field that its class is given: self.base_transform(x).
func (p *SourcePass) eachMayBeCalled(s *project.Site, visit func(*Value)) {
	if s.Calls.Kind != project.Unknown || len(s.Calls.Either) > 0 || project.FieldOfSelf(s.Node.Func) == "" {
		s.EachPossible(visit)
		return
	}
	v := p.Eval(s.Node.Func)
	visit(&v)
	for i := range v.Either {
		visit(&v.Either[i])
	}
}

// onlyWhereAsked reports a way that starts at a transform which is made behind a test: if config.jitter: chain.append(Jitter()). One
// that a dataset is given there is that of the dataset: ImageFolder(root, transform=Views()).
func (p *SourcePass) onlyWhereAsked(path project.Path) bool {
	if path.Root == nil || path.Root.Class == nil || path.Root.Class.Method("__init__") == nil {
		return false
	}
	makers := p.Project.Callers(path.Root.Class.Method("__init__"))
	return path.Kind == project.Transform && len(makers) > 0 && !slices.ContainsFunc(makers, func(s *project.Site) bool {
		q := p.In(s.Module())
		return !q.underTest(s) || q.givenByName(s)
	})
}

// givenByName reports a transform that is made as the argument transform= of another call.
func (p *SourcePass) givenByName(made *project.Site) bool {
	return slices.ContainsFunc(made.Func.Sites, func(s *project.Site) bool {
		k := s.Node.Keyword("transform")
		return k != nil && k.Value == pysrc.Expr(made.Node)
	})
}
