package tune

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"saturate/internal/human"
	"saturate/internal/tune/setting"
	"saturate/internal/verify"
)

const unfinished = "the budget is used up; the same command resumes"

// baseEntry is the name of the settings of levels 0 and 1 together.
const baseEntry = "levels 0 and 1"

// contest measures the candidates on the program and returns the settings to use. Candidates come on top of the
// settings of levels 0 and 1, which are measured together, as one more candidate; with Measure every setting is
// measured alone, against the unchanged program.
func (t *tuner) contest(ctx context.Context) ([]setting.Choice, error) {
	unlock, err := t.open()
	if err != nil {
		return nil, err
	}
	defer unlock()
	t.result.State = t.State
	base, reason, err := t.look(ctx)
	if err != nil {
		return nil, err
	}
	if reason != "" {
		t.result.Skipped = reason
		if t.Measure {
			base = without(t.Selection.Use, slices.Collect(maps.Keys(t.dropped))...)
		}
		return base, nil
	}
	if err := t.plan(ctx, base); err != nil {
		return nil, err
	}
	maps.Copy(t.skipped, t.state.Skipped)
	if len(t.state.Entries) == 0 {
		t.result.Skipped = "nothing to measure"
		if why := t.skipped[""]; why != "" {
			t.result.Skipped = why
		}
		return base, nil
	}
	return t.hold(ctx, base)
}

// look runs the program once, shortly, and says why it is not worth measuring, if it is not.
func (t *tuner) look(ctx context.Context) (base []setting.Choice, reason string, err error) {
	base = t.Selection.Use
	if t.Measure {
		base = nil
	}
	if t.state.Look == nil {
		t.tell(Event{Text: fmt.Sprintf("first look: %d steps", t.Steps)})
		ran, out, err := t.run(ctx, base, t.Steps, false)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, "", err
		}
		t.state.Look = &Look{
			WallSeconds: out.Run.WallSeconds, Steps: len(out.Run.Steps), Parameters: out.Facts.Parameters,
			Inference: out.Inference, Exit: out.Exit,
			Libraries: libraries(out.Facts.Versions),
		}
		if crashed(out) && len(out.Run.Notes) > 0 {
			t.state.Look.Said = out.Run.Notes[len(out.Run.Notes)-1]
		}
		t.state.Base, t.state.Dropped, t.state.Fallback = names(ran), maps.Clone(t.dropped), slices.Clone(t.result.Fallback)
		t.heard(observations(out))
		if err := t.save(); err != nil {
			return nil, "", err
		}
	} else {
		maps.Copy(t.dropped, t.state.Dropped)
		t.result.Fallback = slices.Clone(t.state.Fallback)
	}
	base = slices.DeleteFunc(slices.Clone(base), func(c setting.Choice) bool { return !slices.Contains(t.state.Base, c.Name) })
	switch l := t.state.Look; {
	case l.Exit != 0 && l.Steps < t.Steps:
		reason = fmt.Sprintf("the program fails without settings, with %s after %s", human.Exit(l.Exit),
			human.Plural(l.Steps, "step"))
		if l.Said != "" {
			reason += ": " + l.Said
		}
		if t.MeasureNow {
			t.result.Exit = l.Exit
		}
	case l.Steps == 0:
		reason = "no steps to measure: the program calls neither an optimizer nor a model repeatedly"
	case l.Steps < FewestSteps:
		reason = fmt.Sprintf("the program ends after %s; at least %d are needed to separate warm-up from speed",
			human.Plural(l.Steps, "step"), FewestSteps)
	case l.Parameters > 0 && l.Parameters < fewestParameters && !t.Measure:
		reason = fmt.Sprintf("the model has %s parameters; models with less than a million are measured only with --measure",
			human.Count(l.Parameters))
	}
	return base, reason, nil
}

// libraries are those that settings are about and that the program has imported.
func libraries(versions map[string]string) []string {
	var used []string
	for _, name := range []string{"torch", "jax"} {
		if versions[name] != "" {
			used = append(used, name)
		}
	}
	return used
}

// heard remembers what was read back of settings in measurements.
func (t *tuner) heard(all []setting.Observation) {
	for _, o := range all {
		if o.Setting != "" {
			t.state.Observed[o.Setting] = append(slices.DeleteFunc(t.state.Observed[o.Setting], func(p setting.Observation) bool { return p.When == o.When }), o)
		}
	}
}

