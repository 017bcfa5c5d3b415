package analyze

import (
	"testing"

	"saturate/internal/trace"
)

// A graph of many kernels waits in the queue as one piece; HTA leaves graphs out.
func TestGraphInTheQueue(t *testing.T) {
	graph := func() *maker {
		m := newMaker().kernel("a", 0, 50, 10).kernel("b", 10, 70, 10).call("cudaGraphLaunch", 20, 5)
		for k := range 2000 {
			m.work(trace.Kernel, "node", 90+float64(k), 1)
		}
		return m
	}
	if q := graph().analyse(t, All).Launch.Queue; q.Max != 3 || q.Changes != 6 || q.FullNS != 0 {
		t.Errorf("%+v", q)
	}
	if q := graph().analyse(t, htaOptions).Launch.Queue; q.Max != 2 || q.Changes != 4 {
		t.Errorf("by HTA's rules %+v", q)
	}
}
