package optimize

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"saturate/internal/files"
	"saturate/internal/patch"
)

// difference writes the patch from the user's tree to the best one: the files that kept repairs changed or made.
// Files that the program itself wrote are not part of it.
func (p *protocol) difference(best tree) error {
	var names []string
	for _, r := range p.state.Rungs {
		if r.Decision == Kept {
			names = append(names, r.Files...)
			if r.ID == builtGroup.id {
				p.result.Prepare = nil // it makes the speech as well
			}
			p.result.Prepare = append(p.result.Prepare, r.Prepare...)
		}
	}
	slices.Sort(names)
	var changes []patch.Change
	for _, name := range slices.Compact(names) {
		old, err := files.Read(filepath.Join(p.base().dir, name), files.MaxSource)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot make the patch: %w", err)
		}
		fresh, err := files.Read(filepath.Join(best.dir, name), files.MaxSource)
		if err != nil {
			return fmt.Errorf("cannot make the patch: %w", err)
		}
		if !bytes.Equal(old, fresh) {
			changes = append(changes, patch.Change{Path: name, Old: old, New: fresh})
		}
	}
	if len(changes) == 0 {
		return nil // the command alone was changed
	}
	diff := append(p.unproven(), patch.Diff(changes)...)
	p.result.Diff, p.result.Patch = string(diff), p.path("optimize.patch")
	return files.Write(p.result.Patch, diff)
}

// unproven names, at the head of a patch, where git ignores it, the repairs that only one pair of runs decided.
func (p *protocol) unproven() []byte {
	var text []byte
	for _, r := range p.kept() {
		if r.Unproven {
			text = fmt.Appendf(text, "unproven (--quick): %s was kept by %s of runs\n", r.ID, pairsOf(r.Pairs))
		}
	}
	if text != nil {
		text = append(text, '\n')
	}
	return text
}
