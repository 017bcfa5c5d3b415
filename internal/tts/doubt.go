package tts

import (
	"context"
	"strings"
	"sync"
	"unicode"

	"saturate/internal/human"
)

// doubt tells a text that the engine cannot speak from an engine that speaks nothing (any more): a server that is down,
// a program that lacks a library. It asks for other texts, each once. When they fail in the same way, so would all the
// rest.
type doubt struct {
	ask  func(context.Context, Job) error
	jobs []Job // of the whole run, the finished ones too
	done func(Job) bool

	mu       sync.Mutex // held while the engine is asked: what the answer means for the others is not known before
	failures int        // texts given up since one was spoken
	patience int        // so many make the doubt; doubled when it was unfounded, so that many bad texts cost few questions
}

// witnesses is how many other texts are asked for. With none spoken yet and fewer to ask for, the texts are listed as
// failures: to work through them takes no longer than to find out.
const (
	witnesses    = 3
	mostPatience = 64
)

// spoken is called for every text that was spoken.
func (d *doubt) spoken() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failures = 0
}

// failed is called for a text that was given up. It returns an error if every text would fail.
func (d *doubt) failed(ctx context.Context, j Job, err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failures++; d.failures < max(1, d.patience) || ctx.Err() != nil {
		return nil
	}
	others, before := d.others(j)
	if len(others) == 0 {
		return nil
	}
	for _, other := range others {
		if said := d.ask(ctx, other); said == nil || ctx.Err() != nil || !sameWay(said, err) {
			d.failures, d.patience = 0, min(2*max(1, d.patience), mostPatience)
			return nil
		}
	}
	if before {
		return hopeless("%w; %s that worked before now fail the same way", err, human.Plural(len(others), "text"))
	}
	return hopeless("%w; %d other texts fail the same way, and none has succeeded", err, len(others))
}

// others are texts to ask for: some that were spoken before, or else some from other places of the list.
func (d *doubt) others(j Job) (others []Job, before bool) {
	var spoken, rest []Job
	for _, o := range d.jobs {
		switch {
		case d.done(o):
			spoken = append(spoken, o)
		case o.Key != j.Key:
			rest = append(rest, o)
		}
	}
	from := rest
	if len(spoken) > 0 {
		from = spoken
	} else if len(rest) < witnesses {
		return nil, false
	}
	n := min(witnesses, len(from))
	for i := range n {
		others = append(others, from[len(from)-1-i*len(from)/n]) // the last first, away from a bad beginning
	}
	return others, len(spoken) > 0
}

// sameWay says whether two errors differ in numbers only: ports, sizes, seconds.
func sameWay(a, b error) bool {
	words := func(err error) string {
		text, _, _ := strings.Cut(err.Error(), " (tried ")
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return -1
			}
			return r
		}, text)
	}
	return words(a) == words(b)
}
