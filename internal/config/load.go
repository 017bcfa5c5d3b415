package config

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Sources is where values may come from.
type Sources struct {
	Flags   map[string]string // by key: what was typed
	Environ []string          // NAME=value
	EnvFile string            // path, or "" for none
	Dir     string            // where the search for saturate.toml starts
	User    string            // the user's own settings file, which may not exist
}

// Value is a setting's value with the place it came from.
type Value struct {
	Key    string `json:"key"`            // name of the setting
	Value  string `json:"value"`          // as text
	Origin string `json:"origin"`         // "--format", "SATURATE_FORMAT", "saturate.toml:3", "default"
	Help   string `json:"help,omitempty"` // what the setting does
}

// Config holds every setting's value. It is not changed after Load.
type Config struct {
	values   map[string]Value
	keys     []string
	Warnings []string

	// Contradiction is GPU_BACKEND and USE_CUDA that name different hardware, in the place that counts: for commands to
	// which that matters. Elsewhere GPU_BACKEND wins.
	Contradiction error
}

// Get is the value of a setting. Asking for a key that was not listed is a mistake in the program.
func (c Config) Get(key string) Value {
	v, ok := c.values[key]
	if !ok {
		panic("config: no setting " + key)
	}
	return v
}

// All is every value in the order the settings were listed.
func (c Config) All() []Value {
	all := make([]Value, 0, len(c.keys))
	for _, k := range c.keys {
		all = append(all, c.values[k])
	}
	return all
}

// Load finds the value of every setting.
func Load(settings []Setting, from Sources) (Config, error) {
	environment := variables(from.Environ)
	var envFile []variable
	if from.EnvFile != "" {
		var err error
		if envFile, err = readEnvFile(from.EnvFile); err != nil {
			return Config{}, err
		}
	}
	file, warnings, err := nearestFile(from.Dir)
	if err != nil {
		return Config{}, err
	}
	own, foreign, err := settingsFile(from.User, "")
	if err != nil {
		return Config{}, err
	}
	if foreign != "" {
		warnings = append(warnings, foreign)
	}
	if err := errors.Join(unknownKeys(settings, file), unknownKeys(settings, own), notForProjects(settings, file,
		from.User)); err != nil {
		return Config{}, err
	}

	c := Config{values: map[string]Value{}, Warnings: warnings, Contradiction: contradiction(environment)}
	if _, ok, _ := lookUp(Platform()[0], environment); !ok {
		c.Contradiction = contradiction(envFile)
	}
	c.Warnings = append(c.Warnings, unknownVariables(settings, environment)...)
	c.Warnings = append(c.Warnings, unknownVariables(settings, envFile)...)
	for _, s := range settings {
		v := Value{Key: s.Key, Value: s.Default, Origin: "default", Help: s.Help}
		if typed, ok := from.Flags[s.Key]; ok {
			v.Value, v.Origin = typed, "--"+flagName(s.Key)
		} else if found, ok := c.heard(s, environment, envFile); ok {
			v.Value, v.Origin = found.value, found.origin
		} else if entry, ok := file[s.Key]; ok {
			v.Value, v.Origin = entry.value, entry.origin
		} else if entry, ok := own[s.Key]; ok {
			v.Value, v.Origin = entry.value, entry.origin
		}
		v, warning, err := s.check(v)
		if err != nil {
			return Config{}, err
		}
		if warning != "" {
			c.Warnings = append(c.Warnings, warning)
		}
		c.values[s.Key] = v
		c.keys = append(c.keys, s.Key)
	}
	return c, nil
}

// flagName turns "mel.num_buffers" into "num-buffers": a command's flags have no prefix of their own.
func flagName(key string) string {
	return strings.ReplaceAll(key[strings.LastIndexByte(key, '.')+1:], "_", "-")
}

// heard looks a setting up in the environment, then in the --env-file, and warns of a value that says nothing.
func (c *Config) heard(s Setting, places ...[]variable) (variable, bool) {
	for _, vars := range places {
		found, ok, warning := lookUp(s, vars)
		if warning != "" {
			c.Warnings = append(c.Warnings, warning)
		}
		if ok {
			return found, true
		}
	}
	return variable{}, false
}

// lookUp tries the setting's own variable first, then its aliases.
func lookUp(s Setting, vars []variable) (found variable, ok bool, warning string) {
	for _, a := range append([]Alias{{Env: s.Env()}}, s.Aliases...) {
		for _, v := range vars {
			if v.name != a.Env || v.value == "" {
				continue
			}
			if a.Translate == nil {
				return v, true, warning
			}
			if translated, ok := a.Translate(v.value); ok {
				v.value = translated
				return v, true, warning
			}
			warning = fmt.Sprintf("%s is %q, which is neither yes nor no; ignored", v.origin, v.value)
		}
	}
	return variable{}, false, warning
}

func unknownKeys(settings []Setting, file map[string]fileEntry) error {
	var known []string
	for _, s := range settings {
		known = append(known, s.Key)
	}
	var unknown []string
	for key := range file {
		if !slices.Contains(known, key) {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	sort.Strings(unknown)
	var all []error
	for _, key := range unknown {
		hint := "`saturate config` lists all settings"
		if near := Nearest(key, known); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		all = append(all, fmt.Errorf("%s: unknown setting %q; %s", file[key].origin, key, hint))
	}
	return errors.Join(all...)
}

// notForProjects refuses what a project's settings file may not say, and shows where to say it.
func notForProjects(settings []Setting, file map[string]fileEntry, user string) error {
	var all []error
	for _, s := range settings {
		entry, ok := file[s.Key]
		if !ok || s.InProject == nil {
			continue
		}
		if err := s.InProject(entry.value); err != nil {
			how := s.Env()
			if strings.Contains(s.Key, ".") {
				how = "--" + flagName(s.Key) + " or " + how
			}
			all = append(all, fmt.Errorf("%s: %s %w; use %s, or put it into %s", entry.origin, s.Key, err, how, user))
		}
	}
	return errors.Join(all...)
}

// unknownVariables warns of SATURATE_ names that look like a misspelt setting. A warning, not an
// error: such a variable may belong to another version of the program.
func unknownVariables(settings []Setting, vars []variable) (warnings []string) {
	var known []string
	for _, s := range settings {
		known = append(known, s.Env())
	}
	for _, v := range vars {
		if !strings.HasPrefix(v.name, "SATURATE_") || slices.Contains(known, v.name) {
			continue
		}
		// All names begin alike, so only a slip of a letter or two is taken for a misspelling: SATURATE_TEST_PYTHON is not.
		if near := Nearest(v.name, known); near != "" && distance(v.name, near) <= 2 {
			warnings = append(warnings, fmt.Sprintf("%s: unknown setting; did you mean %s?", v.origin, near))
		}
	}
	return warnings
}
