package project

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// Settings is a YAML, JSON or TOML file.
type Settings struct {
	*Source
	Language string // yaml, json or toml
	Top      *Setting
	Role     Role
	isBase   bool // other files name it and change a part of it
}

// Setting is a node of a settings file: a mapping, a list or a scalar.
type Setting struct {
	File   *Settings
	Parent *Setting
	// Key is the name in a mapping, empty in a list and at the top.
	Key  string
	Kind SettingKind
	// Scalar is the value of a scalar.
	Scalar Scalar
	// Span is where the value stands, KeySpan where its key does.
	Span, KeySpan pysrc.Span
	Children      []*Setting

	groups map[string]*Setting // of a Hydra file: what its defaults bring
	base   *Setting            // of a mapping that changes another: what holds where it says nothing
}

// SettingKind is what a Setting is.
type SettingKind uint8

const (
	ScalarSetting SettingKind = iota
	MappingSetting
	ListSetting
)

// Bounds returns where the value stands.
func (s *Setting) Bounds() pysrc.Span { return s.Span }

// Path is the dotted path from the top.
func (s *Setting) Path() string {
	if s.Parent == nil {
		return ""
	}
	key := s.Key
	if s.Parent.Kind == ListSetting {
		for i, c := range s.Parent.Children {
			if c == s {
				key = strconv.Itoa(i)
			}
		}
	}
	if up := s.Parent.Path(); up != "" {
		return up + "." + key
	}
	return key
}

// Child returns the value of a key, or nil.
func (s *Setting) Child(key string) *Setting {
	if s == nil || s.Kind != MappingSetting {
		return nil
	}
	for _, c := range s.Children {
		if c.Key == key {
			return c
		}
	}
	if c := s.groups[key]; c != nil || s.base == nil {
		return c
	}
	return s.base.Child(key)
}

// at follows keys down.
func (s *Setting) at(keys []string) *Setting {
	for _, k := range keys {
		s = s.Child(k)
	}
	return s
}

// Find returns the settings at dotted paths: trainer.precision. A path that
// starts with a dot is found at any depth.
func (f *Settings) Find(paths ...string) []*Setting {
	var list []*Setting
	for _, p := range paths {
		rest, deep := strings.CutPrefix(p, ".")
		keys := strings.Split(rest, ".")
		if !deep {
			if s := f.Top.at(keys); s != nil {
				list = append(list, s)
			}
			continue
		}
		f.Top.each(func(s *Setting) {
			if s.Key != keys[0] || s.Parent == nil {
				return
			}
			if s = s.at(keys[1:]); s != nil {
				list = append(list, s)
			}
		})
	}
	return list
}

func (s *Setting) each(visit func(*Setting)) {
	visit(s)
	for _, c := range s.Children {
		c.each(visit)
	}
}

// Value gives the setting as a Value.
func (s *Setting) Value() Value { return keyValue([]*Setting{s}, Certain) }

// keyValue gives the Value of one setting, or of several that may be meant.
func keyValue(nodes []*Setting, sure float64) Value {
	switch {
	case len(nodes) == 0:
		return Value{}
	case len(nodes) > 1:
		var scalars []Value
		for _, n := range nodes {
			if n.Kind == ScalarSetting {
				scalars = append(scalars, keyValue([]*Setting{n}, sure))
			}
		}
		if len(scalars) == len(nodes) {
			return merge(scalars)
		}
	}
	first := nodes[0]
	v := Value{
		Kind: Key, Setting: first, more: &more{nodes: nodes}, Sure: sure,
		Origin: Origin{Source: first.File.Source, Span: first.Span, How: BySettings},
	}
	if first.Kind == ScalarSetting {
		v.Kind, v.Scalar = Literal, first.Scalar
		if first.Scalar.Type == String && strings.Contains(first.Scalar.Text, "${") {
			v.Kind = Unknown
		}
	}
	return v
}

// settingItem looks a key or index up in a mapping or list.
func settingItem(v, key Value) Value {
	var found []*Setting
	for _, n := range v.nodes() {
		if name, ok := key.Str(); ok {
			if c := n.Child(name); c != nil {
				found = append(found, c)
			}
		} else if i, ok := key.Int(); ok && n.Kind == ListSetting {
			if i >= 0 && i < int64(len(n.Children)) {
				found = append(found, n.Children[i])
			}
		} else {
			found = append(found, n.Children...) // any of them
		}
	}
	if len(found) == 0 {
		if key.Kind == Literal && len(v.nodes()) == 1 {
			return Value{Kind: Missing, Sure: v.Sure}
		}
		return Value{}
	}
	if len(found) > 50 {
		return Value{}
	}
	sure := v.Sure * min(1, max(key.Sure, Perhaps))
	return keyValue(found, sure)
}

