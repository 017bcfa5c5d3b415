package rule

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"

	"saturate/internal/finding"
	"saturate/internal/patch"
	"saturate/internal/project"
)

// Selection says which rules run: those that Select names, or all except opt-in rules if it is empty, without those
// that Ignore names. A name is a code, a rule's name, or the start of codes: SAT2.
type Selection struct {
	Select, Ignore []string
	// All adds opt-in rules and what costs little.
	All bool
	// Small names rules whose findings are kept where they cost little: whole codes and names, as who asks for all
	// data loader settings (SAT2) does not ask for small ones.
	Small []string
}

// Result is what the rules say about a project.
type Result struct {
	// Findings are worst first, then in order of their place.
	Findings []finding.Finding
	// Observations are facts about how the project trains.
	Observations []Observation
	// Suppressed counts the findings that a comment in the source ignores.
	Suppressed int
	// Small counts the findings that were left out because they cost little.
	Small int

	waiting  waiting
	failures []project.Warning
}

// Picks reports whether a rule is selected.
func (s Selection) Picks(r *Rule) bool {
	return (len(s.Select) == 0 && (s.All || !r.Asked) || names(s.Select, r)) && !names(s.Ignore, r)
}

func (s Selection) keepsSmall(f finding.Finding) bool {
	return slices.ContainsFunc(s.Small, func(n string) bool {
		n = strings.TrimSpace(n)
		return n == f.Name || strings.EqualFold(n, f.Code)
	})
}

func names(list []string, r *Rule) bool {
	for _, n := range list {
		n = strings.TrimSpace(n)
		if n != "" && (n == r.Name || strings.HasPrefix(r.Code, strings.ToUpper(n)) || strings.EqualFold(n, "all")) {
			return true
		}
	}
	return false
}

// Unknown returns the names of the selection that neither the rules nor more have.
func (s Selection) Unknown(more ...*Rule) []string {
	var list []string
	for _, n := range append(slices.Clone(s.Select), s.Ignore...) {
		if !slices.ContainsFunc(slices.Concat(rules, more), func(r *Rule) bool { return names([]string{n}, r) }) {
			list = append(list, n)
		}
	}
	return list
}

// OnSource runs the selected rules over every module and settings file of a
// project, several files at a time. The same project gives the same result.
func OnSource(ctx context.Context, p *project.Project, sel Selection) (Result, error) {
	return run(ctx, p, sel, nil)
}

// Told is OnSource for people: what is said alike of copies of a program is one finding. The progress function gets the
// number of files done and the total, one call at a time.
func Told(ctx context.Context, p *project.Project, sel Selection, progress func(done, total int)) (Result, error) {
	result, err := run(ctx, p, sel, progress)
	result.Findings = joinCopies(joinWaits(dropNamed(result.Findings)), p)
	return result, err
}

func (s Selection) chosen() (list []*Rule) {
	for _, r := range rules {
		if s.Picks(r) {
			list = append(list, r)
		}
	}
	return list
}

func run(ctx context.Context, p *project.Project, sel Selection, progress func(done, total int)) (Result, error) {
	chosen := sel.chosen()
	results := make([]Result, len(p.Modules)+len(p.Settings))
	told := project.Told(progress, len(results))
	tables := tablesOf(p)
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				if i < len(p.Modules) {
					results[i] = onModule(p, p.Modules[i], chosen, tables)
				} else {
					results[i] = onSettings(p, p.Settings[i-len(p.Modules)], chosen)
				}
				told()
			}
		}()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer wg.Wait()
		defer close(next)
		for i := range results {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	select {
	case <-done:
	case <-ctx.Done(): // nobody waits for the files that are under way
		return Result{}, ctx.Err()
	}
	var all Result
	for _, r := range results {
		all.Findings = append(all.Findings, r.Findings...)
		all.Observations = append(all.Observations, r.Observations...)
		all.Suppressed += r.Suppressed
		all.waiting.add(r.waiting)
		for _, w := range r.failures {
			if !slices.Contains(p.Warnings, w) {
				p.Warnings = append(p.Warnings, w)
			}
		}
	}
	all.waiting.mark(all.Findings)
	all.waiting.markDrained(p, tables, all.Findings)
	if !sel.All && !p.Tries { // a trial measures what it costs
		said := len(all.Findings)
		all.Findings = slices.DeleteFunc(all.Findings, func(f finding.Finding) bool { return f.Small != "" && !sel.keepsSmall(f) })
		all.Small = said - len(all.Findings)
	}
	settings := map[string]bool{}
	for _, s := range p.Settings {
		settings[s.Real()] = true
	}
	all.Findings = dropTwice(dropRepeated(all.Findings, settings))
	sortFindings(all.Findings)
	all.Findings = dropLinked(all.Findings, p)
	if !p.Tries { // of a program that is run, one settings file counts
		all.Findings = joinSettings(all.Findings, settings)
	}
	addRanges(all.Findings, p)
	return all, ctx.Err()
}

