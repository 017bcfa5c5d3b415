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
		case a == nil || (r.NeedsGPU || r.SlowOnCPU != "") && !here.GPU || !p.Rules.Picks(r) || given(a, command):
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

// given tells whether a command sets what an argument of a rule would, or says what excludes it.
func given(a *rule.Argument, command []string) bool {
	return slices.ContainsFunc(append([]string{a.Flag}, a.Unless...), func(flag string) bool { return hasFlag(command, flag) })
}

func hasFlag(command []string, flag string) bool {
	return slices.ContainsFunc(command, func(word string) bool { return word == flag || strings.HasPrefix(word, flag+"=") })
}

// withArguments is a command with a flag set: in place of its old value, or at the end.
func withArguments(command []string, flag, value string) []string {
	list := slices.Clone(command)
	for i, word := range list {
		switch {
		case word == flag && i+1 < len(list):
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
