package analyze

import (
	"context"
	"errors"
	"testing"

	"saturate/internal/trace"
)

// TestReadAhead reads in order, one ahead and no more, and ends after an error or when nobody asks.
func TestReadAhead(t *testing.T) {
	broken := errors.New("broken")
	var reads []int
	load := func(_ context.Context, i int) (*trace.Trace, error) {
		reads = append(reads, i)
		switch i {
		case 1:
			return nil, nil // skipped
		case 3:
			return nil, broken
		}
		return trace.NewBuilder().Finish(), nil
	}
	a := readAhead(t.Context(), 6, load)
	for i := range 4 {
		got, err := a.next(t.Context(), i)
		if (got == nil) != (i == 1 || i == 3) || (err != nil) != (i == 3) {
			t.Fatalf("trace %d: %v, %v", i, got, err)
		}
	}
	a.close()
	if len(reads) < 4 || len(reads) > 5 {
		t.Errorf("read %v; 4 were asked for", reads)
	}
	a.close() // again, as Job does

	ctx, stop := context.WithCancel(t.Context())
	a = readAhead(ctx, 6, load)
	stop()
	if _, err := a.next(ctx, 0); err == nil {
		t.Error("a reader whose context has ended gives a trace")
	}
	a.close()
}
