package shard

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// claims are where workers that help say so: one helper for each shard. They are a hint, which nobody else obeys. The
// shard's own worker may also make it, and a helper that dies does no harm.
const claims = "helped"

// TakeOver makes shards that other workers have not published, once a worker has finished its own. Every shard gets one
// helper at most, so the work that is done twice is bounded by the number of shards that slow or dead workers left. It
// needs no clock and no heartbeat.
func TakeOver(ctx context.Context, s Store, p *Plan, mine []int, make Maker, note func(Event)) (Worked, error) {
	total := Worked{Failed: []int{}}
	done, err := Published(ctx, s, p)
	if err != nil {
		return total, err
	}
	for _, i := range mine {
		done[i] = true // or failed here already
	}
	// A slow worker goes through its shards in order: the later ones come first here, so that two rarely make the same.
	var left []int
	for i := len(p.Shards) - 1; i >= 0; i-- {
		if !done[i] {
			left = append(left, i)
		}
	}
	at := len(left)
	// Helpers begin at different places. One that finds a shard claimed looks elsewhere, and ends when nearly all are.
	for lost := 0; lost < 16 && len(left) > 0; {
		if lost > 0 || at >= len(left) {
			at = rand.IntN(len(left))
		}
		shard := left[at]
		left = slices.Delete(left, at, at+1)
		won, err := publishBytes(ctx, s, fmt.Sprintf("%s/%s", claims, Name(shard)), []byte(p.Hash+"\n"))
		if err != nil {
			return total, fmt.Errorf("cannot claim shard %d: %w", shard, err)
		}
		if !won {
			lost++
			continue
		}
		lost = 0
		w, err := Work(ctx, s, p, []int{shard}, make, note)
		total.add(w)
		if ctx.Err() != nil {
			return total, ctx.Err()
		}
		if errors.Is(err, ErrHopeless) {
			break
		}
	}
	return total, nil
}

// add leaves failed shards out: they are their own worker's to report.
func (w *Worked) add(more Worked) {
	w.Shards, w.Published, w.Skipped, w.Lost = w.Shards+more.Shards, w.Published+more.Published, w.Skipped+more.Skipped, w.Lost+more.Lost
	w.Rows, w.Seconds, w.Unusable = w.Rows+more.Rows, w.Seconds+more.Seconds, w.Unusable+more.Unusable
}
