package optimize

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/files"
	"saturate/internal/patch"
)

// Propose edits a copy of the best program in place, and says what it did. It is called when no known repair is left,
// and again after each edit, until it makes none. An edit is measured and checked like any other repair.
type Propose func(ctx context.Context, t Task) (Proposal, error)

// Task is what a Propose is asked.
type Task struct {
	Dir     string   // the copy of the best program: its files may be changed and added, not removed
	Command []string // that trains, in Dir
	Here    Baseline // where the time of a step goes
	Left    []Left   // what could still be gained, the most first
	Tried   []Rung   // what became of all repairs so far, proposals too
	Round   int      // from 1
}

// Proposal is the edit that was made. One without a Title ends the calls.
type Proposal struct {
	Title string
	Saves float64 // of a step, as the proposer expects; 0 when it does not say
	Why   string  // for the report
}

// mostProposals is how often a Propose is asked.
const mostProposals = 5

const proposalID = "proposal"

// proposed asks for a repair that nobody planned, and tries it. It reports whether to go on.
func (p *protocol) proposed(ctx context.Context, here *Baseline) (bool, error) {
	if p.Propose == nil {
		return false, nil
	}
	round := 1
	for _, r := range p.state.Rungs {
		if strings.HasPrefix(r.ID, proposalID) {
			round++
		}
	}
	if round > mostProposals {
		return false, nil
	}
	if p.expired() {
		return false, errBudget
	}
	rung := p.rung(Candidate{ID: fmt.Sprintf("%s/%d", proposalID, round), Safety: patch.Unsafe}, here)
	best, t := p.best(), p.tree(rung.Tree)
	if err := graft(best, t, p.shared()); err != nil {
		return false, fmt.Errorf("cannot copy the best program so far: %w", err)
	}
	var said Proposal
	err := p.inTime(ctx, func(ctx context.Context) (err error) {
		said, err = p.Propose(ctx, Task{Dir: t.dir, Command: p.commandOf(best.name), Here: *here, Left: p.result.Left, Tried: slices.Clone(p.state.Rungs), Round: round})
		return err
	})
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		return false, err
	case said.Title == "":
		return false, nil
	}
	rung.Title, rung.Saves, rung.Reason = said.Title, said.Saves, said.Why
	if rung.Files, err = edited(best, t); err == nil && len(rung.Files) > 0 {
		err = p.lengthen(&rung, best, t)
	}
	switch {
	case err != nil:
		rung.Decision, rung.Because = Broken, err.Error()
	case len(rung.Files) == 0:
		rung.Decision, rung.Because = NotNeeded, "it changed nothing"
	default:
		if rung, err = p.judge(ctx, rung); err != nil {
			return false, err
		}
	}
	return true, p.decided(rung)
}

// edited lists the files that differ between two trees. One that is gone is an error: a patch would take it from the
// user.
func edited(from, to tree) (names []string, err error) {
	have := map[string]bool{}
	err = filepath.WalkDir(to.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(to.dir, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && slices.Contains(passedOver, d.Name()):
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		have[name] = true
		differs, err := differ(filepath.Join(from.dir, name), path)
		if differs {
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(from.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(from.dir, path)
		if d.IsDir() && name != "." && slices.Contains(passedOver, d.Name()) {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() && !have[name] {
			return fmt.Errorf("it removed %s, which a patch must not", filepath.ToSlash(name))
		}
		return nil
	})
	return names, err
}

// differ reports whether two files hold different bytes. Large files are data, and are compared by size and time.
func differ(a, b string) (bool, error) {
	one, err := os.Stat(a)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	two, err := os.Stat(b)
	if err != nil {
		return false, err
	}
	if one.Size() != two.Size() || one.Size() > files.MaxSource {
		return one.Size() != two.Size() || !one.ModTime().Equal(two.ModTime()), nil
	}
	left, err := files.Read(a, files.MaxSource)
	if err != nil {
		return false, err
	}
	right, err := files.Read(b, files.MaxSource)
	return err == nil && !bytes.Equal(left, right), err
}