// onModule runs the rules over one module. Tests and documentation stay silent:
// nobody trains with them.
func onModule(p *project.Project, m *project.Module, chosen []*Rule, tables *siteTables) Result {
	if m.Role == project.Test || m.Outline {
		return Result{}
	}
	var result Result
	facts := gatherAll(m, tables)
	defer facts.releaseAll()
	comments := readDirectives(m.Source, m)
	eval := p.NewEval()
	defer eval.Release()
	pass := &SourcePass{judge: &judge{}, Project: p, Module: m, eval: eval, shared: facts}
	notRun := func(r *Report) bool {
		at := r.span.Start
		return p.Unused(m, at) || pass.neverMade(m.ClassAt(at)) || pass.isKernel(m.FunctionAt(at))
	}
	live := func(r *Rule) *judge {
		all := pass.said(r)
		if len(all.reports) == 0 && len(all.small) == 0 {
			return all // as most rules do of most modules
		}
		said := *all
		said.reports = slices.DeleteFunc(slices.Clone(said.reports), notRun)
		said.small = slices.DeleteFunc(slices.Clone(said.small), notRun)
		result.waiting.note(&said, m)
		return &said
	}
	for _, r := range chosen {
		if r.Source != nil {
			result.take(live(r), m, comments)
		}
	}
	for _, r := range waitsToo(chosen) {
		live(r)
	}
	result.failures = facts.allFailures()
	return result
}

func onSettings(p *project.Project, s *project.Settings, chosen []*Rule) Result {
	var result Result
	comments := readDirectives(s.Source, nil)
	for _, r := range chosen {
		if r.Settings == nil || s.Role == project.Test {
			continue
		}
		j := &judge{rule: r, source: s.Source}
		r.Settings(&SettingsPass{judge: j, Project: p, File: s})
		j.within(func() *project.Versions { return p.VersionsAbove(s.Path) })
		j.sift()
		result.take(j, nil, comments)
	}
	return result
}

// take keeps a rule's findings, except those that a comment ignores.
func (r *Result) take(j *judge, m *project.Module, comments directives) {
	r.takeEach(j, j.reports, m, comments)
	r.takeEach(j, j.small, m, comments)
	r.Observations = append(r.Observations, j.observations...)
}

func (r *Result) takeEach(j *judge, reports []*Report, m *project.Module, comments directives) {
	if len(reports) == 0 {
		return
	}
	first := map[string]int{} // of a function, where the rule says one wait of it
	for _, report := range reports {
		if comments.ignore(j.source, m, j.rule, report.span) {
			r.Suppressed++
			continue
		}
		if m != nil {
			report.finding.Within = cmp.Or(m.FunctionAt(report.span.Start).Name, "the top level")
		}
		if root := report.step; root != nil {
			report.finding.Step = fmt.Sprintf("%s:%d", root.Module.Real(), root.Bounds().Start)
		}
		if f := report.finding; j.rule.OneWait && len(f.Fixes) == 0 {
			if at, said := first[f.Within]; said {
				of := &r.Findings[at]
				nameToo(of, f, f.Message)
				continue
			}
			first[f.Within] = len(r.Findings)
		}
		r.Findings = append(r.Findings, report.finding)
	}
}

// dropTwice keeps only the surest of several equal findings at one place, which may be reached in several ways.
func dropTwice(list []finding.Finding) (once []finding.Finding) {
	type claim struct {
		code, path, message string
		start, end          int
	}
	at := map[claim]int{}
	for _, f := range list {
		key := claim{f.Code, f.Where.Path, f.Message, f.Where.Start, f.Where.End}
		if i, said := at[key]; !said {
			at[key] = len(once)
			once = append(once, f)
		} else if f.Confidence > once[i].Confidence {
			once[i] = f
		}
	}
	return once
}