// hold measures every entry, and the winner once more.
func (t *tuner) hold(ctx context.Context, base []setting.Choice) ([]setting.Choice, error) {
	var effects []*Effect
	byName := map[string]*Effect{}
	base, err := t.each(ctx, base, byName)
	if err != nil && !errors.Is(err, errBudget) {
		return nil, err
	}
	if err != nil {
		t.result.Unfinished = unfinished
	}
	for _, name := range t.state.Entries {
		effects = append(effects, byName[name])
	}
	adjust(effects)
	t.result.Base = byName[baseEntry]
	helping := t.helping(byName)
	if len(helping) == 0 {
		return base, nil
	}
	winner := setting.With(base, helping...)
	t.result.Winner = names(helping)
	t.tell(Event{Text: "confirming " + list(names(helping)) + " on fresh runs"})
	result, err := t.versus(ctx, "confirm-"+hashed(names(winner)), base, winner, helping, t.confirmPairs())
	if errors.Is(err, errBudget) {
		t.result.Unfinished = "the budget ran out before the winner was confirmed; the same command resumes"
	} else if err != nil {
		return nil, err
	}
	if err == nil {
		t.result.Confirmed = effectOf(result)
		if result.Verdict == verify.Faster {
			for _, c := range helping {
				for _, name := range names(without(base, names(setting.With(base, c))...)) {
					t.dropped[name] = c.Name + " helps more, and only one of the two can be used"
				}
			}
			return winner, nil
		}
	}
	for _, c := range helping {
		t.dropped[c.Name] = "gain not confirmed on fresh runs"
		if others := without(helping, c.Name); len(others) > 0 {
			t.dropped[c.Name] = "gain with " + list(names(others)) + " not confirmed on fresh runs"
		}
	}
	return base, nil
}

// each measures the entries. Settings of levels 0 and 1 come first: where they do harm they are given up for the safe
// ones, before candidates come on top of them. The candidates are measured together, and share the runs without them.
func (t *tuner) each(ctx context.Context, base []setting.Choice, effects map[string]*Effect) ([]setting.Choice, error) {
	candidates := t.state.Entries
	if len(candidates) > 0 && candidates[0] == baseEntry {
		candidates = candidates[1:]
		t.tell(Event{Text: "measuring the settings of " + baseEntry})
		result, err := t.versus(ctx, "base", nil, base, base, t.state.Pairs)
		if err != nil {
			return base, err
		}
		effects[baseEntry] = effectOf(result)
		switch {
		case result.Verdict == verify.Invalid && result.Blamed == verify.Before:
			return base, fmt.Errorf("without settings: %s", result.Reason)
		case result.Verdict == verify.Slower || result.Verdict == verify.Invalid:
			base = t.giveUp(base, result)
		}
	}
	candidates = slices.DeleteFunc(slices.Clone(candidates), func(name string) bool { return len(t.choices(name)) == 0 })
	if len(candidates) == 0 {
		return base, nil
	}
	t.tell(Event{Text: fmt.Sprintf("measuring %s", list(candidates))})
	results, err := t.beside(ctx, base, candidates)
	for i, result := range results {
		effects[candidates[i]] = effectOf(result)
		t.effects[candidates[i]] = effects[candidates[i]]
		if result.Verdict == verify.Invalid && result.Blamed == verify.Before {
			return base, fmt.Errorf("without %s: %s", candidates[i], result.Reason)
		}
	}
	return base, err
}

// giveUp falls back to the safe settings, or to none where all were safe ones.
func (t *tuner) giveUp(base []setting.Choice, why verify.Result) []setting.Choice {
	rest := safe(base)
	if len(rest) == len(base) {
		rest = nil
	}
	for _, c := range base {
		if !slices.ContainsFunc(rest, func(r setting.Choice) bool { return r.Name == c.Name }) {
			t.dropped[c.Name] = "slower together: " + why.Reason
		}
	}
	t.fallBack("the settings of levels 0 and 1 are dropped in favor of %s: %s", list(names(rest)), why.Reason)
	return rest
}

// helping are the candidates that are shown to help, the best of each group, with results that hold.
func (t *tuner) helping(effects map[string]*Effect) []setting.Choice {
	var found []setting.Choice
	best := map[string]string{}
	for _, name := range t.state.Entries {
		e := effects[name]
		if name == baseEntry || e == nil {
			continue
		}
		for _, c := range t.choices(name) {
			switch rival := best[c.Group]; {
			case !e.helps():
				t.dropped[name] = whyNot(e)
			case c.NeedsGuard() && e.Guard != verify.Passed:
				t.dropped[name] = "it changes numerics, and unchanged results are not shown: " + e.Because
			case c.Group != "" && rival != "" && effects[rival].Ratio <= e.Ratio:
				t.dropped[name] = rival + " helps more, and only one of the two can be used"
			default:
				if c.Group != "" {
					if rival != "" {
						t.dropped[rival] = name + " helps more, and only one of the two can be used"
						found = without(found, rival)
					}
					best[c.Group] = name
				}
				found = append(found, c)
			}
		}
	}
	return found
}

