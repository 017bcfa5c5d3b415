package optimize

import (
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
	if f.Where == nil {
		return false
	}
	name := p.shownPath(f.Where.Path, t)
	texts := p.idleTexts(name)
	if len(texts) == 0 {
		return false
	}
	lines := linesOf(filepath.Join(t.dir, name))
	return f.Where.Line <= len(lines) && texts[lines[f.Where.Line-1]]
}

// idleTexts are the lines of a file that never ran, where no line with the same text did.
func (p *protocol) idleTexts(name string) map[string]bool {
	if p.state.Baseline == nil || len(p.state.Baseline.Idle[name]) == 0 {
		return nil
	}
	idle := p.state.Baseline.Idle[name]
	if texts, known := p.idling[name]; known {
		return texts
	}
	texts := map[string]bool{}
	lines := linesOf(filepath.Join(p.base().dir, name))
	for i, text := range lines {
		if slices.Contains(idle, i+1) {
			texts[text] = true
		}
	}
	for i, text := range lines {
		if !slices.Contains(idle, i+1) {
			delete(texts, text)
		}
	}
	if p.idling == nil {
		p.idling = map[string]map[string]bool{}
	}
	p.idling[name] = texts
	return texts
}

// linesOf are the lines of a file, without what surrounds them.
func linesOf(path string) (lines []string) {
	data, err := files.Read(path, files.MaxSource)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(data)) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

// neverRan says which findings were left out because their lines did not run.
func neverRan(places []string) string {
	return "findings in lines that did not run were left out: " + human.And(places[:min(mostNamed, len(places))])
}
