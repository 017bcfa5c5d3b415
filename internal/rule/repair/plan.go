// Package repair turns what a scan found into changes that a person can merge with confidence.
//
//	scan ─> choose one repair a finding ─> leave out protected files and clashes ─> scan the result ─> Plan
//
// Nothing is written here. What a Plan changes was scanned again in memory: it parses, each finding it
// repairs is gone and no new one has come; a repair that fails this is withheld, and the Plan says so. The
// bytes that were judged are the bytes that Plan.Changes starts from, so a file that was edited in the
// meantime is refused when the changes are applied.
package repair

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"

	"saturate/internal/files"
	"saturate/internal/finding"
	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/rule"
)

// Options say what to repair.
type Options struct {
	Paths   []string
	Exclude []string       // patterns of files to leave out, as for a scan
	Rules   rule.Selection // whose findings are repaired and listed
	Waits   bool           // the program was seen to wait for its data
	Tries   bool           // each repair is measured, so that those count too that may make no difference
	// Installed are the versions of libraries that the program runs with, where it was seen to run.
	Installed map[string]string
	// In reports whether findings in a file are repaired and listed; nil means all files.
	In     func(path string) bool
	Unsafe bool // also repairs that may change what the program computes
	Cores  int  // of the machine that trains: settings get a count of workers by them; 0 where it is not known
	// Environments are folders of installed Pythons that the program may run in.
	Environments []string
	// Progress, if not nil, is called with how many of how many files are read, one call at a time.
	Progress func(done, total int)
	// Pick chooses the repair of a finding, or none, for whoever measures what it does; nil takes
	// the first that Unsafe allows.
	Pick func(finding.Finding) *patch.Patch
}

// Plan is what will be changed, and what will not.
type Plan struct {
	Project *project.Project
	Changes []patch.Change // in order of their path
	Made    []Made
	Left    []Left

	rounds []*snapshot // the files that each round of repairs began with
}

// Try gives the changes that a repair that was left would make alone, to show it: in the files of
// the round that left it.
func (p *Plan) Try(one patch.Patch) ([]patch.Change, error) {
	files := p.rounds[0]
	for _, l := range p.Left {
		if l.Patch != nil && l.Patch.Title == one.Title && slices.Equal(l.Patch.Edits, one.Edits) {
			files = p.rounds[l.round]
		}
	}
	return patch.Changes("", []patch.Patch{one}, files.again)
}

// leave lists a finding that this round does not repair.
func (p *Plan) leave(l Left) {
	l.round = len(p.rounds) - 1
	p.Left = append(p.Left, l)
}

// repaired lists repairs, and forgets that an earlier round withheld one of them: beside another repair it
// could not be told from what that one brings up.
func (p *Plan) repaired(made []Made) {
	p.Made = append(p.Made, made...)
	for _, m := range made {
		earlier := slices.IndexFunc(p.Left, func(l Left) bool {
			return l.Reason == Withheld && kindOf(l.Finding) == kindOf(m.Finding) &&
				l.Finding.Where.Excerpt == m.Finding.Where.Excerpt
		})
		if earlier >= 0 {
			p.Left = slices.Delete(p.Left, earlier, earlier+1)
		}
	}
}

// Made is a finding with the repair that was chosen for it.
type Made struct {
	Finding finding.Finding
	Patch   patch.Patch
}

// Left is a finding that stays, and why.
type Left struct {
	Finding finding.Finding
	Reason  Reason
	Detail  string       // for a clash, a protected file and a withheld repair
	Patch   *patch.Patch // the repair that was not made, where there is one

	round int // of Plan.rounds, whose files the edits of Patch are for
}

// Reason says why a finding is not repaired.
type Reason string

