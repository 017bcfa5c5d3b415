package shard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Job is one shard to make.
type Job struct {
	Shard int
	Part  Part
	Lines []byte // its inputs
	Dir   string // an empty folder for it
}

// Made is what a maker leaves in the job's folder.
type Made struct {
	Rows    int64
	Seconds float64 // of audio
	Failed  []Failed
	Files   []Piece // in the order in which they are published
	Detail  any     // for the receipt
}

// Piece is a finished local file and its name in the store.
type Piece struct{ Name, Path string }

// Maker makes a shard. The result may depend on the plan and on the job alone.
type Maker func(ctx context.Context, j Job) (Made, error)

// Event is something that happened to a shard.
type Event struct {
	Shard int
	What  string // skipped, begun, published, lost (another worker was first) or failed
	Err   error
	Rows  int64
}

// Worked is what a worker did.
type Worked struct {
	Shards    int     `json:"shards"`        // that are this worker's
	Published int     `json:"published"`     // shards that this worker made
	Skipped   int     `json:"skipped"`       // published before
	Lost      int     `json:"lost"`          // made, but another worker was first
	TakenOver int     `json:"taken_over"`    // shards of other workers that this one published
	Rows      int64   `json:"rows"`          // in them
	Seconds   float64 `json:"audio_seconds"` // length of the audio in them
	Unusable  int     `json:"unusable"`      // inputs
	Failed    []int   `json:"failed"`        // shards that could not be made
}

// Work makes those of the shards that are not published yet. A shard that cannot be made does not stop the others; the
// first error is returned at the end.
func Work(ctx context.Context, s Store, p *Plan, shards []int, make Maker, note func(Event)) (Worked, error) {
	w := Worked{Shards: len(shards), Failed: []int{}}
	if note == nil {
		note = func(Event) {}
	}
	done := map[int]bool{}
	var err, first error
	if len(shards) > len(p.Shards)/listed { // else each is asked for, which is fewer requests
		if done, err = Published(ctx, s, p); err != nil {
			return w, err
		}
	}
	for _, shard := range shards {
		if ctx.Err() != nil {
			return w, ctx.Err()
		}
		if !done[shard] { // perhaps meanwhile
			if done[shard], err = isPublished(ctx, s, shard); err != nil {
				return w, fmt.Errorf("cannot ask for shard %d: %w", shard, err)
			}
		}
		if done[shard] {
			w.Skipped++
			note(Event{Shard: shard, What: "skipped"})
			continue
		}
		note(Event{Shard: shard, What: "begun"})
		made, won, err := one(ctx, s, p, shard, make)
		if err != nil && ctx.Err() == nil {
			if there, e := isPublished(ctx, s, shard); e == nil && there { // and this worker's files were swept away
				err, won = nil, false
			}
		}
		switch {
		case ctx.Err() != nil:
			return w, ctx.Err()
		case err != nil:
			w.Failed = append(w.Failed, shard)
			note(Event{Shard: shard, What: "failed", Err: err})
			if first == nil {
				first = fmt.Errorf("shard %d: %w", shard, err)
			}
			if errors.Is(err, ErrHopeless) {
				return w, first
			}
		case won:
			w.Published++
			w.Rows, w.Seconds, w.Unusable = w.Rows+made.Rows, w.Seconds+made.Seconds, w.Unusable+len(made.Failed)
			note(Event{Shard: shard, What: "published", Rows: made.Rows})
		default:
			w.Lost++
			note(Event{Shard: shard, What: "lost"})
		}
	}
	return w, first
}

// listed is how many objects a store lists in one reply.
const listed = 1000

// ErrHopeless says that other shards would fail in the same way.
var ErrHopeless = errors.New("no shard can be made")

// one makes a shard in a folder of its own and publishes it.
func one(ctx context.Context, s Store, p *Plan, shard int, make Maker) (made Made, won bool, err error) {
	lines, err := p.Lines(ctx, s, shard)
	if err != nil {
		return made, false, err
	}
	dir, err := s.Scratch(Name(shard))
	if err != nil {
		return made, false, err
	}
	defer os.RemoveAll(dir)
	if made, err = make(ctx, Job{shard, p.Shards[shard], lines, dir}); err != nil {
		return made, false, err
	}
	r := Receipt{
		Plan: p.Hash, Shard: shard, Inputs: p.Shards[shard].Inputs, Rows: made.Rows, Seconds: made.Seconds, Failed: append([]Failed{}, made.Failed...),
	}
	if made.Detail != nil {
		if r.Detail, err = json.Marshal(made.Detail); err != nil {
			return made, false, err
		}
	}
	for _, f := range made.Files {
		if _, err := s.Publish(ctx, f.Name, f.Path); err != nil {
			return made, false, err
		}
		// What is there counts: a worker that died before its receipt may have published it.
		info, err := sumOf(ctx, s, f.Name)
		if err != nil {
			return made, false, fmt.Errorf("cannot read back %s: %w", f.Name, err)
		}
		r.Files = append(r.Files, File{f.Name, info.Bytes, info.SHA256})
	}
	text, err := json.Marshal(r)
	if err != nil {
		return made, false, err
	}
	won, err = publishBytes(ctx, s, receiptName(shard), append(text, '\n'))
	if err == nil {
		s.Sweep(Name(shard))
	}
	return made, won, err
}
