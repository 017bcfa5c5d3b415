package optimize

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"saturate/internal/files"
	"saturate/internal/finding"
	"saturate/internal/patch"
	"saturate/internal/rule"
	"saturate/internal/rule/repair"
)

// mostRounds bounds how often a group is repaired: workers that were just added can be made persistent.
const mostRounds = 3

// apply makes the candidate tree: a copy of the best one with the rung's repair. It reports whether anything changed.
func (p *protocol) apply(ctx context.Context, rung *Rung, best, candidate tree) (bool, error) {
	if rung.ID == offlineGroup.id {
		p.putAside(candidate)
	}
	if err := graft(best, candidate, p.shared()); err != nil {
		return false, fmt.Errorf("cannot copy the best program so far: %w", err)
	}
	if rung.Arguments != nil {
		rung.Command = withArguments(p.commandOf(best.name), rung.Arguments[0], rung.Arguments[1])
	}
	if rung.Instead != "" {
		return p.exchange(ctx, rung, best, candidate)
	}
	changed := rung.Command != nil
	var err error
	switch {
	case rung.ID == offlineGroup.id:
		changed, err = p.offline(ctx, rung, candidate)
	case rung.ID == builtGroup.id:
		changed, err = p.built(ctx, rung, candidate)
	case rung.Arguments == nil:
		changed, err = p.repair(ctx, rung, candidate)
	}
	if err != nil || !changed {
		return false, err
	}
	return true, p.lengthen(rung, best, candidate)
}

// repair makes the changes of the rung's rules in a tree. It reports whether anything changed.
func (p *protocol) repair(ctx context.Context, rung *Rung, t tree) (bool, error) {
	if rung.Arguments != nil {
		return true, nil
	}
	codes := rung.Codes
	if rung.Choice == loaderGroup.id || rung.ID == loaderGroup.id {
		codes = loaderGroup.codes // one of them may only show once another is repaired
	}
	changed := false
	for range mostRounds {
		part, err := p.recorded(ctx, rung, t)
		if err != nil {
			return false, err
		}
		plan, err := repair.Make(ctx, repair.Options{
			Paths: []string{t.dir}, Rules: rule.Selection{Select: codes}, Waits: p.here().waiting() || p.state.Baseline.waiting(), Tries: true, Installed: p.state.Baseline.Versions,
			Pick: func(f finding.Finding) *patch.Patch {
				if f.Code != codes[0] && rung.records() && (part == nil || !reachedFrom(f, part)) {
					return nil // what stands outside the recording stays
				}
				return p.pick(f, rung, t)
			},
		})
		if err != nil {
			return false, err
		}
		if len(plan.Changes) == 0 {
			if !changed {
				return false, withheld(plan)
			}
			break
		}
		command, needed := overridden(p.commandOf(rung.From), plan.Changes)
		if !slices.Equal(command, p.commandOf(rung.From)) {
			rung.Command, changed = command, true
		}
		if len(needed) == 0 {
			break
		}
		if err := rung.write(t, p.vendor(t, needed)); err != nil {
			return false, err
		}
		changed = true
	}
	return changed, nil
}

// pick returns the rung's repair of a finding, or the first allowed one if it has fewer; none if the program never
// reaches the finding.
func (p *protocol) pick(f finding.Finding, rung *Rung, t tree) *patch.Patch {
	at := rung.Fix
	if !p.imported(f, t) || p.idle(f, t) {
		return nil
	}
	if rung.ID == togetherGroup.id {
		return safeFix(f)
	}
	if at >= len(f.Fixes) || !p.allows(f.Fixes[at].Safety) {
		at = slices.IndexFunc(f.Fixes, func(fix patch.Patch) bool { return p.allows(fix.Safety) })
	}
	if at < 0 {
		return nil
	}
	return settleWorkers(f.Fixes[at], f.Code, rung.Workers)
}

// withheld is why an available repair was not made; nil if there was nothing to repair.
func withheld(plan *repair.Plan) error {
	for _, l := range plan.Left {
		if l.Detail != "" {
			return errors.New(l.Detail)
		}
	}
	return nil
}

// write makes changes in a tree, which is ours, and remembers the files.
func (r *Rung) write(t tree, changes []patch.Change) error {
	for _, c := range changes {
		path := c.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(t.dir, path)
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && files.Inside(real, t.dir) {
			path = real // git patches files, not links to them
		}
		name, err := filepath.Rel(t.dir, path)
		if err != nil || !filepath.IsLocal(name) {
			return fmt.Errorf("a fix would change %s, which is outside the project", c.Path)
		}
		if r.keep != nil {
			old, _ := files.Read(path, files.MaxSource) // nil where it is new
			r.keep(filepath.ToSlash(name), old)
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), files.Write(path, c.New)); err != nil {
			return err
		}
		if name = filepath.ToSlash(name); !slices.Contains(r.Files, name) {
			r.Files = append(r.Files, name)
		}
	}
	return nil
}
