package optimize

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"saturate/internal/files"
	"saturate/internal/patch"
)

// link is a kept repair as a change of the sources: the files before it and after it. Applied in order, the links of a
// tree lead from the user's project to the tree. So one repair can be exchanged for another in the middle, and each can
// be written as a separate patch.
type link struct {
	Tree    string   `json:"tree"` // of the rung that was kept
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Codes   []string `json:"codes"`
	Fix     int      `json:"fix"`
	Workers int      `json:"workers,omitempty"`
	Changes []change `json:"changes"`
}

// change is one file of a link.
type change struct {
	Path string `json:"path"`
	Old  []byte `json:"old"` // nil where the file is new
	New  []byte `json:"new"`
}

func (l link) patch() (list []patch.Change) {
	for _, c := range l.Changes {
		list = append(list, patch.Change{Path: c.Path, Old: c.Old, New: c.New})
	}
	return list
}

func (p *protocol) chainFile(name string) string { return p.path("chains", name+".json") }

// chain are the links of a tree.
func (p *protocol) chain(name string) (list []link, err error) {
	if name == baseTree {
		return nil, nil
	}
	data, err := files.Read(p.chainFile(name), files.MaxRecord)
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the changes of the fixes: %w", err)
	}
	return list, nil
}

func (p *protocol) saveChain(name string, list []link) error {
	data, err := json.Marshal(list)
	if err == nil {
		err = errors.Join(os.MkdirAll(p.path("chains"), 0o755), files.Write(p.chainFile(name), data))
	}
	if err != nil {
		return fmt.Errorf("cannot save the changes of the fix: %w", err)
	}
	return nil
}

// sources are files of a tree; nil for one that is not there.
func sources(t tree, names []string) (map[string][]byte, error) {
	list := map[string][]byte{}
	for _, name := range names {
		text, err := files.Read(filepath.Join(t.dir, filepath.FromSlash(name)), files.MaxSource)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		list[name] = text
	}
	return list, nil
}

// linkOf is what a repair changed between two states of its files.
func linkOf(r *Rung, before, after map[string][]byte) link {
	l := link{Tree: r.Tree, ID: r.ID, Title: r.Title, Codes: r.Codes, Fix: r.Fix, Workers: r.Workers}
	var names []string
	for name := range after {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if string(before[name]) != string(after[name]) {
			l.Changes = append(l.Changes, change{name, before[name], after[name]})
		}
	}
	return l
}

// lengthen adds the rung at hand to the chain of the tree that it was made from.
func (p *protocol) lengthen(r *Rung, from, to tree) error {
	list, err := p.chain(from.name)
	if err != nil {
		return err
	}
	before, err := sources(from, r.Files)
	if err != nil {
		return err
	}
	after, err := sources(to, r.Files)
	if err != nil {
		return err
	}
	return p.saveChain(to.name, append(list, linkOf(r, before, after)))
}

// exchange makes a candidate tree in which another repair replaces one that was kept; the repairs after it are made
// again.
func (p *protocol) exchange(ctx context.Context, rung *Rung, from, to tree) (bool, error) {
	list, err := p.chain(from.name)
	if err != nil {
		return false, err
	}
	at := slices.IndexFunc(list, func(l link) bool { return l.Tree == rung.Instead })
	if at < 0 {
		return false, errors.New("the fix that it would replace is no longer part of the program")
	}
	if err := unwind(list[at:], to); err != nil {
		return false, err
	}
	fresh := slices.Clone(list[:at])
	one, err := p.linked(ctx, rung, rung, to)
	if err != nil || len(one.Changes) == 0 && rung.Command == nil {
		return false, err
	}
	fresh = append(fresh, one)
	more, err := p.rewind(ctx, rung, list[at+1:], to)
	if err != nil {
		return false, err
	}
	return true, p.saveChain(to.name, append(fresh, more...))
}

// unwind takes repairs out of a tree, the last one first.
func unwind(list []link, t tree) (err error) {
	for _, l := range slices.Backward(list) {
		for _, c := range l.Changes {
			path := filepath.Join(t.dir, filepath.FromSlash(c.Path))
			if c.Old == nil {
				err = os.Remove(path)
			} else {
				err = files.Write(path, c.Old)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// rewind makes repairs again that were taken out of a tree. The rung remembers the files.
func (p *protocol) rewind(ctx context.Context, rung *Rung, list []link, t tree) (fresh []link, err error) {
	for _, l := range list {
		again := &Rung{Candidate: Candidate{ID: l.ID, Title: l.Title, Codes: l.Codes, Fix: l.Fix, Workers: l.Workers}, Tree: l.Tree, From: rung.From}
		next, err := p.replayed(ctx, rung, again, l, t)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be applied together with it: %w", l.ID, err)
		}
		fresh = append(fresh, next)
	}
	return fresh, nil
}

// linked makes a repair in a tree, and tells what it changed. The rung remembers the files.
func (p *protocol) linked(ctx context.Context, rung, which *Rung, t tree) (link, error) {
	snapshot := map[string][]byte{}
	which.keep = func(name string, old []byte) {
		if _, have := snapshot[name]; !have {
			snapshot[name] = old
		}
	}
	_, err := p.repair(ctx, which, t)
	which.keep = nil
	if err != nil {
		return link{}, err
	}
	after, err := sources(t, which.Files)
	if err != nil {
		return link{}, err
	}
	for _, name := range which.Files {
		if !slices.Contains(rung.Files, name) {
			rung.Files = append(rung.Files, name)
		}
	}
	return linkOf(which, snapshot, after), nil
}

// replayed makes an earlier repair again: from its stored bytes if its files are unchanged since, otherwise from its rules.
func (p *protocol) replayed(ctx context.Context, rung, again *Rung, l link, t tree) (link, error) {
	same := true
	for _, c := range l.Changes {
		now, err := files.Read(filepath.Join(t.dir, filepath.FromSlash(c.Path)), files.MaxSource)
		same = same && (err == nil && string(now) == string(c.Old) || errors.Is(err, fs.ErrNotExist) && c.Old == nil)
	}
	if same {
		return l, rung.write(t, l.patch())
	}
	if len(l.Codes) == 0 || l.ID == offlineGroup.id || l.ID == builtGroup.id {
		return link{}, errors.New("it was not made by rules alone")
	}
	next, err := p.linked(ctx, rung, again, t)
	if err == nil && len(next.Changes) == 0 {
		err = errors.New("its findings are gone")
	}
	return next, err
}
