package rule

import (
	"saturate/internal/pysrc"
)

// cacheNeverHit finds tables that are stored under another key than the one that is looked for.
var cacheNeverHit = Rule{
	Code: "SAT129", Name: "cache-never-hit", Severity: Warning, Subject: AboutHostCode,
	Areas: []Area{DataArea, HostArea},
	Title: "a cache never finds what it should keep",
	What: "if key not in cache: cache[f\"{key}_{device}\"] = …, in every training step or for every sample: the test never " +
		"finds what was stored. Also if key in cache: return cache[key] where nothing fills the cache.",
	Why:    "A value that should be computed once, such as a mel filter bank, is computed and copied to the GPU each time.",
	Fine:   "Never: it is a mistake.",
	Advice: "Look up the same key that is stored.",
	Bad:    "if fmax not in basis:\n    basis[str(fmax) + \"_\" + str(y.device)] = mel(rate, n_fft, bands, fmin, fmax)",
	Good:   "key = f\"{fmax}_{y.device}\"\nif key not in basis:\n    basis[key] = mel(rate, n_fft, bands, fmin, fmax)",
	Source: func(p *SourcePass) {
		p.neverStored()
		for _, test := range p.Module.Tests {
			missing, ok := test.(*pysrc.Compare)
			if !ok || len(missing.Ops) != 1 || missing.Ops[0] != pysrc.NotIn || !isName(missing.Left) || pysrc.DottedName(missing.Comparators[0]) == "" {
				continue
			}
			branch, ok := p.Module.StatementAt(missing.Start).(*pysrc.If)
			if !ok || branch.Test != pysrc.Expr(missing) {
				continue
			}
			stored := p.storedUnderAnother(branch, missing)
			if stored == nil {
				continue
			}
			way, often := p.Hot(branch.Body[0])
			if !often {
				way, often = p.PerSample(branch.Body[0])
			}
			if often {
				p.Report(missing, nearlyCertain*way.Sure).Because(way, p.At(stored, "the key that is stored")).
					Saying("%s is stored under one key and looked up under another, so it is computed each time", pysrc.DottedName(missing.Comparators[0]))
			}
		}
	},
}

// storedUnderAnother is the key under which a branch stores what it looked for under another, nil where it stores it
// under that, too. The stored key is a text made of the other and something else, so that the two cannot be equal.
func (p *SourcePass) storedUnderAnother(branch *pysrc.If, missing *pysrc.Compare) Node {
	cache, key := pysrc.DottedName(missing.Comparators[0]), missing.Left.(*pysrc.Name)
	said := p.onceSaid(key)
	var other Node
	same := false
	for _, stmt := range branch.Body {
		pysrc.Inspect(stmt, func(n pysrc.Node) bool {
			s, ok := n.(*pysrc.Subscript)
			if !ok || s.Ctx != pysrc.Store || pysrc.DottedName(s.Value) != cache {
				return true
			}
			stored := p.onceSaid(s.Slice)
			if isText(stored) && stored != said && mentionsName(stored, key.ID) && addsText(stored) {
				other = s
			} else {
				same = true
			}
			return true
		})
	}
	if same {
		return nil
	}
	return other
}

// addsText reports a text that holds a literal part.
func addsText(e pysrc.Expr) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if x, ok := n.(pysrc.Expr); ok {
			text, literal := pysrc.StringValue(x)
			found = found || literal && text != ""
		}
		return !found
	})
	return found
}
