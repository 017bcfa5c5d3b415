package tune

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"saturate/internal/files"
	"saturate/internal/tune/setting"
)

// Profile is a set of settings that was found on one machine, for others of the same kind.
type Profile struct {
	Schema    string           `json:"schema"`
	Kind      Kind             `json:"kind"`
	Level     int              `json:"level"`
	Settings  []setting.Choice `json:"settings"`
	Winner    []string         `json:"winner,omitempty"`    // of them, those that a measurement spoke for
	Confirmed *Effect          `json:"confirmed,omitempty"` // what it said
}

const profileSchema = "saturate/tune-profile/1"

// Kind is what machines have in common for which the same settings are right.
type Kind struct {
	Backend string `json:"backend"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	GPU     string `json:"gpu,omitempty"`
	CPU     string `json:"cpu,omitempty"`
	Cores   int    `json:"cores"`
	Torch   string `json:"torch,omitempty"` // 2.15: the last number does not count
	JAX     string `json:"jax,omitempty"`
}

// kindOf is the kind of a machine.
func kindOf(m setting.Machine) Kind {
	return Kind{m.Backend, m.OS, m.Arch, m.GPU, m.CPU, m.Cores, minor(m.Torch), minor(m.JAX)}
}

func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// differences says how another kind differs, in words.
func (k Kind) differences(here Kind) []string {
	var all []string
	for _, d := range []struct{ what, there, here string }{
		{"backend", k.Backend, here.Backend},
		{"system", k.OS, here.OS},
		{"architecture", k.Arch, here.Arch},
		{"GPU", k.GPU, here.GPU},
		{"CPU", k.CPU, here.CPU},
		{"cores", fmt.Sprint(k.Cores), fmt.Sprint(here.Cores)},
		{"torch", k.Torch, here.Torch},
		{"jax", k.JAX, here.JAX},
	} {
		if d.there != d.here {
			all = append(all, fmt.Sprintf("%s %s, here %s", d.what, orNothing(d.there), orNothing(d.here)))
		}
	}
	return all
}

func orNothing(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// Export writes what a program ran with.
func Export(path string, r Result) error {
	p := Profile{profileSchema, kindOf(r.Machine), r.Level, r.Use, r.Winner, r.Confirmed}
	if p.Settings == nil {
		p.Settings = []setting.Choice{}
	}
	data, err := json.MarshalIndent(p, "", "  ")
	if err == nil {
		err = files.Write(path, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("cannot write the profile: %w", err)
	}
	return nil
}

// Load reads a profile for a machine. One of another kind is refused, unless it is forced.
func Load(path string, m setting.Machine, force bool) (Profile, error) {
	var p Profile
	data, err := files.Read(path, files.MaxRecord)
	if err != nil {
		return p, fmt.Errorf("cannot read the profile: %w", err)
	}
	if err := json.Unmarshal(data, &p); err != nil || p.Schema != profileSchema {
		return p, fmt.Errorf("%s is not a profile; `saturate tune --export FILE` writes one", path)
	}
	for _, c := range p.Settings {
		if problem := c.Problem(); problem != "" {
			return p, fmt.Errorf("%s: %s %s", path, c.Name, problem)
		}
	}
	if different := p.Kind.differences(kindOf(m)); len(different) > 0 && !force {
		return p, fmt.Errorf("%s is for another kind of machine (%s); export one here, or use this one with --force", path,
			strings.Join(different, "; "))
	}
	return p, nil
}

// Selection are the settings of a profile, without those that name a file which is not here.
func (p Profile) Selection() Selection {
	var s Selection
	for _, c := range p.Settings {
		if file := missingFile(c); file != "" {
			s.Left = append(s.Left, setting.Left{Name: c.Name, Reason: "it needs " + file + ", which is missing"})
			continue
		}
		s.Use = append(s.Use, c)
	}
	return s
}

// missingFile is a library that a setting loads before the program and that is not here.
func missingFile(c setting.Choice) string {
	for _, v := range c.Ways[0].Env {
		if v.Name != "LD_PRELOAD" {
			continue
		}
		if _, err := os.Stat(v.Value); err != nil {
			return v.Value
		}
	}
	return ""
}
