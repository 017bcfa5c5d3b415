package optimize

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/files"
	"saturate/internal/optimize/offline"
	"saturate/internal/patch"
	"saturate/internal/rule"
	"saturate/internal/run"
)

// repairA is the work to do once, before training, as far as the source of a tree shows it.
func (p *protocol) repairA(ctx context.Context, t tree) (offline.Repair, error) {
	source, err := p.source(ctx, t, p.here())
	if err != nil {
		return offline.Repair{}, err
	}
	found, err := rule.OnSource(ctx, source, p.Rules)
	if err != nil {
		return offline.Repair{}, err
	}
	findings, _, _ := p.inReach(found.Findings, t)
	r, _ := offline.Offline(source, findings, p.offlineOptions(p.here()))
	return r, nil
}

// cheapest is the time to read a sample from a file: the result of cheaper work is not worth keeping in one.
const cheapest = 0.0005

// offlineOptions say how the project is trained, and the measured cost of making samples where it matters.
func (p *protocol) offlineOptions(here *Baseline) offline.Options {
	o, measured := offline.Options{Command: p.Command, Vendor: p.Vendor}, offline.Measured()
	if here.Shares.Data+here.Shares.Workers >= noticed && p.Rules.Picks(&measured) {
		o.Costs = slices.DeleteFunc(slices.Clone(here.Costs), func(f run.Function) bool { return here.Making > 0 && f.Share*here.Making < cheapest })
	}
	return o
}

// offline makes the files of repair A with the user's own code, in the candidate tree.
func (p *protocol) offline(ctx context.Context, rung *Rung, t tree) (bool, error) {
	r, err := p.repairA(ctx, t)
	if err != nil || len(r.Findings) == 0 {
		return false, err
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
	p.resume(t, r)
	if err := p.makeFiles(ctx, rung, t, r, nil); err != nil {
		return false, err
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

// nothingToBuild is why saturate need not build features; that is tried only after the project's own features were kept.
func (p *protocol) nothingToBuild() string {
	at := slices.IndexFunc(p.state.Rungs, func(r Rung) bool { return r.ID == offlineGroup.id && r.Decision == Kept })
	switch {
	case at < 0:
		return "needs offline, which was not kept"
	case p.state.Rungs[at].Rounded:
		return "saturate mel has already built the features; your own code would have been slow"
	}
	return ""
}

// built has saturate mel build the features of a tree whose files were made by the project's own code. Speech stays as
// it is.
func (p *protocol) built(ctx context.Context, rung *Rung, t tree) (bool, error) {
	r, err := p.repairA(ctx, p.base())
	if err != nil || !r.Mel {
		return false, err
	}
	if err := p.makeFiles(ctx, rung, t, r, []string{"--features", "mel"}); err != nil {
		return false, err
	}
	rung.Shared = p.shared()
	if !rung.Rounded {
		return false, errors.New("the features are still your own: " + why(filepath.Join(t.dir, r.Made)))
	}
	return true, nil
}

// makeFiles runs the commands that make files, with more arguments behind the script's name, and looks who made the
// features.
func (p *protocol) makeFiles(ctx context.Context, rung *Rung, t tree, r offline.Repair, more []string) error {
	for _, c := range r.Prepare {
		words := slices.Insert(slices.Clone(c.Words), 2, more...)
		p.tell(Event{Phase: Climbing, Text: "making its files once, with your own code: " + strings.Join(words[1:], " ")})
		p.trying = *rung
		if err := p.prepare(ctx, t, words, r.Folders); err != nil {
			return fmt.Errorf("%s failed: %w", filepath.ToSlash(words[1]), err) // what follows is the reason, and tables show its beginning
		}
		rung.Prepare = append(rung.Prepare, strings.ReplaceAll(strings.Join(words, " "), t.dir+string(filepath.Separator), ""))
	}
	if r.Mel {
		for _, m := range madeFeatures(filepath.Join(t.dir, r.Made)) {
			if m.By == offline.ByMel {
				rung.Rounded, rung.Apart = true, max(rung.Apart, m.Largest)
			}
		}
	}
	return nil
}

// madeFeatures is what the script says about the features of each place; nothing where it made none.
func madeFeatures(path string) map[string]offline.Made {
	var list map[string]offline.Made
	if data, err := files.Read(path, files.MaxRecord); err == nil {
		_ = json.Unmarshal(data, &list) // ours
	}
	return list
}

func why(path string) string {
	for _, m := range madeFeatures(path) {
		if m.Why != "" {
			return m.Why
		}
	}
	return "no reason was given"
}

// inTime does something that is ended when the budget is used up.
func (p *protocol) inTime(ctx context.Context, do func(context.Context) error) error {
	if p.deadline.IsZero() {
		return do(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, p.deadline.Sub(p.Now()))
	defer cancel()
	err := do(ctx)
	if err != nil && p.expired() {
		return errBudget
	}
	return err
}

// begun is the tree of a call that was stopped while it made files offline.
func (p *protocol) begun() tree { return p.tree("begun") }

// putAside keeps a tree that is about to be copied again, so that the files made in it need not be made again.
func (p *protocol) putAside(t tree) {
	_ = os.Rename(filepath.Dir(t.dir), filepath.Dir(p.begun().dir)) // there is none, or one that is older still
}

// resume takes over the files of the tree that was put aside. Files that cannot be taken over are made again.
func (p *protocol) resume(t tree, r offline.Repair) {
	for _, folder := range r.Folders {
		if name, err := filepath.Rel(t.dir, folder); err == nil {
			_ = os.Rename(filepath.Join(p.begun().dir, name), folder)
		}
	}
	_ = os.RemoveAll(filepath.Dir(p.begun().dir))
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
		for _, name := range r.Shared {
			if !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}
