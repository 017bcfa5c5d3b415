package setting

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// realPython is the interpreter that has torch and jax.
func realPython(t *testing.T) string {
	t.Helper()
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: no torch and no jax to apply settings to")
	}
	return python
}

// detected is this machine with that interpreter: looking takes seconds, so it is looked at once.
func detected(t *testing.T) Machine {
	t.Helper()
	python, env := realPython(t), environ(t)
	detectOnce.Do(func() { thisMachine, detectError = Detect(context.Background(), python, env) })
	if detectError != nil {
		t.Fatal(detectError)
	}
	return thisMachine
}

var (
	detectOnce  sync.Once
	thisMachine Machine
	detectError error
)

// environ is this process's without what the table speaks of, and with a cache of its own.
func environ(t *testing.T) []string {
	t.Helper()
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		for _, s := range All() {
			for _, w := range s.Ways {
				if slices.ContainsFunc(w.Env, func(v Variable) bool { return v.Name == name || slices.Contains(v.Rivals, name) }) {
					return true
				}
			}
		}
		return false
	})
	return append(env, "XDG_CACHE_HOME="+t.TempDir())
}

// broken is the same choice spoilt: a variable misspelt, a knob that is not turned, a hook that hooks nothing.
func broken(c Choice) Choice {
	c.Ways = slices.Clone(c.Ways)
	for i, w := range c.Ways {
		w.Env, w.Knobs = slices.Clone(w.Env), slices.Clone(w.Knobs)
		for j := range w.Env {
			w.Env[j].Name += "_MISSPELT"
		}
		for j := range w.Knobs {
			if w.Knobs[j].Get == "" {
				w.Knobs[j].Get = w.Knobs[j].Set
			}
			w.Knobs[j].Set = ""
		}
		w.Hook = ""
		c.Ways[i] = w
	}
	return c
}

// took reports that a setting was seen to be in effect, refused that it was seen not to be.
func took(o Observation) bool {
	return o.Error == "" && (o.InEffect == nil || *o.InEffect) && (o.Acts == nil || *o.Acts) && (o.InEffect != nil || o.Acts != nil)
}

func refused(o Observation) bool {
	return o.Error != "" || o.InEffect != nil && !*o.InEffect || o.Acts != nil && !*o.Acts
}

// TestSettingsActHere applies every setting that exists on this CPU in a fresh process, reads it back, looks
// whether it acts and undoes it; then does the same with all of them broken, which has to be seen.
func TestSettingsActHere(t *testing.T) {
	python, env := realPython(t), environ(t)
	ctx, m := context.Background(), detected(t)
	m.Backend = "cpu"
	m.Cores = 1 // so that the number of threads is not what it is anyway
	chosen, left := Choose(m, Measured, nil, []string{"compile", "compile-max-autotune"})
	for _, l := range left {
		if !l.Elsewhere {
			t.Logf("left: %s: %s", l.Name, l.Reason)
		}
	}
	for _, batch := range batches(chosen) {
		good, err := check(ctx, python, env, batch)
		if err != nil {
			t.Fatal(err)
		}
		var spoilt []Choice
		for _, c := range batch {
			spoilt = append(spoilt, broken(c))
		}
		bad, err := check(ctx, python, env, spoilt)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range batch {
			found := observed(good, c.Name, "checked")
			t.Logf("%-18s read %v, %v", c.Name, found.Read, found.Effect)
			if !took(found) {
				t.Errorf("%s: not seen to take effect: %+v", c.Name, show(found))
			}
			if control := observed(bad, c.Name, "checked"); !refused(control) {
				t.Errorf("%s: broken, and not noticed: %s", c.Name, show(control))
			}
			if undone := observed(good, c.Name, "undone"); undone.Setting != "" && !c.Final && !refused(undone) {
				t.Errorf("%s: undone, and still in effect: %s", c.Name, show(undone))
			}
		}
	}
}

// batches are sets of choices that do not share a group, so that a process can have all of them.
func batches(chosen []Choice) [][]Choice {
	var all [][]Choice
	for _, c := range chosen {
		i := slices.IndexFunc(all, func(batch []Choice) bool {
			return !slices.ContainsFunc(batch, func(o Choice) bool { return c.Group != "" && o.Group == c.Group })
		})
		if i < 0 {
			all = append(all, nil)
			i = len(all) - 1
		}
		all[i] = append(all[i], c)
	}
	return all
}

func observed(all []Observation, name, when string) Observation {
	for _, o := range all {
		if o.Setting == name && o.When == when {
			return o
		}
	}
	return Observation{}
}

func show(o Observation) string {
	yes := func(b *bool) string {
		switch {
		case b == nil:
			return "unknown"
		case *b:
			return "yes"
		}
		return "no"
	}
	return fmt.Sprintf("requested %v, read %v, in effect %s, effect %v, acts %s, error %q", o.Requested, o.Read, yes(o.InEffect), o.Effect, yes(o.Acts), o.Error)
}
