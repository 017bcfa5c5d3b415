package probe

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"saturate/internal/config"
)

// Profiling is a `profiling:` section of a user's settings, and how long the run is that they describe.
type Profiling struct {
	Schedule
	Length int // in the schedule's unit; 0 when the settings do not tell
}

// field is the setting of a name, or nil.
func (s *Schedule) field(key string) any {
	switch key {
	case "wait":
		return &s.Wait
	case "warmup":
		return &s.Warmup
	case "active":
		return &s.Active
	case "repeat":
		return &s.Repeat
	case "record_shapes":
		return &s.RecordShapes
	case "profile_memory":
		return &s.ProfileMemory
	case "with_stack":
		return &s.WithStack
	case "unit":
		return &s.Unit
	}
	return nil
}

// Keys are the names of the settings, as they stand in YAML.
func Keys() []string {
	return []string{"wait", "warmup", "active", "repeat", "record_shapes", "profile_memory", "with_stack", "unit"}
}

// Get is a setting as it would be typed.
func (s Schedule) Get(key string) string {
	switch field := s.field(key).(type) {
	case *int:
		return strconv.Itoa(*field)
	case *bool:
		return strconv.FormatBool(*field)
	case *string:
		return *field
	}
	return ""
}

// Set changes a setting by its name.
func (s *Schedule) Set(key, value string) error {
	switch field := s.field(key).(type) {
	case *int:
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return fmt.Errorf("profiling.%s: %q is not a number of units", key, value)
		}
		*field = n
	case *bool:
		b, err := strconv.ParseBool(strings.ToLower(value))
		if err != nil {
			return fmt.Errorf("profiling.%s: %q is neither true nor false", key, value)
		}
		*field = b
	case *string:
		if value != "step" && value != "epoch" {
			return fmt.Errorf("profiling.%s is step or epoch, not %q", key, value)
		}
		*field = value
	default:
		return fmt.Errorf("profiling has no setting %q%s", key, config.Hint(key, Keys()))
	}
	return nil
}

// ErrNoSection is a settings file without a `profiling:` section.
var ErrNoSection = errors.New("no section `profiling:`")

// ReadProfiling reads the `profiling:` section of a user's own YAML. A section without a unit that stands
// beside training.epochs counts epochs; so do flags without a section, to which ErrNoSection leaves the rest.
func ReadProfiling(text []byte) (Profiling, error) {
	p := Profiling{Schedule: DefaultSchedule()}
	var file struct {
		Profiling yaml.Node `yaml:"profiling"`
		Training  yaml.Node `yaml:"training"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return p, fmt.Errorf("not valid YAML: %w", err)
	}
	off := file.Profiling.IsZero() || file.Profiling.ShortTag() == "!!null"
	var profiling, training map[string]yaml.Node
	if err := file.Profiling.Decode(&profiling); err != nil && !off {
		return p, fmt.Errorf("line %d: profiling is not a section of settings such as `wait: 3`", file.Profiling.Line)
	}
	_ = file.Training.Decode(&training) // theirs may be anything
	for key, node := range profiling {
		if node.Kind != yaml.ScalarNode {
			return p, fmt.Errorf("line %d: profiling.%s is not a single value", node.Line, key)
		}
		if err := p.Set(key, node.Value); err != nil {
			return p, fmt.Errorf("line %d: %w", node.Line, err)
		}
	}
	number := func(names ...string) int {
		for _, name := range names {
			if node, ok := training[name]; ok && node.Kind == yaml.ScalarNode {
				if n, err := strconv.Atoi(node.Value); err == nil && n > 0 {
					return n
				}
			}
		}
		return 0
	}
	if _, told := profiling["unit"]; !told && number("epochs") > 0 {
		p.Unit = "epoch"
	}
	if p.Unit == "epoch" {
		p.Length = number("epochs")
	} else {
		p.Length = number("steps", "max_steps")
	}
	if off {
		return p, ErrNoSection
	}
	return p, nil
}

// TooShort says so when a run of a known length cannot hold what the schedule records.
func (s Schedule) TooShort(length int) error {
	if length <= 0 || length >= s.Units() {
		return nil
	}
	return fmt.Errorf("the run is %d %ss long, but profiling needs wait + (warmup + active) * (repeat + 1) = %d: let "+
		"it run longer, or record less",
		length, s.Unit, s.Units())
}
