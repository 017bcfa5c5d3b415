package dataset

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"saturate/internal/files"
	"saturate/internal/shard"
)

// segmentRows is how many numbers each shard has for its rows where nobody knows beforehand how many there will be.
const segmentRows = 1_000_000

// MakeShard builds the rows of one shard, in its folder.
func (s Settings) MakeShard(ctx context.Context, j shard.Job, opt Options, store func(place string) (shard.Store, error)) (shard.Made, error) {
	list, err := s.PlannedList(j.Lines)
	if err != nil {
		return shard.Made{}, err
	}
	if err := stage(ctx, list, filepath.Join(j.Dir, "in"), store); err != nil {
		return shard.Made{}, err
	}
	s.Apply(&opt)
	opt.Output, opt.Fsync, opt.barren, opt.firstRow = filepath.Join(j.Dir, "out"), false, true, int64(j.Part.First)
	if s.Segment > 0 {
		opt.firstRow = int64(j.Shard) * segmentRows
	}
	if s.To == "webdataset" {
		opt.Shard = 1 << 30 // one archive
	}
	r, err := Build(ctx, list, opt)
	if err != nil {
		return shard.Made{}, err
	}
	if s.Segment > 0 && r.Rows > segmentRows {
		return shard.Made{}, fmt.Errorf("it has %d rows, and at most %d are supported; plan with a smaller --per-shard",
			r.Rows, segmentRows)
	}
	for i := range r.outcomes {
		if err := unlike(&list.Items[i], &r.outcomes[i]); err != nil {
			return shard.Made{}, err
		}
	}
	made := shard.Made{Rows: r.Rows, Seconds: r.AudioSeconds, Detail: PartDetail{
		Valid:  r.Rows - int64(len(r.Failed)),
		Frames: r.Frames,
	}}
	for _, f := range r.Failed {
		made.Failed = append(made.Failed, shard.Failed{Input: f.Path, Reason: f.Reason})
	}
	name := shard.Name(j.Shard)
	if s.To == "webdataset" {
		made.Files = []shard.Piece{
			{Name: "shards/" + name + ".tar", Path: filepath.Join(opt.Output, shardName(0))},
			{Name: "index/" + name + ".npy", Path: filepath.Join(opt.Output, "index.npy")},
		}
	} else {
		made.Files = []shard.Piece{{Name: "shards/" + name + shardEndings[s.To], Path: opt.Output}}
	}
	items := filepath.Join(j.Dir, "items.jsonl")
	made.Files = append(made.Files, shard.Piece{Name: itemsName(j.Shard), Path: items})
	return made, writeOutcomes(items, list, r.outcomes)
}

// PartDetail is what the receipt of a shard of features says besides.
type PartDetail struct {
	Valid  int64 `json:"valid"`  // rows that can be used
	Frames int64 `json:"frames"` // without padding
}

func itemsName(number int) string { return "items/" + shard.Name(number) + ".jsonl" }

// writeOutcomes lists what became of each input, for whoever makes one output of all shards.
func writeOutcomes(path string, list *List, outcomes []outcome) error {
	return writeFile(path, func(w io.Writer) error {
		var line []byte
		for i := range outcomes {
			it := list.Items[i]
			it.Time = 0 // of a copy, perhaps
			var err error
			if line, err = appendEntry(line[:0], i, &it, &outcomes[i]); err != nil {
				return err
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
}

// openLocal opens the copy of an item.
func openLocal(it *Item) (source, error) {
	f, err := files.Open(it.local)
	if err != nil {
		return source{}, fmt.Errorf("cannot be read: %w", reason(err))
	}
	src := source{SectionReader: io.NewSectionReader(f, it.localAt, it.Size), file: f}
	if it.Tar == "" {
		src.path = it.local
	}
	return src, nil
}
