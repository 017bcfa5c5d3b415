package project

import (
	"bytes"
	"path"
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
		slices.ContainsFunc(p.Settings, func(s *Settings) bool { return spelledIn(s.Text, name) && p.reads(s) }) ||
		slices.ContainsFunc(p.Scripts, func(s *Source) bool { return spelledIn(s.Text, name) })
	p.spelled.Store(name, found)
	return found
}

// readers are the libraries that read settings of a language: json and tomllib of Python, parsers, and frameworks that
// take the path of a settings file.
var readers = map[string]map[string]bool{
	"json": setOf("json", "orjson", "ujson", "simplejson", "transformers", "trl", "jsonargparse", "deepspeed"),
	"toml": setOf("tomllib", "toml", "tomli", "tomlkit", "rtoml", "dynaconf", "pydantic_settings"),
	"yaml": setOf("yaml", "ruamel", "oyaml", "hydra", "omegaconf", "lightning", "jsonargparse", "transformers", "trl", "pyrallis",
		"draccus", "yacs", "fvcore", "mmcv", "mmengine", "detectron2", "dynaconf", "pydantic_settings", "hyperpyyaml", "ml_collections"),
}

// reads reports whether the project has code that can read a settings file: it imports what reads the language, or names
// the file.
func (p *Project) reads(s *Settings) bool {
	name := path.Base(slashed(s.Path))
	return slices.ContainsFunc(p.Modules, func(m *Module) bool {
		return m.Role != Test && (m.Says(name) || importsOneOf(m, readers[s.Language]))
	})
}

func importsOneOf(m *Module, libraries map[string]bool) bool {
	for name := range libraries {
		if m.imports[name] {
			return true
		}
	}
	return false
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
