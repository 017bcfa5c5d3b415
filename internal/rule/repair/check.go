package repair

import (
	"context"
	"fmt"
	"slices"

	"saturate/internal/finding"
	"saturate/internal/patch"
	"saturate/internal/project"
)

// round chooses among the findings of one scan and scans the project again as it would be with them repaired.
type round struct {
	options Options
	files   *snapshot
	before  *project.Project
	found   []finding.Finding // of all rules

	// What repair leaves: the project with the repairs made, and the kinds of findings that came up with them.
	result     *snapshot
	after      *project.Project
	afterFound []finding.Finding
	news       map[kind]bool
}

// kind tells findings apart where lines move: by rule and file.
type kind struct{ code, path string }

func kindOf(f finding.Finding) kind { return kind{f.Code, f.Where.Path} }

func kinds(found []finding.Finding) map[kind]int {
	n := map[kind]int{}
	for _, f := range found {
		n[kindOf(f)]++
	}
	return n
}

// repair makes the repairs of the wanted findings that stand the check, and lists the others in the plan.
func (r *round) repair(ctx context.Context, plan *Plan, wanted func(finding.Finding) bool) ([]Made, error) {
	r.result = r.files
	plan.rounds = append(plan.rounds, r.files)
	var candidates []Made
	for _, f := range r.found {
		if !wanted(f) {
			continue
		}
		if made, left := choose(r.before, r.files, f, r.options); left != nil {
			plan.leave(*left)
		} else {
			candidates = append(candidates, made)
		}
	}
	return r.keep(ctx, plan.withoutClashes(candidates), plan)
}

// mostChecks bounds the search for a repair that does harm; each check is a scan.
const mostChecks = 60

// keep returns the repairs that stand the check, and lists the others in the plan. Nearly always all of them
// stand it together. If not, those in the files where the scan complains are tried one after the other.
func (r *round) keep(ctx context.Context, made []Made, plan *Plan) ([]Made, error) {
	faults, err := r.check(ctx, made)
	if err != nil || len(faults) == 0 {
		return made, err
	}
	var good, suspects []Made
	for _, m := range made {
		if touches(m.Patch, faults) {
			suspects = append(suspects, m)
		} else {
			good = append(good, m)
		}
	}
	if faults, err = r.check(ctx, good); err != nil {
		return nil, err
	}
	if len(faults) > 0 {
		good, suspects = nil, made // what one file's repair does shows in another
	}
	for i, m := range suspects {
		if i >= mostChecks {
			plan.withhold(m, "too many fixes to check one by one; select fewer with --only")
			continue
		}
		faults, err := r.check(ctx, append(slices.Clone(good), m))
		if err != nil {
			return nil, err
		}
		if len(faults) > 0 {
			plan.withhold(m, faults[0].why)
			continue
		}
		good = append(good, m)
	}
	_, err = r.check(ctx, good) // again, for what it leaves: the last one tried may have failed
	return good, err
}

func (p *Plan) withhold(m Made, why string) {
	p.leave(Left{Finding: m.Finding, Reason: Withheld, Detail: why, Patch: &m.Patch})
}

func touches(p patch.Patch, faults []fault) bool {
	return slices.ContainsFunc(p.Edits, func(e patch.Edit) bool {
		return slices.ContainsFunc(faults, func(f fault) bool { return f.path == e.Path })
	})
}

// fault is what is wrong with a repaired project.
type fault struct{ path, why string }

// check scans the project with the repairs made. A finding that comes up with a repair is a fault, unless it has
// a repair for the next round, or is only advice that the new state of affairs makes worth giving.
func (r *round) check(ctx context.Context, made []Made) ([]fault, error) {
	r.result, r.news = r.files, nil
	if len(made) == 0 {
		return nil, nil
	}
	var patches []patch.Patch
	for _, m := range made {
		patches = append(patches, m.Patch)
	}
	taken, _ := patch.Select(patches) // an import that several repairs need is added once
	fillBlocks(r.before, taken)
	changes, err := patch.Changes("", taken, r.files.again)
	if err != nil {
		return nil, err
	}
	r.result, r.news = r.files.changed(changes), map[kind]bool{}
	if r.after, err = project.Load(ctx, r.options.Paths, project.Options{Exclude: r.options.Exclude, Read: r.result.again, Waits: r.options.Waits, Tries: r.options.Tries, Installed: r.options.Installed, Environments: r.options.Environments}); err != nil {
		return nil, err
	}
	if faults := r.unreadable(changes); len(faults) > 0 {
		return faults, nil
	}
	if r.afterFound, err = scan(ctx, r.after, r.options); err != nil {
		return nil, err
	}
	return r.unexpected(made), nil
}

// unreadable lists changed files that can no longer be read as they were.
func (r *round) unreadable(changes []patch.Change) (list []fault) {
	for _, c := range changes {
		before, after := moduleAt(r.before, c.Path), moduleAt(r.after, c.Path)
		if before != nil && after != nil {
			list = append(list, broken(before, after)...)
			continue
		}
		warned := len(warningsOf(r.before, c.Path))
		if now := warningsOf(r.after, c.Path); len(now) > warned {
			list = append(list, fault{c.Path, "the result cannot be read: " + now[len(now)-1].Message})
		}
	}
	return list
}

// broken lists what is not Python in a module and was before, or was not there. A notebook may have such places:
// each of its cells runs alone.
func broken(before, after *project.Module) (list []fault) {
	known := map[string]int{}
	for _, e := range before.File.Errors {
		known[e.Message]++
	}
	for _, e := range after.File.Errors {
		if known[e.Message]--; known[e.Message] < 0 {
			list = append(list, fault{after.Path, fmt.Sprintf("with this fix, line %d would not be valid Python (%s)", after.Place(e.Span).Line, e.Message)})
		}
	}
	return list
}

func moduleAt(p *project.Project, path string) *project.Module {
	for _, m := range p.Modules {
		if m.Path == path {
			return m
		}
	}
	return nil
}

func warningsOf(p *project.Project, path string) (list []project.Warning) {
	for _, w := range p.Warnings {
		if w.Path == path {
			list = append(list, w)
		}
	}
	return list
}

// unexpected lists findings that should be gone, and new ones.
func (r *round) unexpected(made []Made) (list []fault) {
	expected, repaired := kinds(r.found), map[kind]bool{}
	for _, m := range made {
		expected[kindOf(m.Finding)]--
		repaired[kindOf(m.Finding)] = true
	}
	for _, f := range r.afterFound {
		k := kindOf(f)
		expected[k]--
		switch {
		case expected[k] >= 0:
		case repaired[k]:
			list = append(list, fault{f.Where.Path, fmt.Sprintf("after this fix, a scan still reports %s (%s) on %s", f.Code, f.Name, f.Where.InWords())})
		case len(r.options.allowed(f)) > 0, (r.options.Unsafe || r.options.Pick != nil) && f.Severity == finding.Advice:
			r.news[k] = true
		default:
			list = append(list, fault{f.Where.Path, fmt.Sprintf("this fix would cause %s (%s) on %s", f.Code, f.Name, f.Where.InWords())})
		}
	}
	return list
}
