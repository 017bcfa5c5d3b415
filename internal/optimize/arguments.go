package optimize

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/rule"
)

// A repair can be an argument of the command: a trainer whose settings come from the command line has no source line to
// change. The command that a tree is measured with is part of the result.

// arguments are repairs of the command, where the program hands its command line to a trainer.
func (p *protocol) arguments(source *project.Project, found []finding.Finding, here *Baseline, t tree) (list []Candidate) {
	parses := slices.ContainsFunc(source.Modules, func(m *project.Module) bool {
		return p.reach.holds(p.shownPath(m.Path, t)) && m.Says("HfArgumentParser") && m.Says("TrainingArguments")
	})
	if !parses || !p.allows(patch.Unsafe) {
		return nil
	}
	command := p.commandOf(t.name)
	for _, r := range rule.All() {
		a := r.Argument
		switch {
		case a == nil || (r.NeedsGPU || r.SlowOnCPU != "") && !here.GPU || !p.Rules.Picks(r) || !fits(a, command):
		case slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Code == r.Code && len(f.Fixes) > 0 }):
		case !r.SetsWorkers:
			list = append(list, p.argument(r, a.Title, a.Value, here, t))
		case here.waiting() && here.Workers == 0 && here.Cores > 0:
			for _, n := range p.counts(here) {
				c := p.argument(r, fmt.Sprintf("%s (%d)", a.Title, n), fmt.Sprint(n), here, t)
				c.ID, c.Choice, c.Workers = fmt.Sprintf("%s/%d", c.ID, n), loaderGroup.id, n
				list = append(list, c)
			}
		}
	}
	return list
}

// argument is a repair of the command by the argument of a rule.
func (p *protocol) argument(r *rule.Rule, title, value string, here *Baseline, t tree) Candidate {
	g := group{id: r.Code, title: title, codes: []string{r.Code}, areas: r.Areas}
	c := p.candidate(g, []finding.Finding{{Code: r.Code}}, 0, here.Shares, t)
	c.ID, c.Safety, c.Arguments = "command"+strings.TrimPrefix(r.Argument.Flag, "-"), patch.Unsafe, []string{r.Argument.Flag, value}
	c.Places = []string{"the command"}
	return c
}

// fits tells whether an argument of a rule would change a command: it does not set the argument yet, nor what excludes it,
// or it turns on what the argument turns off.
func fits(a *rule.Argument, command []string) bool {
	if a.WhereOn {
		return turnsOn(command, a.Flag)
	}
	return !slices.ContainsFunc(append([]string{a.Flag}, a.Unless...), func(flag string) bool { return hasFlag(command, flag) })
}

// turnsOn reports a switch that a command turns on, as HfArgumentParser reads it: the flag alone, or with a word for true.
func turnsOn(command []string, flag string) bool {
	for i, word := range command {
		value, joined := strings.CutPrefix(word, flag+"=")
		switch {
		case word == flag && standsAlone(command, i):
			return true
		case word == flag:
			value = command[i+1]
		case !joined:
			continue
		}
		return slices.Contains([]string{"true", "t", "yes", "y", "1"}, strings.ToLower(value))
	}
	return false
}

// standsAlone reports a flag that no value follows.
func standsAlone(command []string, at int) bool {
	return at+1 == len(command) || strings.HasPrefix(command[at+1], "--")
}

func hasFlag(command []string, flag string) bool {
	return slices.ContainsFunc(command, func(word string) bool { return word == flag || strings.HasPrefix(word, flag+"=") })
}

// withArguments is a command with a flag set: in place of its old value, or at the end.
func withArguments(command []string, flag, value string) []string {
	list := slices.Clone(command)
	for i, word := range list {
		switch {
		case word == flag && standsAlone(list, i):
			return slices.Insert(list, i+1, value)
		case word == flag:
			list[i+1] = value
			return list
		case strings.HasPrefix(word, flag+"="):
			list[i] = flag + "=" + value
			return list
		}
	}
	return append(list, flag, value)
}

// commandOf is what starts the program of a tree.
func (p *protocol) commandOf(name string) []string {
	if from, cut := p.state.Cut[name]; cut {
		return p.commandOf(from)
	}
	for _, r := range append(slices.Clone(p.state.Rungs), p.trying) {
		if r.Tree == name && name != baseTree {
			if r.Command != nil {
				return r.Command
			}
			return p.commandOf(r.From)
		}
	}
	return p.Command
}

var (
	optionName    = regexp.MustCompile(`add_argument\(\s*(?:["']-\w["']\s*,\s*)?["'](--[\w-]+)["']`)
	optionDefault = regexp.MustCompile(`default\s*=\s*([\w."'-]+)`)
)

// overridden turns edits of an option's default into a change of the command, where the command sets that option: the
// program would never see the default. It leaves the changes that are still needed.
func overridden(command []string, changes []patch.Change) (fresh []string, needed []patch.Change) {
	fresh = command
	for _, c := range changes {
		old, now := strings.Split(string(c.Old), "\n"), strings.Split(string(c.New), "\n")
		others := len(old) != len(now)
		for i := 0; i < len(now) && !others; i++ {
			if old[i] == now[i] {
				continue
			}
			name, value := optionName.FindStringSubmatch(now[i]), optionDefault.FindStringSubmatch(now[i])
			if name == nil || value == nil || !hasFlag(command, name[1]) {
				others = true
				break
			}
			fresh = withArguments(fresh, name[1], strings.Trim(value[1], `"'`))
		}
		if others {
			needed = append(needed, c)
		}
	}
	return fresh, needed
}
