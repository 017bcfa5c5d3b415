package optimize

import (
	"context"
	"fmt"

	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/patch"
	"saturate/internal/probe"
)

// Grow looks for a larger batch for the best program. It runs last, because the best batch depends on all other
// repairs. A larger batch trains differently, so it is never part of the proven patch but a separate one.
type Grow func(ctx context.Context, t GrowTask) (Grown, error)

// GrowTask is what a Grow is asked.
type GrowTask struct {
	Dir     string     // the tree of the best program; not to be changed
	Home    probe.Home // where its modules have to come from
	Command []string   // that trains, in Dir
	Scratch string     // an empty folder for runs
	Here    Baseline   // where the time of a step goes
}

// Grown is what was found.
type Grown struct {
	From    int            `json:"from"`              // samples a step now
	Batch   int            `json:"batch"`             // chosen; From where no larger one is worth it
	Speed   float64        `json:"speed"`             // samples a second, as a multiple of now
	Text    string         `json:"text"`              // the result in a sentence
	Changes []patch.Change `json:"-"`                 // paths relative to Dir; none where it cannot be written as a patch
	Command []string       `json:"command,omitempty"` // that starts the program with that batch size
	Notes   []string       `json:"notes,omitempty"`   // about the learning rate and the schedule, which are the user's to change
	Patch   string         `json:"patch,omitempty"`   // its file, on top of the other
}

// mostWait is the share of a step that may be spent waiting for data where a larger batch is looked for. Beyond it, a
// search of few steps would measure batches that the loader had prepared in advance, and promise a speed that the
// loader cannot sustain.
const mostWait = 0.2

// grow asks for a larger batch where the user wants one.
func (p *protocol) grow(ctx context.Context) error {
	if p.Grow == nil || p.expired() {
		return nil
	}
	best := p.best()
	here := p.standing(ctx)
	if data := here.Shares.Data; data > mostWait {
		p.result.Notes = append(p.result.Notes, fmt.Sprintf("did not look for a larger batch: the program waits for data "+
			"for %s of a step, and a larger batch needs as much data per sample", human.Percent(data)))
		return nil
	}
	p.tell(Event{Phase: Growing, Text: "looking for a larger batch: each trial starts the program again"})
	found, err := p.Grow(ctx, GrowTask{best.dir, p.home(best), p.commandOf(best.name), p.path("grow"), *here})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		p.result.Notes = append(p.result.Notes, fmt.Sprintf("did not look for a larger batch: %v", err))
		return nil
	}
	if len(found.Changes) > 0 {
		found.Patch = p.path("grow.patch")
		if err := files.Write(found.Patch, patch.Diff(found.Changes)); err != nil {
			return err
		}
	}
	p.result.Grown = &found
	return nil
}
