package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// soundsNarrowed reports recordings that soundfile decodes as float64, its default, and that the same function turns into float32.
func (p *SourcePass) soundsNarrowed() {
	for _, c := range p.CallsTo("soundfile.read") {
		if c.Node.Keyword("dtype") != nil || len(c.Node.Args) > 3 {
			continue
		}
		cast := p.narrowed(c)
		if cast == nil {
			continue
		}
		if path, ok := p.EverySample(c); ok {
			p.Report(c, likely*path.Sure).Because(path, p.At(cast, "turned into float32 here")).Small("decoding takes longer").
				Saying("soundfile.read decodes float64, which becomes float32 then").
				Advising(`Read float32 at once: soundfile.read(path, dtype="float32").`)
		}
	}
}

// narrowed is where the sound that a call gives is turned into float32, in its function; nil where it is not.
func (p *SourcePass) narrowed(c Call) pysrc.Node {
	a, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign)
	if !ok || len(a.Targets) != 1 || a.Value != pysrc.Expr(c.Node) || len(elementsOf(a.Targets[0])) != 2 {
		return nil
	}
	sound, ok := elementsOf(a.Targets[0])[0].(*pysrc.Name)
	if !ok {
		return nil
	}
	at := slices.IndexFunc(c.Func.Sites, func(s *project.Site) bool {
		of := firstArg(s.Node)
		if method, ok := s.Node.Func.(*pysrc.Attribute); ok && (method.Attr == "astype" || method.Attr == "float") {
			of = method.Value
			if method.Attr == "astype" && !isFloat32(firstArg(s.Node)) {
				return false
			}
		} else if k := s.Node.Keyword("dtype"); s.Calls.Name != "torch.FloatTensor" && s.Calls.Name != "torch.Tensor" && (k == nil || !isFloat32(k.Value)) {
			return false
		}
		if made, ok := of.(*pysrc.Call); ok && p.NameOf(made.Func) == "torch.from_numpy" {
			of = firstArg(made)
		}
		return s.Node.Start > c.Node.Start && isNamed(of, sound.ID)
	})
	if at < 0 {
		return nil
	}
	return c.Func.Sites[at].Node
}
