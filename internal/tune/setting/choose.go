package setting

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"saturate/internal/config"
)

// Choice is a setting to be used: its ways are those that fit the machine, with values in place.
type Choice struct {
	Setting
}

// Left is a setting that is not used, and why.
type Left struct {
	Name      string `json:"name"`      // of the setting
	Reason    string `json:"reason"`    // a sentence without its full stop
	Elsewhere bool   `json:"elsewhere"` // it is for another backend, or for a library that is not here
}

// Choose picks the settings up to a level. With `only`, just those are considered, at any level; `except`
// removes some. At level 2 every setting of that level that fits is chosen: they are candidates, and
// at most one of a group can be used at a time.
func Choose(m Machine, level int, only, except []string) (chosen []Choice, left []Left) {
	facts := m.facts()
	groups := map[string]string{}
	for _, name := range slices.Concat(only, except) {
		if _, ok := Find(name); !ok {
			left = append(left, Left{Name: name, Reason: "unknown setting" + config.Hint(name, Names())})
		}
	}
	for _, s := range All() {
		if len(only) > 0 && !slices.Contains(only, s.Name) {
			continue
		}
		leave := func(elsewhere bool, format string, args ...any) {
			left = append(left, Left{Name: s.Name, Reason: fmt.Sprintf(format, args...), Elsewhere: elsewhere})
		}
		choice, reason := s.fit(facts)
		switch taken := groups[s.Group]; {
		case slices.Contains(except, s.Name):
			leave(false, "excluded by --except")
		case !slices.Contains(s.Backends, m.Backend):
			leave(true, "for %s; this is %s", strings.Join(s.Backends, " and "), m.Backend)
		case s.Library != "" && fact(facts, s.Library) == nil:
			leave(true, "%s cannot be imported here", s.Library)
		case reason != "":
			leave(false, "%s", reason)
		case len(only) == 0 && s.Level > level:
			leave(false, "level %d", s.Level)
		case s.Group != "" && taken != "" && (s.Level < Measured || level < Measured):
			leave(false, "excluded by %s; only one of the two can be used", taken)
		default:
			chosen = append(chosen, choice)
			groups[s.Group] = s.Name
		}
	}
	return chosen, left
}

// Names are the names of all settings, in the order of the table.
func Names() []string {
	var names []string
	for _, s := range All() {
		names = append(names, s.Name)
	}
	return names
}

// fit leaves the ways that the machine allows and puts its facts into their values.
func (s Setting) fit(facts map[string]any) (Choice, string) {
	for _, condition := range s.Needs {
		if reason := unmet(condition, facts); reason != "" {
			return Choice{}, reason
		}
	}
	var ways []Way
	reason, furthest := "unsupported here", -1
	for _, way := range s.Ways {
		met, why := way.fits(facts)
		if why == "" {
			ways = append(ways, way.resolve(facts))
		} else if met > furthest { // the way that comes nearest says what is missing
			reason, furthest = why, met
		}
	}
	if len(ways) == 0 {
		return Choice{}, reason
	}
	s.Ways = ways
	if s.Effect != nil {
		effect := *s.Effect
		effect.Args = slices.Clone(effect.Args)
		for i, arg := range effect.Args {
			effect.Args[i] = resolved(arg, facts)
		}
		s.Effect = &effect
	}
	return Choice{s}, ""
}

// fits tells how many conditions of a way hold, and which is the first that does not.
func (w Way) fits(facts map[string]any) (met int, why string) {
	for _, condition := range w.When {
		if why := unmet(condition, facts); why != "" {
			return met, why
		}
		met++
	}
	return met, occupied(w, facts)
}

// occupied says so when the user sets a variable of the way himself: his value stands.
func occupied(way Way, facts map[string]any) string {
	for _, v := range way.Env {
		for _, name := range append([]string{v.Name}, v.Rivals...) {
			theirs := text(fact(facts, name))
			if theirs != "" && (v.Join == "" || name != v.Name || strings.Contains(theirs, v.Key)) {
				return fmt.Sprintf("%s=%s is already set in the environment", name, theirs)
			}
		}
	}
	return ""
}

// resolve replaces values that name a fact: "=cores", "=cores/2", "=libraries.jemalloc", "=cache/xla".
func (w Way) resolve(facts map[string]any) Way {
	w.Env, w.Knobs = slices.Clone(w.Env), slices.Clone(w.Knobs)
	for i, v := range w.Env {
		w.Env[i].Value = text(resolved(v.Value, facts))
	}
	for i, k := range w.Knobs {
		w.Knobs[i].Value = resolved(k.Value, facts)
	}
	w.Value = resolved(w.Value, facts)
	w.Start = strings.ReplaceAll(w.Start, "{value}", text(w.Value))
	return w
}

func resolved(value any, facts map[string]any) any {
	named, ok := value.(string)
	if !ok || !strings.HasPrefix(named, "=") {
		return value
	}
	name, rest, more := strings.Cut(named[1:], "/")
	found := fact(facts, name)
	if number, ok := found.(float64); ok && more {
		if by, err := strconv.Atoi(rest); err == nil && by > 0 {
			return float64(max(1, int(number)/by))
		}
	}
	if more {
		return text(found) + "/" + rest
	}
	return found
}

// With adds candidates to choices; each replaces the choice of its group.
func With(base []Choice, candidates ...Choice) []Choice {
	set := slices.Clone(base)
	for _, candidate := range candidates {
		set = slices.DeleteFunc(set, func(c Choice) bool {
			return c.Name == candidate.Name || c.Group != "" && c.Group == candidate.Group
		})
		set = append(set, candidate)
	}
	return set
}