// SetTo gives the edit that sets the value to what text says in Python.
func (s *Setting) SetTo(text string) patch.Edit {
	if s.Span.End <= s.Span.Start {
		return patch.Edit{}
	}
	return s.File.Edit(s.Span, s.File.write(text))
}

// AddBefore gives the edit that sets another key of the same mapping, on a line
// of its own before this one where this one has its own. The edit has no path
// where the key does not stand in the file.
func (s *Setting) AddBefore(key, text string) patch.Edit {
	at := s.KeySpan.Start
	if s.KeySpan.End <= at {
		return patch.Edit{}
	}
	entry, between := key+": "+s.File.write(text), ", "
	switch s.File.Language {
	case "json":
		entry, between = `"`+entry[:len(key)]+`"`+entry[len(key):]+",", " "
	case "toml":
		entry = key + " = " + s.File.write(text)
	}
	if indent, alone := lineIndent(s.File.Text, at); alone {
		between = s.File.Newline() + indent
	}
	return s.File.Edit(pysrc.Span{Start: at, End: at}, entry+between)
}

// write turns a Python literal into one of the file's language.
func (f *Settings) write(text string) string {
	if f.Language == "gin" {
		return text
	}
	switch text {
	case "True":
		return "true"
	case "False":
		return "false"
	case "None":
		if f.Language == "toml" {
			return `""`
		}
		return "null"
	}
	if len(text) > 1 && text[0] == '\'' && text[len(text)-1] == '\'' {
		return `"` + text[1:len(text)-1] + `"`
	}
	return text
}

// settingsAt finds a settings file by what a program calls it: beside the
// module, from the project's root, or the only one with such an end of its path.
func (p *Project) settingsAt(m *Module, name string) *Settings {
	name = slashed(name)
	beside, inRoot := path.Join(path.Dir(slashed(m.Path)), name), path.Join(slashed(p.Root), name)
	end := "/" + strings.TrimPrefix(strings.TrimLeft(name, "./"), "../")
	var found *Settings
	count := 0
	for _, s := range p.Settings {
		at := slashed(s.Path)
		if at == beside || at == inRoot {
			return s
		}
		if at == name || strings.HasSuffix(at, end) {
			found = s
			count++
		}
	}
	if count == 1 {
		return found
	}
	return nil
}

// settingsLanguage tells the language by the end of a path, or nothing.
func settingsLanguage(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".yaml", ".yml":
		return "yaml"
	case ".json":
		return "json"
	case ".toml":
		return "toml"
	case ".gin":
		return "gin"
	}
	return ""
}

// compose follows the defaults of Hydra files: model: base brings model/base.yaml.
func (p *Project) compose() {
	at := map[string]*Settings{}
	for _, s := range p.Settings {
		at[slashed(s.Path)] = s
	}
	for _, s := range p.Settings {
		list := s.Top.Child("defaults")
		if list == nil || list.Kind != ListSetting {
			continue
		}
		for _, entry := range list.Children {
			for _, choice := range entry.Children {
				group := strings.TrimPrefix(strings.TrimPrefix(choice.Key, "override "), "/")
				file := at[path.Join(path.Dir(slashed(s.Path)), group, choice.Scalar.Text+".yaml")]
				if file == nil || choice.Kind != ScalarSetting {
					continue
				}
				if s.Top.groups == nil {
					s.Top.groups = map[string]*Setting{}
				}
				if file.isGlobal(path.Base(group)) {
					for _, c := range file.Top.Children {
						s.Top.groups[c.Key] = c
					}
					continue
				}
				s.Top.groups[path.Base(group)] = file.Top
			}
		}
	}
}

// isGlobal reports whether the keys of a group's file stand at the top of what Hydra composes: the file says so, or it
// repeats the group's name, as Hydra before 1.0 wanted it.
func (f *Settings) isGlobal(group string) bool {
	for line := range strings.Lines(string(f.Text)) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			break
		}
		if strings.Contains(line, "@package _global_") {
			return true
		}
	}
	again := f.Top.Child(group)
	return again != nil && again.Kind == MappingSetting
}

// String shows the setting for a message.
func (s *Setting) String() string {
	if s.Kind != ScalarSetting {
		return s.Path()
	}
	return fmt.Sprintf("%s: %s", s.Path(), s.File.Text[s.Span.Start:s.Span.End])
}

// setsKey reports whether a settings file of the project has a key of that name.
func (p *Project) setsKey(name string) bool {
	return slices.ContainsFunc(p.Settings, func(f *Settings) bool { return f.Role != Test && f.Top != nil && len(f.Find("."+name)) > 0 })
}
