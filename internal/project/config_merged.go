package project

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// A settings file may be put over the defaults that a program keeps in nodes: cfg.merge_from_file(args.cfg). Commands change single
// settings, by pairs of words or by assignments: DATA.WORKERS 0, data.workers=0.

// gatherConfigMerges finds the calls that put settings files over the defaults of nodes.
func (p *Project) gatherConfigMerges() {
	for _, m := range p.Modules {
		if m.Role == Test {
			continue
		}
		for _, s := range m.Sites {
			if s.Method() == "merge_from_file" && len(s.Node.Args) == 1 {
				p.configMerges = append(p.configMerges, s)
			}
		}
	}
}

// mergedOver is the value of a node's setting, by its dotted path, with the settings files that are put over it; now is its default.
// Where it is not known which file a run names, all that have some of the settings count.
func (e *Eval) mergedOver(path string, now Value) Value {
	if given := e.overridden(path); given.Kind != Missing {
		return given
	}
	if len(e.p.configMerges) == 0 {
		return now
	}
	keys := strings.Split(path, ".")
	var values []Value
	for _, f := range e.filesMerged() {
		if s := f.Top.at(keys); s != nil && s.Kind == ScalarSetting {
			values = append(values, s.Value().lessSure(Likely))
		} else {
			values = append(values, now)
		}
	}
	if len(values) == 0 {
		return now
	}
	return mostly(values)
}

// mostly is the literal that more than half of several values are, or what they may be together.
func mostly(values []Value) Value {
	for _, v := range values {
		same := 0
		for _, w := range values {
			if w.Kind == Literal && w.Scalar == v.Scalar {
				same++
			}
		}
		if v.Kind == Literal && 2*same > len(values) {
			return v.lessSure(Likely)
		}
	}
	return merge(values)
}

// filesMerged are the settings files that programs may put over the defaults of nodes: those that they or commands name, or all that
// have keys of those defaults.
func (e *Eval) filesMerged() (named []*Settings) {
	for _, s := range e.p.configMerges {
		if path, ok := e.expr(s.Node.Args[0], s.scope()).Str(); ok {
			if f := e.p.settingsAt(s.Module(), path); f != nil && !slices.Contains(named, f) {
				named = append(named, f)
			}
		}
	}
	for _, f := range e.p.filesCommanded() {
		if !slices.Contains(named, f) {
			named = append(named, f)
		}
	}
	if len(named) > 0 {
		return named
	}
	tops := map[string]bool{}
	for path := range e.p.configs {
		top, _, _ := strings.Cut(path, ".")
		tops[top] = true
	}
	for _, f := range e.p.Settings {
		if f.Role == Test || f.Top == nil || f.Language != "yaml" {
			continue
		}
		for _, c := range f.Top.Children {
			if tops[c.Key] {
				named = append(named, f)
				break
			}
		}
	}
	return named
}

// filesCommanded are the settings files that options of commands name.
func (p *Project) filesCommanded() (named []*Settings) {
	for _, m := range p.Modules {
		for _, c := range p.commands[m] {
			for _, name := range slices.Sorted(maps.Keys(c.options)) {
				if path := c.options[name].text; settingsLanguage(path) == "yaml" {
					if f := p.settingsAt(m, path); f != nil && !slices.Contains(named, f) {
						named = append(named, f)
					}
				}
			}
		}
	}
	return named
}

// settingWord is a word of a command that names a setting, alone or with its value: DATA.WORKERS, +data.workers=0.
var settingWord = regexp.MustCompile(`^\+{0,2}([A-Za-z_][A-Za-z0-9_]*(?:[./][A-Za-z0-9_]+)*)(=.*)?$`)

// settingsIn are the settings that the words of a command change, by their dotted paths.
func settingsIn(words []word) map[string]word {
	var found map[string]word
	for i, w := range words {
		parts := settingWord.FindStringSubmatch(w.text)
		if parts == nil || parts[2] == "" && (!strings.Contains(parts[1], ".") || parts[1] != strings.ToUpper(parts[1]) || i+1 == len(words)) {
			continue
		}
		var value word
		if parts[2] == "" {
			value = words[i+1]
		} else {
			value = word{parts[2][1:], pysrc.Span{Start: w.span.End - int32(len(parts[2])-1), End: w.span.End}}
		}
		if found == nil {
			found = map[string]word{}
		}
		found[parts[1]] = value
	}
	return found
}

// overridden is the value that all commands which change settings of a program give one of them; Missing where at most half of them
// do, and not known where more do.
func (e *Eval) overridden(path string) Value {
	var values []Value
	changing := 0
	for _, m := range e.p.Modules {
		for _, c := range e.p.commands[m] {
			if len(c.settings) == 0 {
				continue
			}
			changing++
			if _, ok := c.settings[path]; ok {
				values = append(values, e.givenByAll([]command{c}, func(c command) map[string]word { return c.settings }, option{}, path))
			}
		}
	}
	switch {
	case 2*len(values) <= changing:
		return Value{Kind: Missing}
	case len(values) < changing:
		return Value{}
	}
	return merge(values)
}

// gatherOverridden finds the settings of files that commands change, with their dotted paths.
func (p *Project) gatherOverridden() {
	p.overridden = map[*Setting]string{}
	for _, list := range p.commands {
		for _, c := range list {
			for path := range c.settings {
				for _, f := range p.Settings {
					if s := f.Top.at(strings.Split(path, ".")); s != nil && s.Kind == ScalarSetting && f.Role != Test && len(path) > len(p.overridden[s]) {
						p.overridden[s] = path
					}
				}
			}
		}
	}
}

// asCommanded is the value of a setting as commands change it.
func (e *Eval) asCommanded(v Value) Value {
	if v.Setting == nil || v.Kind != Literal {
		return v
	}
	if path, ok := e.p.overridden[v.Setting]; ok {
		if given := e.overridden(path); given.Kind != Missing {
			return given
		}
	}
	return v
}
