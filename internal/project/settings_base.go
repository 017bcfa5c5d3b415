package project

import (
	"path"
	"slices"
)

// joinBases finds the settings files that change another one: they name its path, and repeat some of its keys. Where such a file
// says nothing, what the other says holds.
func (p *Project) joinBases() {
	at := map[string]*Settings{}
	for _, s := range p.Settings {
		at[slashed(s.Path)] = s
	}
	for _, s := range p.Settings {
		for _, c := range s.Top.Children {
			if c.Kind != ScalarSetting || c.Scalar.Type != String || settingsLanguage(c.Scalar.Text) == "" {
				continue
			}
			base := at[path.Join(path.Dir(slashed(s.Path)), slashed(c.Scalar.Text))]
			if base == nil {
				base = at[path.Join(slashed(p.Root), slashed(c.Scalar.Text))]
			}
			if base != nil && base != s && repeats(s.Top, base.Top) && sameKind(s, base) && !s.Top.rests(base.Top) {
				base.isBase = true
				s.Top.changes(base.Top)
			}
		}
	}
}

// callsItself reports a function that reads a file, and calls itself for the one which that names.
func (f *Function) callsItself() bool {
	return slices.ContainsFunc(f.Sites, func(s *Site) bool { return s.Calls.Func == f })
}

// sameKind reports files of which neither is of another framework: arguments of a trainer name the settings of DeepSpeed, and do not
// change them.
func sameKind(s, base *Settings) bool {
	a, b := s.Framework(), base.Framework()
	return a == b || a == "" || b == ""
}

// repeats reports a mapping with at least two keys of another.
func repeats(s, base *Setting) bool {
	shared := 0
	for _, c := range s.Children {
		if base.Child(c.Key) != nil {
			shared++
		}
	}
	return shared >= 2
}

// rests reports mappings that change each other, which nothing could read.
func (s *Setting) rests(on *Setting) bool {
	for b, n := on, 0; b != nil && n < 20; b, n = b.base, n+1 {
		if b == s {
			return true
		}
	}
	return false
}

// changes lets a mapping take from another what it does not say itself, in the mappings that both have, too.
func (s *Setting) changes(base *Setting) {
	if s.base != nil || s == base {
		return
	}
	s.base = base
	for _, c := range s.Children {
		if below := base.Child(c.Key); c.Kind == MappingSetting && below != nil && below.Kind == MappingSetting {
			c.changes(below)
		}
	}
}
