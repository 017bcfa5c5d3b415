package rule

import (
	"saturate/internal/finding"
	"saturate/internal/patch"
	"saturate/internal/project"
)

// addRanges tells the lines and columns of each repair's edits, and the hash of the line of each finding.
func addRanges(findings []finding.Finding, p *project.Project) {
	sources := map[string]*project.Source{}
	for _, m := range p.Modules {
		sources[m.Real()] = m.Source
	}
	for _, s := range p.Settings {
		sources[s.Real()] = s.Source
	}
	hashes := map[string]lineHashes{}
	for i := range findings {
		f := &findings[i]
		if at := f.Where; at != nil && sources[at.Path] != nil {
			list, known := hashes[at.Path]
			if raw := sources[at.Path].Raw(); !known && raw != nil {
				list = lineHashesOf(raw)
				hashes[at.Path] = list
			}
			if line := at.Range().Line; line > 0 && line <= len(list) {
				at.LineHash = list.of(line)
			}
		}
		for j := range f.Fixes {
			f.Fixes[j].Ranges = rangesOf(f.Fixes[j].Edits, sources)
		}
	}
}

// rangesOf gives the range of each edit, or nothing where the file of one was not read.
func rangesOf(edits []patch.Edit, sources map[string]*project.Source) []patch.Range {
	ranges := make([]patch.Range, 0, len(edits))
	for _, e := range edits {
		source := sources[e.Path]
		if source == nil {
			return nil
		}
		ranges = append(ranges, source.RangeOf(e.Start, e.End))
	}
	return ranges
}
