package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// takesArrays reports a comprehension of a collate function that takes the same part of each sample, where every dataset near that
// has the part gives a NumPy array for it: [item["mel"] for item in batch], [x for x, _ in batch].
func (p *SourcePass) takesArrays(comp *pysrc.ListComp, fn *project.Function) bool {
	if len(comp.Generators) != 1 || len(comp.Generators[0].Ifs) > 0 || fn.Def == nil {
		return false
	}
	over, ok := comp.Generators[0].Iter.(*pysrc.Name)
	if !ok || !fn.HasParameter(over.ID) || over.ID == fn.Self() {
		return false
	}
	part := p.partOfSample(comp.Elt, comp.Generators[0].Target)
	if part == nil {
		return false
	}
	if path, ok := p.CalledForEverySample(fn); !ok || path.Kind != project.Collate || path.Root != fn {
		return false
	}
	given := 0
	for _, m := range p.Near() {
		for _, c := range m.Classes {
			get := c.Methods["__getitem__"]
			if get == nil || !c.Derives("torch.utils.data.Dataset") {
				continue
			}
			in := p.In(m)
			for _, r := range get.Returns() {
				value := part(in.onceSaid(r))
				switch {
				case value == nil:
				case !in.makesArray(in.onceSaid(value)) && !in.extractedArray(in.onceSaid(value)):
					return false
				default:
					given++
				}
			}
		}
	}
	return given > 0
}

// partOfSample takes the part of a sample that an expression stands for, by its key or its place; nil where it is something else.
func (p *SourcePass) partOfSample(e, target pysrc.Expr) func(sample pysrc.Expr) pysrc.Expr {
	if sub, ok := e.(*pysrc.Subscript); ok && pysrc.DottedName(target) != "" && pysrc.DottedName(sub.Value) == pysrc.DottedName(target) {
		if key, ok := pysrc.StringValue(sub.Slice); ok {
			return func(sample pysrc.Expr) pysrc.Expr {
				dict, ok := sample.(*pysrc.Dict)
				if !ok {
					return nil
				}
				for i, k := range dict.Keys {
					if text, ok := pysrc.StringValue(k); ok && text == key {
						return dict.Values[i]
					}
				}
				return nil
			}
		}
		if at, ok := p.Eval(sub.Slice).Int(); ok && at >= 0 {
			return elementTaken(int(at))
		}
		return nil
	}
	name, ok := e.(*pysrc.Name)
	if !ok {
		return nil
	}
	at := slices.IndexFunc(elementsOf(target), func(t pysrc.Expr) bool { return isNamed(t, name.ID) })
	if at < 0 {
		return nil
	}
	return elementTaken(at)
}

// elementTaken takes an element of a tuple.
func elementTaken(at int) func(pysrc.Expr) pysrc.Expr {
	return func(sample pysrc.Expr) pysrc.Expr {
		if tuple, ok := sample.(*pysrc.Tuple); ok && at < len(tuple.Elts) {
			return tuple.Elts[at]
		}
		return nil
	}
}

// extractedArray reports the features that an extractor of transformers gives for one sound, as an array:
// extractor(wave, sampling_rate=16000).input_features[0].
func (p *SourcePass) extractedArray(e pysrc.Expr) bool {
	first, ok := e.(*pysrc.Subscript)
	if !ok {
		return false
	}
	field, ok := first.Value.(*pysrc.Attribute)
	if !ok || field.Attr != "input_features" && field.Attr != "input_values" {
		return false
	}
	c, ok := p.onceSaid(field.Value).(*pysrc.Call)
	if !ok {
		return false
	}
	kind, given := pysrc.StringValue(c.KeywordValue("return_tensors"))
	return (c.Keyword("return_tensors") == nil || given && kind == "np") && strings.HasSuffix(lastName(c.Func), "extractor")
}
