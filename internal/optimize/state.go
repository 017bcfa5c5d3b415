package optimize

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"saturate/internal/files"
	"saturate/internal/finding"
	"saturate/internal/verify"
	"saturate/internal/version"
)

// state is what the protocol remembers between calls:
//
//	state.json         decisions so far
//	trees/base/NAME    the user's project when it began; trees/01/NAME … with repairs (see prune)
//	baseline/          the profiled run
//	chains/01.json     what each kept repair of a tree changed
//	looks/01/          the profiled runs of kept programs
//	rungs/01-SAT401/   each measurement, block by block (see verify)
//	proof-…/           the final one
type state struct {
	Key      string    `json:"key"` // of what the decisions depend on
	Notes    []string  `json:"notes,omitempty"`
	Baseline *Baseline `json:"baseline,omitempty"`
	Best     string    `json:"best"`            // name of a tree
	Start    float64   `json:"start,omitempty"` // what runs of the user's program took beside their steps, in the ladder
	Rungs    []Rung    `json:"rungs"`
	// Cut are trees from which a fix was taken out after a proof, with the tree that each was made from.
	Cut map[string]string `json:"cut,omitempty"`
	// Standings are where the time of kept programs goes; Pool is what was planned at some time, for choices.
	Standings map[string]*Baseline `json:"standings,omitempty"`
	Pool      []Candidate          `json:"pool,omitempty"`
	Planted   bool                 `json:"planted"`
	Begun     time.Time            `json:"begun"` // when that was
	After     *Baseline            `json:"after,omitempty"`
	AfterOf   string               `json:"after_of,omitempty"` // the tree that After is about
	Forked    int                  `json:"forked,omitempty"`   // runs of all calls
}

const baseTree = "base"

type unlocker func()

func (p *protocol) path(parts ...string) string {
	return filepath.Join(append([]string{p.State}, parts...)...)
}

// open starts a protocol, or resumes an existing one.
func (p *protocol) open() error {
	key, err := p.Key() // first, for it needs no place to work in
	if err != nil {
		return err
	}
	if p.State == p.Dir {
		return fmt.Errorf("%s is the project itself; choose another folder with --state", p.State)
	}
	if err := files.MakeOwn(p.State); err != nil {
		return fmt.Errorf("cannot use the work folder: %w; choose another with --state", err)
	}
	unlock, err := files.LockFolder(p.State, "another saturate optimize")
	if err != nil {
		return err
	}
	p.lock = unlock
	if err := p.makeCaches(); err != nil {
		return fmt.Errorf("cannot use the work folder: %w; choose another with --state", err)
	}
	data, err := files.Read(p.path("state.json"), files.MaxRecord)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		if err := json.Unmarshal(data, &p.state); err != nil {
			return fmt.Errorf("%s is damaged; remove its folder to start again", p.path("state.json"))
		}
		if p.state.Key != key {
			return fmt.Errorf("%s was made for different files, a different command or different settings, or by another version of saturate; remove it, or choose another folder with --state", p.State)
		}
	}
	p.state.Key = key
	if !p.state.Planted {
		if err := p.plantBase(); err != nil {
			return err
		}
	}
	p.result.Notes = append(p.result.Notes, p.state.Notes...)
	return nil
}

// plantBase copies the project, for the first time or because finish has taken the copy away: what the key covers is
// the same still.
func (p *protocol) plantBase() error {
	if p.state.Best == "" {
		p.state.Best, p.state.Begun = baseTree, now()
	}
	if err := p.save(); err != nil { // first: copies know a state folder by what is in it
		return err
	}
	notes, err := plant(p.Dir, p.path("trees", baseTree), p.State)
	if err != nil {
		return err
	}
	for _, note := range notes {
		if !slices.Contains(p.state.Notes, note) {
			p.state.Notes = append(p.state.Notes, note)
		}
	}
	p.state.Planted, p.planted = true, true
	return p.save()
}

func (p *protocol) close() { p.lock() }

// Key identifies protocols that can share decisions: the same project files, command, settings and program. A newer
// saturate sees other things in a run and knows other fixes.
func (o Options) Key() (string, error) {
	if info, err := os.Stat(o.Dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder; give the folder of the project", o.Dir)
	}
	v, err := verify.InFolder(o.Dir, o.Dir, o.Command)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal([]any{version.Built(), o.Dir, v.Fingerprint, o.Command, o.Steps, o.LadderPairs, o.Quick, o.Rules, o.SafeOnly, o.Vendor})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), nil
}

func (p *protocol) save() error {
	data, err := json.MarshalIndent(p.state, "", " ")
	if err == nil {
		err = files.Write(p.path("state.json"), append(data, '\n'))
	}
	if isFull(err) {
		return fmt.Errorf("cannot save the decisions so far: %w; free disk space and run the same command to continue", err)
	}
	if err != nil {
		return fmt.Errorf("cannot save the decisions so far: %w", err)
	}
	return nil
}

func (p *protocol) tree(name string) tree {
	return tree{name, p.path("trees", name, filepath.Base(p.Dir))}
}

func (p *protocol) base() tree { return p.tree(baseTree) }
func (p *protocol) best() tree { return p.tree(p.state.Best) }

// shown names places as the user knows them: relative to the project.
func (p *protocol) shown(fs []finding.Finding, t tree) []finding.Finding {
	list := slices.Clone(fs)
	for i := range list {
		list[i] = p.shownOne(list[i], t)
	}
	return list
}

func (p *protocol) shownOne(f finding.Finding, t tree) finding.Finding {
	if f.Where != nil {
		where := *f.Where
		where.Path = p.shownPath(where.Path, t)
		f.Where = &where
	}
	f.Evidence = slices.Clone(f.Evidence)
	for i, e := range f.Evidence {
		if e.Location != nil {
			at := *e.Location
			at.Path = p.shownPath(at.Path, t)
			f.Evidence[i].Location = &at
		}
	}
	f.Fixes = nil // of a tree that only we know
	return f
}

func (p *protocol) shownPath(path string, t tree) string {
	if relative, err := filepath.Rel(t.dir, path); err == nil && filepath.IsLocal(relative) {
		return filepath.ToSlash(relative)
	}
	return path
}
