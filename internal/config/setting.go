// Package config finds the value of every setting and remembers where it came from.
//
// A setting is looked for, nearest first, in the command line's flags, the
// environment, the file given by --env-file, the nearest saturate.toml or
// [tool.saturate] of pyproject.toml, the user's own file, and then it has its default:
//
//	Setting list + Sources ─> Load ─> Config: Key ─> Value, Origin
//
// The package knows no commands: whoever has settings lists them.
package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Setting is one thing a user can choose.
type Setting struct {
	Key     string // "format", "mel.buffers": the path in saturate.toml
	Default string
	Help    string
	Aliases []Alias // variables of other names that are honoured too, nearest first

	// Check, when set, says whether a value is acceptable. It may correct the value
	// (the warning says so) or refuse it.
	Check func(value string) (corrected, warning string, err error)

	// InProject, when set, says why the settings file of a project may not give a value: such a file may come
	// from somebody else.
	InProject func(value string) error
}

// Personal is for settings that name programs to run, servers to talk to or files to write.
func Personal(string) error { return errors.New("is for the user to choose, not for a project") }

// InsideProject is for settings that name a folder to write to.
func InsideProject(value string) error {
	if filepath.IsLocal(value) {
		return nil
	}
	return fmt.Errorf("leads out of the project (%s)", value)
}

// Alias is a variable that is heard when the setting's own variable is not set.
type Alias struct {
	Env       string
	Translate func(value string) (translated string, ok bool) // nil: taken as it is; not ok: not heard, with a warning
}

// Env is the setting's own variable: SATURATE_MEL_BUFFERS for mel.buffers.
func (s Setting) Env() string {
	return "SATURATE_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(s.Key))
}

func (s Setting) check(v Value) (Value, string, error) {
	if s.Check == nil {
		return v, "", nil
	}
	corrected, warning, err := s.Check(v.Value)
	if err != nil {
		return v, "", fmt.Errorf("%s: %s %w", v.Origin, s.Key, err)
	}
	if warning != "" {
		warning = fmt.Sprintf("%s: %s %s", v.Origin, s.Key, warning)
	}
	v.Value = corrected
	return v, warning, nil
}

// OneOf accepts the listed words only.
func OneOf(words ...string) func(string) (string, string, error) {
	return func(value string) (string, string, error) {
		for _, w := range words {
			if strings.EqualFold(w, value) {
				return w, "", nil
			}
		}
		return "", "", fmt.Errorf("is %q: use one of %s%s", value, strings.Join(words, ", "), Hint(value, words))
	}
}

// clamped takes whole numbers and moves those outside [low, high] to the nearer end, with a
// warning. What is not a number becomes the fallback, with a warning: the variable may
// have been set for another program, and a typing mistake in it must not stop a training run.
func clamped(low, high, fallback int) func(string) (string, string, error) {
	return func(value string) (string, string, error) {
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil {
			return strconv.Itoa(fallback), fmt.Sprintf("is %q, not a whole number; using %d", value, fallback), nil
		}
		if c := min(max(n, low), high); c != n {
			return strconv.Itoa(c), fmt.Sprintf("is %d, outside %d to %d; using %d", n, low, high, c), nil
		}
		return strconv.Itoa(n), "", nil
	}
}

// Platform is the settings that say which hardware to use and how far to tune for it. Their
// aliases are the variables that speech programs have used for the same choice.
func Platform() []Setting {
	return []Setting{
		{
			Key: "gpu_backend", Default: "auto",
			Help:  "which hardware to use: auto, cuda, rocm, mps or cpu",
			Check: OneOf("auto", "cuda", "rocm", "mps", "cpu"),
			Aliases: []Alias{
				{Env: "GPU_BACKEND"},
				{Env: "USE_CUDA", Translate: func(v string) (string, bool) {
					yes, ok := yesOrNo(v)
					if yes {
						return "cuda", ok
					}
					return "cpu", ok
				}},
			},
		},
		{
			Key: "optimization_level", Default: "1",
			Help:    "how far to tune: 0 safe, 1 by hardware, 2 measured",
			Check:   clamped(0, 2, 1),
			Aliases: []Alias{{Env: "OPTIMIZATION_LEVEL"}},
		},
	}
}

// contradiction says so when GPU_BACKEND and USE_CUDA are both set in one place and mean different hardware.
func contradiction(vars []variable) error {
	values := map[string]string{}
	for _, v := range vars {
		values[v.name] = v.value
	}
	backend, use := strings.ToLower(values["GPU_BACKEND"]), values["USE_CUDA"]
	if backend == "" || backend == "auto" || use == "" || values["SATURATE_GPU_BACKEND"] != "" {
		return nil
	}
	yes, ok := yesOrNo(use)
	if onCUDA := backend == "cuda" || backend == "rocm"; ok && onCUDA != yes { // torch has ROCm under the name of CUDA
		return fmt.Errorf("GPU_BACKEND=%s and USE_CUDA=%s contradict each other; unset one, or use --backend",
			values["GPU_BACKEND"], use)
	}
	return nil
}

// yesOrNo reads a variable that switches something; ok is false for any other word.
func yesOrNo(v string) (yes, ok bool) {
	switch strings.ToLower(strings.TrimSpace(v)) {
	case "1", "true", "yes", "on", "y", "t":
		return true, true
	case "0", "false", "no", "off", "n", "f":
		return false, true
	}
	return false, false
}