// dropRepeated drops a finding in a settings file if the same rule reports the Python code that reads it: both would
// edit the same place, or the code names the setting as its reason.
func dropRepeated(list []finding.Finding, settings map[string]bool) []finding.Finding {
	type fix struct {
		code string
		edit patch.Edit
	}
	type reason struct {
		code, path string
		line       int
	}
	fromPython, named := map[fix]bool{}, map[reason]bool{}
	for _, f := range list {
		if settings[f.Where.Path] {
			continue
		}
		for _, e := range f.Evidence {
			if e.Location != nil {
				named[reason{f.Code, e.Location.Path, e.Location.Line}] = true
			}
		}
		if len(f.Fixes) > 0 {
			for _, e := range f.Fixes[0].Edits {
				fromPython[fix{f.Code, e}] = true
			}
		}
	}
	return slices.DeleteFunc(list, func(f finding.Finding) bool {
		if !settings[f.Where.Path] {
			return false
		}
		return named[reason{f.Code, f.Where.Path, f.Where.Line}] || len(f.Fixes) > 0 && !slices.ContainsFunc(f.Fixes[0].Edits, func(e patch.Edit) bool {
			return !fromPython[fix{f.Code, e}]
		})
	})
}

// dropNamed drops what another finding names as a further fault: mending the one brings up the other.
func dropNamed(list []finding.Finding) []finding.Finding {
	type fault struct {
		code  string
		place finding.Location
	}
	named := map[fault]bool{}
	for _, f := range list {
		for _, e := range f.Evidence {
			if e.Code != "" && e.Code != f.Code && e.Location != nil {
				named[fault{e.Code, *e.Location}] = true
			}
		}
	}
	return slices.DeleteFunc(list, func(f finding.Finding) bool { return named[fault{f.Code, *f.Where}] })
}

// dropLinked keeps each finding once in a file that several links lead to: the surest, which comes first.
func dropLinked(list []finding.Finding, p *project.Project) []finding.Finding {
	linked := map[string]bool{}
	for _, m := range p.Modules {
		linked[m.Real()] = linked[m.Real()] || m.Real() != m.Path
	}
	for _, s := range p.Settings {
		linked[s.Real()] = linked[s.Real()] || s.Real() != s.Path
	}
	type place struct {
		code, path string
		start, end int
	}
	seen := map[place]bool{}
	return slices.DeleteFunc(list, func(f finding.Finding) bool {
		at := place{f.Code, f.Where.Path, f.Where.Start, f.Where.End}
		again := linked[f.Where.Path] && seen[at]
		seen[at] = true
		return again
	})
}

var order = map[Severity]int{Error: 0, Warning: 1, Advice: 2}

func sortFindings(list []finding.Finding) {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return cmp.Or(
			cmp.Compare(min(len(a.Small), 1), min(len(b.Small), 1)),
			cmp.Compare(order[a.Severity], order[b.Severity]),
			cmp.Compare(rank(a), rank(b)),
			cmp.Compare(cost(b), cost(a)),
			cmp.Compare(b.Confidence, a.Confidence),
			strings.Compare(a.Where.Path, b.Where.Path),
			cmp.Compare(a.Where.Start, b.Where.Start),
			strings.Compare(a.Code, b.Code),
		) < 0
	})
}

// rank is 1 for findings that apply to most programs; they come after those particular to this one.
func rank(f *finding.Finding) int {
	if r := Find(f.Code); r != nil && r.General {
		return 1
	}
	return 0
}

// cost is the likely cost of a finding, as a factor on the step time: the largest estimated gain, times the finding's
// confidence.
func cost(f *finding.Finding) float64 {
	if f.Estimate == nil {
		return f.Confidence
	}
	return f.Confidence * max(f.Estimate.SpeedupHigh, 1)
}

// inOrder sorts calls by their place, outer ones first, and leaves each once.
func inOrder(list []Call) []Call {
	if len(list) < 2 {
		return list
	}
	slices.SortStableFunc(list, func(a, b Call) int {
		return cmp.Or(cmp.Compare(a.Node.Start, b.Node.Start), cmp.Compare(b.Node.End, a.Node.End))
	})
	return slices.CompactFunc(list, func(a, b Call) bool { return a.Site == b.Site })
}
