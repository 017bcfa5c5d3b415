package setting

import (
	"slices"
	"strings"
)

// Environment is what is to be added to the variables that the program starts with, NAME=value each.
// env is what it would start with anyway: values that share a variable with the user's are put behind his.
func Environment(chosen []Choice, env []string) []string {
	var names []string
	values := map[string]string{}
	for _, c := range chosen {
		for _, v := range c.way().Env {
			old, ours := values[v.Name]
			if !ours {
				names = append(names, v.Name)
				old = lookup(env, v.Name)
			}
			switch {
			case old == "" || v.Join == "":
				values[v.Name] = v.Value
			case !slices.Contains(strings.Split(old, v.Join), v.Value):
				values[v.Name] = old + v.Join + v.Value
			default:
				values[v.Name] = old
			}
		}
	}
	var added []string
	for _, name := range names {
		added = append(added, name+"="+values[name])
	}
	return added
}

// way is the one that is tried first.
func (c Choice) way() Way { return c.Ways[0] }

// Requested is the value that is asked for, in a few words.
func (c Choice) Requested() string {
	w := c.way()
	var parts []string
	for _, v := range w.Env {
		parts = append(parts, v.Name+"="+v.Value)
	}
	for _, k := range w.Knobs {
		if k.Set != "" {
			parts = append(parts, statement(k))
		}
	}
	if w.Hook != "" {
		parts = append(parts, w.Hand+w.Start)
	}
	return strings.Join(parts, "; ")
}

// lookup finds the last value of a variable, which is the one that counts.
func lookup(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
