package analyze

import (
	"context"
	"testing"

	"saturate/internal/trace"
)

// maker builds small traces. Times are in microseconds.
type maker struct {
	lexicon *trace.Lexicon
	batch   *trace.Batch
	meta    trace.Meta
	number  int64 // the last correlation
}

func newMaker() *maker {
	l := trace.NewLexicon()
	return &maker{lexicon: l, batch: l.NewBatch(), meta: trace.Meta{Path: "made", Rank: -1}}
}

const mainThread, autogradThread = 1, 2

func (m *maker) name(s string) trace.NameID { return m.lexicon.Name([]byte(s)) }

// host adds an event of a thread.
func (m *maker) host(thread int64, kind trace.Kind, name string, start, dur float64) *maker {
	track := m.lexicon.Track(trace.TrackKey{Domain: trace.HostThread, PID: 100, TID: thread})
	m.batch.Add(int64(start*1000), int64(dur*1000), m.name(name), track, kind)
	return m
}

func (m *maker) op(name string, start, dur float64) *maker {
	return m.host(mainThread, trace.CPUOp, name, start, dur)
}

func (m *maker) mark(name string, start, dur float64) *maker {
	return m.host(mainThread, trace.Annotation, name, start, dur)
}

func (m *maker) frame(name string, start, dur float64) *maker {
	return m.host(mainThread, trace.Python, name, start, dur)
}

func (m *maker) call(name string, start, dur float64) *maker {
	m.number++
	m.host(mainThread, trace.Runtime, name, start, dur)
	m.batch.SetInt(trace.Correlation, m.number)
	return m
}

// work adds GPU work that belongs to the last call.
func (m *maker) work(kind trace.Kind, name string, start, dur float64) *maker {
	return m.workOn(0, 7, kind, name, start, dur)
}

func (m *maker) workOn(device, stream int64, kind trace.Kind, name string, start, dur float64) *maker {
	track := m.lexicon.Track(trace.TrackKey{Domain: trace.Stream, PID: device, TID: stream})
	m.batch.Add(int64(start*1000), int64(dur*1000), m.name(name), track, kind)
	m.batch.SetInt(trace.Correlation, m.number)
	return m
}

// kernel launches a kernel: the call takes 5 µs.
func (m *maker) kernel(name string, launch, start, dur float64) *maker {
	return m.call("cudaLaunchKernel", launch, 5).work(trace.Kernel, name, start, dur)
}

// copyIn copies from the host: the call takes so long.
func (m *maker) copyIn(memory string, bytes int64, launch, call, start, dur float64) *maker {
	m.call("cudaMemcpyAsync", launch, call).work(trace.Memcpy, "Memcpy HtoD ("+memory+" -> Device)", start, dur)
	m.batch.SetInt(trace.Bytes, bytes)
	return m
}

func (m *maker) copyOut(bytes int64, launch, call, start, dur float64) *maker {
	m.call("cudaMemcpyAsync", launch, call).work(trace.Memcpy, "Memcpy DtoH (Device -> Pinned)", start, dur)
	m.batch.SetInt(trace.Bytes, bytes)
	return m
}

func (m *maker) step(number string, start, dur float64) *maker {
	return m.mark("ProfilerStep#"+number, start, dur)
}

func (m *maker) trace() *trace.Trace {
	b := trace.NewBuilder()
	b.Meta = m.meta
	b.Append(m.batch.Seal())
	return b.Finish()
}

func (m *maker) analyse(t testing.TB, opt Options) Analysis {
	t.Helper()
	a, err := Everything(context.Background(), []*trace.Trace{m.trace()}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
