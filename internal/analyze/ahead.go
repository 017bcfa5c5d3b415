package analyze

import (
	"context"

	"saturate/internal/trace"
)

// mostAhead is how many events a trace may have for the next to be read while it is looked at: both are in memory then.
const mostAhead = 2_000_000

// aheadReader reads the traces of a job in order, the next one while the one before is looked at.
type aheadReader struct {
	ask  chan struct{}
	read chan arrival
	stop context.CancelFunc
}

type arrival struct {
	t   *trace.Trace
	err error
}

// readAhead begins to read n traces. Close must be called before load is used for anything else.
func readAhead(ctx context.Context, n int, load Load) *aheadReader {
	ctx, stop := context.WithCancel(ctx)
	a := &aheadReader{ask: make(chan struct{}), read: make(chan arrival), stop: stop}
	go func() {
		defer close(a.read)
		large := true // nothing is read before the first is asked for
		for i := range n {
			if large && !a.asked(ctx) {
				return
			}
			t, err := load(ctx, i)
			if !large && !a.asked(ctx) {
				return
			}
			a.read <- arrival{t, err}
			large = t != nil && t.Len() > mostAhead
		}
	}()
	return a
}

func (a *aheadReader) asked(ctx context.Context) bool {
	select {
	case <-a.ask:
		return true
	case <-ctx.Done():
		return false
	}
}

// next is a Load that gives the traces in order and ignores the number it is asked for.
func (a *aheadReader) next(ctx context.Context, _ int) (*trace.Trace, error) {
	select {
	case a.ask <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	r := <-a.read
	return r.t, r.err
}

// close ends the reading, and waits until it has ended.
func (a *aheadReader) close() {
	a.stop()
	for range a.read {
	}
}
