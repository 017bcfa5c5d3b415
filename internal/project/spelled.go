package project

import (
	"bytes"
	"hash/maphash"
	"path"
	"slices"
)

// spells reports whether something of the project gives a value that name: its code, settings that the code can read, or
// a script. What is unpacked into a call cannot hold a name that nothing spells.
func (p *Project) spells(name string) bool {
	if known, ok := p.spelled.Load(name); ok {
		return known.(bool)
	}
	p.wordsOnce.Do(p.gatherWords)
	hash, plain := hashOf(name)
	found := p.words[hash] ||
		!plain && slices.ContainsFunc(p.Modules, func(m *Module) bool { return spelledIn(m.Text, name) }) ||
		slices.ContainsFunc(p.Settings, func(s *Settings) bool { return spelledIn(s.Text, name) && p.reads(s) }) ||
		slices.ContainsFunc(p.Scripts, func(s *Source) bool { return spelledIn(s.Text, name) })
	p.spelled.Store(name, found)
	return found
}

// gatherWords lists the names that modules spell, by their hash: one pass over the source instead of one for each name.
func (p *Project) gatherWords() {
	p.words = make(map[uint64]bool, 1<<14)
	var recent [4096]uint64 // words that are known, for most are written often
	for _, m := range p.Modules {
		text := m.Text
		for at := 0; at < len(text); at++ {
			if !isNameByte[text[at]] {
				continue
			}
			from := at
			for at++; at < len(text) && isNameByte[text[at]]; at++ {
			}
			if (from == 0 || !beforeValue[text[from-1]]) && (at == len(text) || !afterValue[text[at]] || !namesValue(text, from, at)) {
				continue
			}
			hash := maphash.Bytes(wordSeed, text[from:at])
			if last := &recent[hash>>52]; *last != hash {
				p.words[hash] = true
				*last = hash
			}
		}
	}
}

var wordSeed = maphash.MakeSeed()

// hashOf returns the hash of a name, and whether it is made of the letters that gatherWords takes for those of names.
func hashOf(name string) (hash uint64, plain bool) {
	plain = true
	for i := range len(name) {
		plain = plain && inName(name[i])
	}
	return maphash.String(wordSeed, name), plain
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

// spelledIn reports a name in a text where it names a value.
func spelledIn(text []byte, name string) bool {
	for from := 0; ; {
		at := bytes.Index(text[from:], []byte(name))
		if at < 0 {
			return false
		}
		at += from
		end := at + len(name)
		from = at + 1
		if (at == 0 || !inName(text[at-1])) && (end == len(text) || !inName(text[end])) && namesValue(text, at, end) {
			return true
		}
	}
}

func inName(b byte) bool { return b == '_' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z' }

// isNameByte is inName for each byte.
var isNameByte = func() (table [256]bool) {
	for b := range table {
		table[b] = inName(byte(b))
	}
	return table
}()

// namesValue reports whether the word of a text between two places names a value: a string, a keyword, an attribute, an
// option, a key. In a sentence of a comment it does not.
func namesValue(text []byte, from, end int) bool {
	if from > 0 && beforeValue[text[from-1]] {
		return true
	}
	for end < len(text) && text[end] == ' ' {
		end++
	}
	return end < len(text) && text[end] != ' ' && afterValue[text[end]]
}

// beforeValue are the bytes that stand before a name of a value, afterValue those behind one; there may be blanks between.
var (
	beforeValue = [256]bool{'"': true, '\'': true, '.': true, '-': true}
	afterValue  = [256]bool{'"': true, '\'': true, '=': true, ':': true, ' ': true}
)
