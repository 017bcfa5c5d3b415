package rule

import (
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/patch"
	"saturate/internal/project"
)

// manyFiles are so many settings files that what they have in common is a habit of the project.
const manyFiles = 5

// joinSettings makes one finding of those that say the same about many settings files: a project with a file for each
// model has one habit, not forty. The first one names how many there are, and its fix is the fix of all.
func joinSettings(list []finding.Finding, settings map[string]bool) (joined []finding.Finding) {
	type claim struct{ code, message, fixes string }
	first, more, count := map[claim]int{}, map[int][]finding.Finding{}, map[claim]int{}
	for _, f := range list {
		if settings[f.Where.Path] {
			count[claim{f.Code, f.Message, titlesOf(f.Fixes)}]++
		}
	}
	for _, f := range list {
		key := claim{f.Code, f.Message, titlesOf(f.Fixes)}
		at, said := first[key]
		switch {
		case !settings[f.Where.Path] || count[key] < manyFiles:
			joined = append(joined, f)
		case said:
			more[at] = append(more[at], f)
		default:
			first[key] = len(joined)
			joined = append(joined, f)
		}
	}
	for at, others := range more {
		f := &joined[at]
		fixAll(f, others)
		f.Evidence = append(slices.Clone(f.Evidence), finding.Evidence{
			Text: "the same is true of " + human.Plural(len(others), "other settings file"), Location: others[0].Where,
		})
	}
	return joined
}

// titlesOf tells fixes apart, but for the places that they edit.
func titlesOf(fixes []patch.Patch) (text string) {
	for _, f := range fixes {
		text += string(f.Safety) + " " + f.Title + "\n"
	}
	return text
}

// fixAll makes the fixes of a finding those of others of the same kind, too.
func fixAll(f *finding.Finding, others []finding.Finding) {
	f.Fixes = slices.Clone(f.Fixes)
	for i := range f.Fixes {
		f.Fixes[i].Edits = slices.Clone(f.Fixes[i].Edits)
		for _, o := range others {
			if titlesOf(o.Fixes) != titlesOf(f.Fixes) {
				continue // another fix for another case
			}
			for _, e := range o.Fixes[i].Edits {
				if !slices.Contains(f.Fixes[i].Edits, e) { // an import that both need
					f.Fixes[i].Edits = append(f.Fixes[i].Edits, e)
				}
			}
		}
	}
}

// mostPlaces is how many other places a joined finding names.
const mostPlaces = 12

// joinCopies makes one finding of those that say the same about the same line of functions of one name, which are
// copies, or about settings files, of those that a rule says about one function, and of those that a general rule says
// about one program. The first one names the others, and its fix is the fix of all.
func joinCopies(list []finding.Finding, p *project.Project) []finding.Finding {
	programs := map[string]any{}
	for _, m := range p.Modules {
		programs[m.Real()] = m.Program()
	}
	type claim struct {
		severity             Severity
		code, message, fixes string
		within, text         string // of copies
		program              any    // of a general rule
	}
	settings := map[string]bool{}
	for _, s := range p.Settings {
		settings[s.Real()] = true
	}
	list = joinBy(list, mostPlaces, func(f *finding.Finding) any {
		if settings[f.Where.Path] {
			return claim{severity: f.Severity, code: f.Code, message: f.Message, fixes: titlesOf(f.Fixes)}
		}
		line, _, _ := strings.Cut(f.Where.Excerpt, "\n")
		if programs[f.Where.Path] == nil || strings.TrimSpace(line) == "" {
			return nil
		}
		return claim{severity: f.Severity, code: f.Code, message: f.Message, fixes: titlesOf(f.Fixes), within: f.Within, text: strings.TrimSpace(line)}
	}, func(finding.Finding) string { return "and here" })
	list = joinBy(list, mostPlaces, oneCause, func(o finding.Finding) string { return o.Message })
	list = joinBy(list, mostPlaces, func(f *finding.Finding) any {
		if f.Within == "" {
			return nil
		}
		return claim{code: f.Code, message: f.Message, text: f.Where.Path} // one sentence about one file
	}, func(finding.Finding) string { return "and here" })
	return joinBy(list, mostPlaces, func(f *finding.Finding) any {
		if r := Find(f.Code); programs[f.Where.Path] != nil && r != nil && r.Once {
			return claim{code: f.Code, program: programs[f.Where.Path]}
		}
		if programs[f.Where.Path] == nil || rank(f) == 0 {
			return nil
		}
		return claim{severity: f.Severity, code: f.Code, message: f.Message, fixes: titlesOf(f.Fixes), program: programs[f.Where.Path]}
	}, func(o finding.Finding) string {
		if r := Find(o.Code); r != nil && r.Once {
			return o.Message
		}
		return "and here"
	})
}

// oneCause joins what a rule says of one function, or of the top level of a script or cell: three metrics that a step logs,
// or the arms of one if, have one cause, whose first place stands for it.
func oneCause(f *finding.Finding) any {
	if f.Within == "" {
		return nil
	}
	cause := f.Code
	if r := Find(f.Code); r != nil && (r.OneWait || r.Waits) {
		cause = "a wait" // after one, the host hardly waits again
	}
	return struct {
		cause, path, within string
		cell                int
	}{cause, f.Where.Path, f.Within, f.Where.Cell}
}

// joinBy joins the findings of the same key, other than nil. The first one names others, but not too many, by what is said of each.
func joinBy(list []finding.Finding, most int, key func(*finding.Finding) any, said func(finding.Finding) string) (joined []finding.Finding) {
	first, more := map[any]int{}, map[int][]finding.Finding{}
	for i := range list {
		k := key(&list[i])
		if at, said := first[k]; said && k != nil {
			more[at] = append(more[at], list[i])
			continue
		}
		first[k] = len(joined)
		joined = append(joined, list[i])
	}
	for at, others := range more {
		f := &joined[at]
		fixAll(f, others)
		f.Evidence = slices.Clone(f.Evidence)
		for i, o := range others {
			if i == most {
				f.Evidence = append(f.Evidence, finding.Evidence{Text: "and in " + human.Plural(len(others)-i, "other place")})
				break
			}
			nameToo(f, o, said(o))
		}
	}
	return joined
}

// nameToo makes another finding a further place of one, with what its own file says for it.
func nameToo(of *finding.Finding, other finding.Finding, said string) {
	of.Evidence = append(of.Evidence, finding.Evidence{Text: said, Code: other.Code, Location: other.Where})
	oneStep := of.Step != "" && of.Step == other.Step // what leads to it leads from the same loop
	for _, e := range other.Evidence {
		if e.Location != nil && (e.Code != "" || oneStep || sameProgram(e.Location.Path, other.Where.Path, of.Where.Path)) && !slices.ContainsFunc(of.Evidence, func(had finding.Evidence) bool {
			return had.Location != nil && *had.Location == *e.Location
		}) {
			of.Evidence = append(of.Evidence, e)
		}
	}
}

// sameProgram reports whether evidence of a finding that is joined to another belongs to it alone: it stands in its file, it
// is about another place in the file of the first, or in the folder of a copy that lies elsewhere.
func sameProgram(evidence, joined, first string) bool {
	return evidence == joined || joined == first || filepath.Dir(evidence) == filepath.Dir(joined) && filepath.Dir(joined) != filepath.Dir(first)
}
