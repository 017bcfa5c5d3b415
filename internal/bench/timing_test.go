package bench

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestMeasureCounts(t *testing.T) {
	for _, test := range []struct {
		name        string
		effort      Effort
		least, most int
		cut         bool
	}{
		{"all calls, in time", Effort{Iterations: 9, Time: time.Hour}, 9, 9, false},
		{"no time at all", Effort{Iterations: 100, Time: 0}, fewestSlow, fewestCalls, true},
		{"one call", Effort{Iterations: 1, Time: 0}, 1, 1, false},
	} {
		calls, emptied := 0, 0
		got, err := measure(context.Background(), test.effort, func() error { emptied++; return nil }, func() error { calls++; time.Sleep(10 * time.Microsecond); return nil })
		if err != nil {
			t.Fatal(err)
		}
		n := len(got.Wall)
		if n < test.least || n > test.most || len(got.CPU) != n || emptied != n || calls != n+got.WarmUp || got.Cut != test.cut || got.WarmUp < 1 {
			t.Errorf("%s: %d samples, %d calls, %d emptied, %+v", test.name, n, calls, emptied, got)
		}
	}
}

func TestMeasureStops(t *testing.T) {
	broken := errors.New("broken")
	if _, err := measure(context.Background(), Effort{Iterations: 5, Time: time.Hour}, nil, func() error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	_, err := measure(ctx, Effort{Iterations: 1000, Time: time.Hour}, nil, func() error {
		if calls++; calls == 30 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || calls > 31 {
		t.Errorf("%v after %d calls", err, calls)
	}
}
