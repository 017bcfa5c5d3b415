package optimize

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/files"
	"saturate/internal/finding"
	"saturate/internal/human"
)

// idle reports whether a finding lies in a branch that the original program did not take: its line is in a function that
// was entered, and never ran. A repair there would be in the patch without being measured. Later programs have other
// line numbers, so lines are known by their text.
func (p *protocol) idle(f finding.Finding, t tree) bool {
	return f.Where != nil && p.idleTexts(p.shownPath(f.Where.Path, t))[strings.TrimSpace(f.Where.Excerpt)]
}

// idleTexts are the lines of a file that never ran, where no line with the same text did.
func (p *protocol) idleTexts(name string) map[string]bool {
	if p.state.Baseline == nil || len(p.state.Baseline.Idle[name]) == 0 {
		return nil
	}
	if texts, known := p.idling[name]; known {
		return texts
	}
	texts, ran, line := map[string]bool{}, map[string]bool{}, 0
	data, _ := files.Read(filepath.Join(p.base().dir, name), files.MaxSource) // without it, nothing is known to be idle
	for text := range strings.Lines(string(data)) {
		line++
		if slices.Contains(p.state.Baseline.Idle[name], line) {
			texts[strings.TrimSpace(text)] = true
		} else {
			ran[strings.TrimSpace(text)] = true
		}
	}
	maps.DeleteFunc(texts, func(text string, _ bool) bool { return ran[text] })
	if p.idling == nil {
		p.idling = map[string]map[string]bool{}
	}
	p.idling[name] = texts
	return texts
}

// neverRan says which findings were left out because their lines did not run.
func neverRan(places []string) string {
	return "findings in lines that did not run were left out: " + human.And(places[:min(mostNamed, len(places))])
}
