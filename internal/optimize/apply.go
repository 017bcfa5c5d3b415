package optimize

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/optimize/offline"
	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/rule"
	"saturate/internal/rule/repair"
)

// mostRounds bounds how often a group is repaired: workers that were just added can be made persistent.
const mostRounds = 3

// apply makes the candidate tree: a copy of the best one with the rung's repair. It tells whether anything changed.
func (p *protocol) apply(ctx context.Context, rung *Rung, best, candidate tree) (bool, error) {
	if err := graft(best, candidate, p.shared()); err != nil {
		return false, fmt.Errorf("the best program so far cannot be copied: %w", err)
	}
	if rung.ID == offlineGroup.id {
		return p.offline(ctx, rung, candidate)
	}
	codes := rung.Codes
	if rung.ID == loaderGroup.id {
		codes = loaderGroup.codes // one of them may only show once another is repaired
	}
	changed := false
	for range mostRounds {
		plan, err := repair.Make(ctx, repair.Options{
			Paths: []string{candidate.dir}, Rules: rule.Selection{Select: codes},
			Pick: func(f finding.Finding) *patch.Patch { return p.pick(f, rung.Fix) },
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
		if err := rung.write(candidate, plan.Changes); err != nil {
			return false, err
		}
		changed = true
	}
	return changed, nil
}

// pick takes the rung's repair of a finding, or the first that may be tried where it has fewer.
func (p *protocol) pick(f finding.Finding, at int) *patch.Patch {
	if at < len(f.Fixes) && p.allows(f.Fixes[at].Safety) {
		return &f.Fixes[at]
	}
	for i := range f.Fixes {
		if p.allows(f.Fixes[i].Safety) {
			return &f.Fixes[i]
		}
	}
	return nil
}

// withheld is why a repair that is there was not made; nil when there was nothing to repair.
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
		name, err := filepath.Rel(t.dir, path)
		if err != nil || !filepath.IsLocal(name) {
			return fmt.Errorf("a repair would change %s, which is not in the project", c.Path)
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, c.New, 0o644)); err != nil {
			return err
		}
		if name = filepath.ToSlash(name); !slices.Contains(r.Files, name) {
			r.Files = append(r.Files, name)
		}
	}
	return nil
}

// offline makes the files of repair A with the user's own code, in the candidate tree.
func (p *protocol) offline(ctx context.Context, rung *Rung, t tree) (bool, error) {
	source, err := project.Load(ctx, []string{t.dir}, project.Options{})
	if err != nil {
		return false, err
	}
	found, err := rule.OnSource(ctx, source, p.Rules)
	if err != nil {
		return false, err
	}
	r, _ := offline.Offline(source, found.Findings, offline.Options{Command: p.Command})
	if len(r.Findings) == 0 {
		return false, nil
	}
	changes, err := patch.Changes(t.dir, []patch.Patch{r.Patch}, nil)
	if err != nil {
		return false, err
	}
	for _, f := range r.NewFiles {
		changes = append(changes, patch.Change{Path: f.Path, New: []byte(f.Text)})
	}
	if err := rung.write(t, changes); err != nil {
		return false, err
	}
	before, err := names(t.dir)
	if err != nil {
		return false, err
	}
	for _, c := range r.Prepare {
		p.tell(Event{Phase: Climbing, Text: "making its files once, with the project's own code: " + strings.Join(c.Words[1:], " ")})
		if err := p.Prepare(ctx, t.dir, c.Words); err != nil {
			return false, fmt.Errorf("`%s` failed: %w", strings.Join(c.Words, " "), err)
		}
		rung.Prepare = append(rung.Prepare, strings.ReplaceAll(strings.Join(c.Words, " "), t.dir+string(filepath.Separator), ""))
	}
	after, err := names(t.dir)
	if err != nil {
		return false, err
	}
	for name := range after {
		if !before[name] && name != "__pycache__" {
			rung.Shared = append(rung.Shared, name)
		}
	}
	return true, nil
}

// names are the entries of a folder.
func names(dir string) (map[string]bool, error) {
	entries, err := os.ReadDir(dir)
	set := map[string]bool{}
	for _, e := range entries {
		set[e.Name()] = true
	}
	return set, err
}

// shared are the folders with files that were made for repairs.
func (p *protocol) shared() []string {
	var list []string
	for _, r := range p.state.Rungs {
		list = append(list, r.Shared...)
	}
	return list
}