const (
	NoRepair    Reason = "no-repair"    // a person has to do it
	NeedsUnsafe Reason = "needs-unsafe" // asked for by name only
	ShownOnly   Reason = "display-only" // it may well make things slower: measure it
	Clash       Reason = "clash"        // another repair changes the same bytes
	Protected   Reason = "protected"    // the file is not to be edited
	Withheld    Reason = "withheld"     // the repaired project failed the check
	NotChosen   Reason = "not-chosen"   // a repair brings it up, and its rule is not among those that were asked for
)

// mostRounds bounds the repairs of what other repairs bring up: workers that shall stay from epoch to epoch,
// once there are workers.
const mostRounds = 4

// Make scans the project, chooses repairs and checks them.
func Make(ctx context.Context, o Options) (*Plan, error) {
	files := &snapshot{bytes: map[string][]byte{}}
	p, err := project.Load(ctx, o.Paths, project.Options{Exclude: o.Exclude, Read: files.read, Waits: o.Waits, Tries: o.Tries, Installed: o.Installed, Environments: o.Environments, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	plan := &Plan{Project: p}
	found, err := scan(ctx, p, o)
	if err != nil {
		return nil, err
	}
	now, wanted := files, o.picks
	for range mostRounds {
		r := &round{options: o, files: now, before: p, found: found}
		made, err := r.repair(ctx, plan, wanted)
		if err != nil {
			return nil, err
		}
		plan.repaired(made)
		if len(r.news) == 0 {
			now = r.result
			break
		}
		old := kinds(r.found)
		now, p, found = r.result, r.after, r.afterFound
		wanted = func(f finding.Finding) bool {
			return r.news[kindOf(f)] && (old[kindOf(f)] == 0 ||
				len(o.allowed(f)) > 0) && rule.Selection{Ignore: o.Rules.Ignore}.Picks(rule.Find(f.Code))
		}
	}
	plan.Changes = now.since(files)
	return plan, nil
}

func scan(ctx context.Context, p *project.Project, o Options) ([]finding.Finding, error) {
	result, err := rule.OnSource(ctx, p, rule.Selection{Small: o.Rules.Small})
	settleWorkers(result.Findings, o.Cores)
	return result.Findings, err
}

// choose takes the first repair of a finding that may be made.
func choose(p *project.Project, files *snapshot, f finding.Finding, o Options) (Made, *Left) {
	if !o.picks(f) {
		return Made{}, &Left{Finding: f, Reason: NotChosen}
	}
	if len(f.Fixes) == 0 {
		left := &Left{Finding: f, Reason: NoRepair}
		if m := moduleAt(p, f.Where.Path); m != nil && m.Encoded {
			left.Reason, left.Detail = Protected, "the file is not UTF-8; convert it to UTF-8 first"
		}
		return Made{}, left
	}
	if allowed := o.allowed(f); len(allowed) > 0 {
		fix := allowed[0]
		for _, e := range fix.Edits {
			why := protected(e.Path, files.bytes[e.Path])
			if m := moduleAt(p, e.Path); why == "" && m != nil {
				why = unparsed(m)
			}
			if why != "" {
				return Made{}, &Left{Finding: f, Reason: Protected, Detail: why, Patch: &fix}
			}
		}
		return Made{f, fix}, nil
	}
	left := &Left{Finding: f, Reason: ShownOnly, Patch: &f.Fixes[0]}
	for _, fix := range f.Fixes {
		if fix.Safety == patch.Unsafe {
			left.Reason, left.Patch = NeedsUnsafe, &fix
			break
		}
	}
	return Made{}, left
}

// picks reports a finding of a rule and in a file that were chosen.
func (o Options) picks(f finding.Finding) bool {
	return o.Rules.Picks(rule.Find(f.Code)) && (o.In == nil || f.Where != nil && o.In(f.Where.Path))
}

// unparsed says why a file that Python cannot read is not edited: nobody could tell what a repair does to it.
// A notebook runs cell by cell, and is.
func unparsed(m *project.Module) string {
	err := m.File.Err()
	if err == nil || m.Notebook {
		return ""
	}
	return fmt.Sprintf("line %d of the file is not valid Python (%s); correct it first", err.Line, err.Message)
}

// allowed are the repairs of a finding that may be made.
func (o Options) allowed(f finding.Finding) []patch.Patch {
	if o.Pick != nil {
		if fix := o.Pick(f); fix != nil {
			return []patch.Patch{*fix}
		}
		return nil
	}
	return slices.DeleteFunc(slices.Clone(f.Fixes), func(fix patch.Patch) bool {
		return fix.Safety != patch.Safe && (fix.Safety != patch.Unsafe || !o.Unsafe)
	})
}

// withoutClashes lets one of two repairs that want the same bytes win: that of the worse finding, which comes first.
func (p *Plan) withoutClashes(wanted []Made) []Made {
	var kept []Made
	for _, m := range wanted {
		if with := clash(kept, m.Patch); with != nil {
			p.leave(Left{
				Finding: m.Finding, Reason: Clash, Patch: &m.Patch,
				Detail: fmt.Sprintf("overlaps with the fix of %s on %s; apply that one and run this again", with.Finding.Code, with.Finding.Where.InWords()),
			})
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

func clash(kept []Made, p patch.Patch) *Made {
	for i := range kept {
		if _, lost := patch.Select([]patch.Patch{kept[i].Patch, p}); len(lost) > 0 {
			return &kept[i]
		}
	}
	return nil
}

// snapshot remembers the content of every file when it was read.
type snapshot struct {
	mu    sync.Mutex
	bytes map[string][]byte
}

func (s *snapshot) read(path string) ([]byte, error) {
	data, err := files.Read(path, files.MaxSource)
	if err == nil {
		s.mu.Lock()
		s.bytes[path] = data
		s.mu.Unlock()
	}
	return data, err
}

// changed is the files with some of them changed.
func (s *snapshot) changed(changes []patch.Change) *snapshot {
	next := &snapshot{bytes: maps.Clone(s.bytes)}
	for _, c := range changes {
		next.bytes[c.Path] = c.New
	}
	return next
}

// since lists what differs from an earlier snapshot, in order of the paths.
func (s *snapshot) since(before *snapshot) (changes []patch.Change) {
	for _, path := range slices.Sorted(maps.Keys(before.bytes)) {
		if old, fresh := before.bytes[path], s.bytes[path]; !bytes.Equal(old, fresh) {
			changes = append(changes, patch.Change{Path: path, Old: old, New: fresh})
		}
	}
	return changes
}

// again gives the remembered files without looking at the disk.
func (s *snapshot) again(path string) ([]byte, error) {
	if data, ok := s.bytes[path]; ok {
		return data, nil
	}
	return nil, os.ErrNotExist // it came since
}

// Show writes every path as name gives it, for people; the plan can be applied no more.
func (p *Plan) Show(name func(string) string) {
	for i, files := range p.rounds {
		shown := &snapshot{bytes: map[string][]byte{}}
		for path, data := range files.bytes {
			shown.bytes[name(path)] = data
		}
		p.rounds[i] = shown
	}
	p.Project.Root = name(p.Project.Root)
	for i := range p.Project.Warnings {
		p.Project.Warnings[i].Path = name(p.Project.Warnings[i].Path)
	}
	for i := range p.Changes {
		p.Changes[i].Path = name(p.Changes[i].Path)
	}
	for i := range p.Made {
		showFinding(&p.Made[i].Finding, name)
		showPatch(&p.Made[i].Patch, name)
	}
	for i := range p.Left {
		showFinding(&p.Left[i].Finding, name)
		if p.Left[i].Patch != nil {
			showPatch(p.Left[i].Patch, name)
		}
	}
}

func showFinding(f *finding.Finding, name func(string) string) {
	where := *f.Where
	where.Path = name(where.Path)
	f.Where = &where
}

func showPatch(p *patch.Patch, name func(string) string) {
	p.Edits = slices.Clone(p.Edits)
	for i := range p.Edits {
		p.Edits[i].Path = name(p.Edits[i].Path)
	}
}
