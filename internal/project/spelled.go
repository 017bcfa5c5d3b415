package project

import (
	"bytes"
	"slices"
	"strings"
)

// spells reports whether something of the project gives a value that name: its code, settings that the code can read, or
// a script. What is unpacked into a call cannot hold a name that nothing spells.
func (p *Project) spells(name string) bool {
	if known, ok := p.spelled.Load(name); ok {
		return known.(bool)
	}
	found := slices.ContainsFunc(p.Modules, func(m *Module) bool { return m.Says(name) && spelledIn(m.Text, name) }) ||
		slices.ContainsFunc(p.Settings, func(s *Settings) bool { return spelledIn(s.Text, name) && p.reads(s.Language) }) ||
		slices.ContainsFunc(p.Scripts, func(s *Source) bool { return spelledIn(s.Text, name) })
	p.spelled.Store(name, found)
	return found
}

// reads reports whether the project has code that can read settings in a language.
func (p *Project) reads(language string) bool {
	words := []string{language}
	if language == "yaml" {
		words = []string{"yaml", "yml", "hydra", "Omega", "CLI"}
	}
	return slices.ContainsFunc(p.Modules, func(m *Module) bool { return slices.ContainsFunc(words, m.Says) })
}

// spelledIn reports a name in a text where it names a value: a string, a keyword, an attribute, an option, a key. In a
// sentence of a comment it does not.
func spelledIn(text []byte, name string) bool {
	inName := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] == '_' || '0' <= text[i] && text[i] <= '9' || 'a' <= text[i]|0x20 && text[i]|0x20 <= 'z')
	}
	for from := 0; ; {
		at := bytes.Index(text[from:], []byte(name))
		if at < 0 {
			return false
		}
		at += from
		end := at + len(name)
		from = at + 1
		if inName(at-1) || inName(end) {
			continue
		}
		if at > 0 && strings.IndexByte("\"'.-", text[at-1]) >= 0 {
			return true
		}
		for end < len(text) && text[end] == ' ' {
			end++
		}
		if end < len(text) && strings.IndexByte("\"'=:", text[end]) >= 0 {
			return true
		}
	}
}
