package dataset

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"saturate/internal/files"
	"saturate/internal/progress"
	"saturate/internal/shard"
)

// Join makes one output of all shards of a plan: the bytes that a build on one machine writes. Nothing is computed
// again.
func (s Settings) Join(ctx context.Context, store shard.Store, p *shard.Plan, opt Options) (Result, error) {
	rows := opt.Shard
	s.Apply(&opt)
	if s.To == "webdataset" {
		opt.Shard = rows
	}
	opt.Map, opt.Dir = MapNo, p.Dir
	list, err := s.PlannedList(nil)
	if err != nil {
		return Result{}, err
	}
	var outcomes []outcome
	for i := range p.Shards {
		lines, err := p.Lines(ctx, store, i)
		if err == nil {
			err = s.add(list, lines)
		}
		if err != nil {
			return Result{}, err
		}
		if outcomes, err = readOutcomes(ctx, store, i, p.Shards[i].Inputs, outcomes); err != nil {
			return Result{}, err
		}
	}
	b, err := prepare(list, opt)
	if err != nil {
		return Result{}, err
	}
	r := b.describe()
	if complete, err := b.existing(&r); err != nil || complete {
		return r, err
	}
	defer b.close()
	start := time.Now()
	if err := b.begin(); err != nil {
		return r, err
	}
	if err := b.copyRows(ctx, s, store, p, outcomes); err != nil {
		b.close()
		b.removeParts() // what was copied is there still
		return r, err
	}
	copy(b.results, outcomes)
	if err := b.finish(&r); err != nil {
		return r, err
	}
	r.Complete, r.WallSeconds = true, time.Since(start).Seconds()
	return r, nil
}

func readOutcomes(ctx context.Context, store shard.Store, number, inputs int, all []outcome) ([]outcome, error) {
	in, err := store.Read(ctx, itemsName(number), 0, -1)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := files.ReadAll(in, files.MaxJournal)
	if err != nil {
		return nil, err
	}
	before := len(all)
	for line := range bytes.Lines(text) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil || e.Item == nil || *e.Item != len(all)-before {
			return nil, fmt.Errorf("%s is damaged", itemsName(number))
		}
		all = append(all, e.outcome())
	}
	if len(all)-before != inputs {
		return nil, fmt.Errorf("%s is damaged: it has %d lines instead of %d", itemsName(number), len(all)-before, inputs)
	}
	return all, nil
}

// copyRows writes the rows of one shard after the other.
func (b *builder) copyRows(ctx context.Context, s Settings, store shard.Store, p *shard.Plan, outcomes []outcome) error {
	copy(b.results, outcomes)
	defer clear(b.results) // until every row is there, nothing is finished
	t := b.table(len(b.results))
	display := b.opt.Progress
	if display == nil {
		display = &progress.Display{Quiet: true}
	}
	task := display.Start("joining", "rows", t.rows)
	defer task.Done()
	scratch, err := store.Scratch("join")
	if err != nil {
		return err
	}
	defer store.Sweep("join")
	var part *built
	defer func() {
		if part != nil {
			part.close()
		}
	}()
	number, left, row, taken, values := -1, int64(0), int64(0), 0, int64(0)
	rm := &room{}
	return t.places(func(r *rowInfo, rec *record) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		for left == 0 {
			number++
			from := p.Shards[number].First
			for i := from; i < from+p.Shards[number].Inputs; i++ {
				left += b.rowsOf(&b.results[i])
			}
			if part != nil {
				part.close()
			}
			if part, err = s.openPart(ctx, store, number, scratch); err != nil {
				return fmt.Errorf("shard %d cannot be read: %w", number, err)
			}
			row, taken, values = 0, 0, 0
		}
		left--
		defer func() { row++; task.Add(1) }()
		if rec.size() == 0 {
			return nil // left out
		}
		rm.rec = *rec
		dst := b.out.dest(rm)
		if part.perRow {
			if taken >= len(part.rowsAt) {
				return fmt.Errorf("shard %d has too few rows", number)
			}
			err = part.rowsAt[taken](dst)
			taken++
		} else {
			err = part.features(values, dst)
			values += int64(len(dst))
		}
		if err != nil {
			return fmt.Errorf("row %d of shard %d cannot be read: %w", row, number, err)
		}
		return b.out.write(rm)
	})
}

// openPart opens a published shard, from a copy where the store is not a folder.
func (s Settings) openPart(ctx context.Context, store shard.Store, number int, scratch string) (*built, error) {
	name := shard.Name(number)
	local := func(file string) (string, error) {
		if f, ok := store.(interface{ Local(string) string }); ok {
			return filepath.Abs(f.Local(file))
		}
		path := filepath.Join(scratch, filepath.Base(file))
		in, err := store.Read(ctx, file, 0, -1)
		if err != nil {
			return "", err
		}
		defer in.Close()
		_, err = files.Stream(path, func(w io.Writer) error {
			_, err := io.Copy(w, in)
			return err
		})
		return path, err
	}
	path, err := local("shards/" + name + shardEndings[s.To])
	if err != nil {
		return nil, err
	}
	opt := Defaults()
	s.Apply(&opt)
	form, err := newFormat(opt, shape{params: s.Params, length: 480000}, &List{})
	if err != nil {
		return nil, err
	}
	if s.To == "webdataset" {
		index, err := local("index/" + name + ".npy")
		if err != nil {
			return nil, err
		}
		folder := filepath.Join(scratch, name)
		about, err := json.Marshal(s.Attributes)
		if err = errors.Join(err, os.MkdirAll(folder, 0o755), os.Symlink(path, filepath.Join(folder, shardName(0))),
			os.Symlink(index, filepath.Join(folder, "index.npy")), files.Write(filepath.Join(folder, attributesName),
				about)); err != nil {
			return nil, err
		}
		path = folder
	}
	b, err := form.open(path)
	if err == nil && scratch != "" {
		b.closers = append(b.closers, func() error { return os.RemoveAll(filepath.Join(scratch, name)) })
	}
	return b, err
}
