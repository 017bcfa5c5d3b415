package tune

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/files"
	"saturate/internal/tune/setting"
)

// Selection is the settings that a program is to run with, those that are worth a measurement, and the rest.
type Selection struct {
	Use        []setting.Choice `json:"use"`
	Candidates []setting.Choice `json:"candidates,omitempty"` // level 2: used only where a measurement speaks for them
	Left       []setting.Left   `json:"left,omitempty"`       // why each other one is not used
}

// Select chooses for a machine and a command. The user's own settings are added on any machine.
func Select(m setting.Machine, command []string, level int, only, except []string, own []setting.Setting) Selection {
	chosen, left := setting.Choose(m, level, only, except)
	for _, s := range own {
		if slices.Contains(except, s.Name) {
			left = append(left, setting.Left{Name: s.Name, Reason: "excluded by --except"})
			continue
		}
		chosen = append(chosen, setting.Choice{Setting: s})
	}
	s := Selection{Left: left}
	launcher := launches(command)
	for _, c := range chosen {
		if c.Group == "threads" && launcher != "" && !slices.Contains(only, c.Name) {
			s.Left = append(s.Left, setting.Left{
				Name:   c.Name,
				Reason: launcher + " starts several processes that share the cores",
			})
			continue
		}
		if c.Level >= setting.Measured && level >= setting.Measured {
			s.Candidates = append(s.Candidates, c)
		} else {
			s.Use = append(s.Use, c)
		}
	}
	return s
}

// launches names the program that starts one process for each device, if the command is such.
func launches(command []string) string {
	for _, word := range command {
		switch name := filepath.Base(word); name {
		case "torchrun", "accelerate", "deepspeed", "mpirun", "mpiexec", "srun", "torch.distributed.run", "torch.distributed.launch":
			return name
		}
		if strings.HasSuffix(word, ".py") {
			break // what follows is the program's own
		}
	}
	return ""
}

// ReadSettings reads settings of the user's own, in the form in which --list shows the table.
func ReadSettings(path string) ([]setting.Setting, error) {
	data, err := files.Read(path, files.MaxSource)
	if err != nil {
		return nil, fmt.Errorf("cannot read the settings: %w", err)
	}
	return parseSettings(path, data)
}

func parseSettings(path string, data []byte) ([]setting.Setting, error) {
	var own []setting.Setting
	if err := json.Unmarshal(data, &own); err != nil {
		return nil, fmt.Errorf("%s is not a list of settings: %w; see `saturate tune --list --format json`", path, err)
	}
	taken := setting.Names()
	for i, s := range own {
		switch problem := s.Problem(); {
		case s.Name == "":
			return nil, fmt.Errorf("%s: setting %d has no name", path, i+1)
		case slices.Contains(taken, s.Name):
			return nil, fmt.Errorf("%s: the setting %s already exists; choose another name", path, s.Name)
		case problem != "":
			return nil, fmt.Errorf("%s: %s %s", path, s.Name, problem)
		}
		taken = append(taken, s.Name)
		if s.Numerics == "" {
			own[i].Numerics = setting.Changed // what is not known is guarded
		}
	}
	return own, nil
}

func names(set []setting.Choice) []string {
	list := make([]string, len(set))
	for i, c := range set {
		list[i] = c.Name
	}
	return list
}

// without is a set less some of its settings.
func without(set []setting.Choice, dropped ...string) []setting.Choice {
	return slices.DeleteFunc(slices.Clone(set), func(c setting.Choice) bool { return slices.Contains(dropped, c.Name) })
}

// safe are the settings of level 0 of a set.
func safe(set []setting.Choice) []setting.Choice {
	return slices.DeleteFunc(slices.Clone(set), func(c setting.Choice) bool { return c.Level > setting.Safe })
}