func whyNot(e *Effect) string {
	switch {
	case e.Verdict == verify.Faster:
		return fmt.Sprintf("faster alone, but not after correcting for the number of candidates (p = %.3f)", e.Adjusted)
	case e.Verdict == verify.Slower:
		return "slower"
	case e.Verdict == verify.Invalid && e.Cause == verify.ByProgram:
		return "the program fails: " + e.Reason
	case e.Verdict == verify.Invalid:
		return e.Reason
	case e.Verdict == verify.TheSame:
		return "no difference"
	}
	return "no gain shown"
}

// versus measures one set of settings against another.
func (t *tuner) versus(ctx context.Context, folder string, from, to, more []setting.Choice, pairs int) (verify.Result, error) {
	part, err := t.part(folder, from, to, more, pairs)
	if err != nil {
		return verify.Result{}, err
	}
	results, err := t.compare(ctx, []verify.Part{part}, t.left())
	if len(results) == 0 {
		return verify.Result{}, errors.Join(err, t.save())
	}
	return results[0], errors.Join(err, t.save()) // with what was read back meanwhile
}

// beside measures candidates on top of the same settings, all in the same rounds. The first round tells how long they
// take: where that is longer than was planned, the last candidates wait for another call, for a winner that there is no
// time to confirm is worth nothing.
func (t *tuner) beside(ctx context.Context, base []setting.Choice, candidates []string) ([]verify.Result, error) {
	var parts []verify.Part
	for _, name := range candidates {
		more := t.choices(name)
		part, err := t.part("with-"+safeName(name), base, setting.With(base, more...), more, t.state.Pairs)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	if t.left() > 0 {
		began := t.Now()
		if _, err := t.compare(ctx, parts, 1); err != nil && !errors.Is(err, errBudget) {
			return nil, err
		}
		run := t.Now().Sub(began) / time.Duration(1+len(parts))
		for len(parts) > 1 && t.left() < run*time.Duration((t.state.Pairs-1)*(1+len(parts))+2*t.confirmPairs()) {
			parts = parts[:len(parts)-1]
			t.skipped[candidates[len(parts)]] = "not measured: runs took longer than planned (--budget)"
			t.result.Unfinished = unfinished
		}
	}
	results, err := t.compare(ctx, parts, t.left())
	return results, errors.Join(err, t.save())
}

// part is an experiment: the program with one set of settings beside the program with another.
func (t *tuner) part(folder string, from, to, more []setting.Choice, pairs int) (verify.Part, error) {
	part := verify.Part{
		Dir:  filepath.Join(t.State, folder),
		Plan: verify.Plan{Pairs: pairs, Steps: t.Steps, Seed: 1, Numerics: t.numerics(more), Timeout: t.patience()},
	}
	for _, side := range []struct {
		into *verify.Variant
		name string
		set  []setting.Choice
	}{{&part.Plan.Before, "without", from}, {&part.Plan.After, "with", to}} {
		v, err := t.variant(side.name+" "+list(names(more)), side.set, true)
		if err != nil {
			return part, err
		}
		*side.into = t.sources
		side.into.Name, side.into.Env = v.name, v.env
	}
	return part, nil
}

// numerics says how strictly results are compared. An inference has no loss that could get better or worse: its results
// have to be the same except for rounding.
func (t *tuner) numerics(more []setting.Choice) verify.Numerics {
	if t.state.Look.Inference || !slices.ContainsFunc(more, func(c setting.Choice) bool { return c.NeedsGuard() }) {
		return verify.Same
	}
	return verify.Changed
}

// choices are the settings of a name, of the selection.
func (t *tuner) choices(name string) []setting.Choice {
	all := slices.Concat(t.Selection.Use, t.Selection.Candidates)
	return slices.DeleteFunc(all, func(c setting.Choice) bool { return c.Name != name })
}

func hashed(names []string) string {
	sum := sha256.Sum256([]byte(strings.Join(names, "\x00")))
	return hex.EncodeToString(sum[:4])
}

// safeName is a name that can be a folder's.
func safeName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == filepath.Separator || r == '/' || r == ':' || r < ' ' {
			return '-'
		}
		return r
	}, name)
}
