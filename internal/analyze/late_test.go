package analyze

import (
	"cmp"
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"saturate/internal/trace"
)

// insertion is time put into a recording.
type insertion struct {
	at    int64
	ns    int64
	onGPU bool          // the GPU worked on: the host's later events move too
	event trace.EventID // the work that takes longer; None for none
}

// injected makes the ranks of a job from one real recording of a training program on an H200: each rank is that
// recording, with a little noise, and an all-gather of pairs and an all-reduce of all ranks put into each step, which
// end when the last rank has come. One rank, or one pair's link, is made slow in the way asked for; clocks differ by up
// to 50 ms.
type injected struct {
	t      *trace.Trace
	v      *view
	ranks  int
	random *rand.Rand
}

const (
	transfer = 3_000_000
	slowness = 30_000_000
)

func (j *injected) job(cause string, slow int) []*trace.Trace {
	inserted := make([][]insertion, j.ranks)
	extra := make([][]meetingAt, j.ranks)
	shift := func(r int, ns int64) (sum int64) {
		for _, x := range inserted[r] {
			if x.at <= ns {
				sum += x.ns
			}
		}
		return sum
	}
	for k, s := range j.v.steps {
		points := j.points(s)
		meet := func(at int64, name, group string, members []int, bytes, link int64) {
			arrived := make([]int64, j.ranks)
			end := int64(0)
			for _, r := range members {
				arrived[r] = at + shift(r, at)
				end = max(end, arrived[r])
			}
			end += transfer + link
			for _, r := range members {
				extra[r] = append(extra[r], meetingAt{at, trace.Interval{Start: arrived[r], End: end}, name, group, members, bytes, int64(k)})
				inserted[r] = append(inserted[r], insertion{at, end - arrived[r], true, trace.None})
			}
		}
		for r := range j.ranks {
			inserted[r] = append(inserted[r], insertion{points.start, j.random.Int63n(400_000), false, trace.None})
		}
		if x, ok := points.slow[cause]; ok {
			inserted[slow] = append(inserted[slow], x)
		}
		for pair := range j.ranks / 2 {
			link := int64(0)
			if cause == "link" && slow/2 == pair {
				link = slowness
			}
			meet(points.gather, "_allgather_base", "1", []int{2 * pair, 2*pair + 1}, 8<<20, link)
		}
		all := make([]int, j.ranks)
		for r := range all {
			all[r] = r
		}
		meet(points.reduce, "allreduce", "0", all, 32<<20, 0)
	}
	var traces []*trace.Trace
	for r := range j.ranks {
		offset := j.random.Int63n(100_000_000) - 50_000_000
		traces = append(traces, j.rewrite(r, offset, cause, inserted[r], extra[r]))
	}
	return traces
}

type meetingAt struct {
	at      int64
	when    trace.Interval
	name    string
	group   string
	members []int
	bytes   int64
	seq     int64
}

type points struct {
	start, gather, reduce int64
	slow                  map[string]insertion
}

// points are where in a step of the recording something can be put.
func (j *injected) points(s step) points {
	t, p := j.t, points{start: s.host.Start + 1, slow: map[string]insertion{}}
	var forward, backward []trace.EventID
	for _, id := range j.v.device().work {
		call, ok := t.Launch(id)
		if !ok || !s.host.Contains(t.Start(call)) || j.v.classOf(id) != compute {
			continue
		}
		switch j.v.phaseOf(call) {
		case forwardCompute:
			forward = append(forward, id)
		case backwardCompute:
			backward = append(backward, id)
		}
	}
	p.gather = t.Start(forward[len(forward)/4])
	p.reduce = t.End(backward[len(backward)-1])
	in := func(id trace.EventID) insertion {
		return insertion{t.Start(id) + t.Duration(id)/2, slowness, true, id}
	}
	p.slow["forward"], p.slow["backward"] = in(forward[len(forward)/2]), in(backward[len(backward)/2])
	tr := t.Track(j.v.main)
	for id := tr.First; id < tr.Last; id++ {
		switch {
		case !s.host.Contains(t.Start(id)) || t.Kind(id) != trace.Annotation:
		case j.v.means(id, isLoader):
			p.slow["loader"] = insertion{t.Start(id) + t.Duration(id)/2, slowness, false, trace.None}
		case j.v.means(id, isZeroGrad):
			p.slow["host"] = insertion{t.Start(id), slowness, false, trace.None}
			p.slow["gc"] = p.slow["host"]
		}
	}
	return p
}

// rewrite is the recording with time put in.
func (j *injected) rewrite(rank int, offset int64, cause string, inserted []insertion, extra []meetingAt) *trace.Trace {
	t, m := j.t, newMaker()
	slices.SortStableFunc(inserted, func(a, b insertion) int { return cmp.Compare(a.at, b.at) })
	m.meta = *t.Meta()
	m.meta.Rank, m.meta.World, m.meta.Path, m.meta.Base = rank, j.ranks, fmt.Sprintf("rank-%d.json", rank), 1_700_000_000_000_000_000+offset
	names := make([]trace.NameID, t.Names())
	for i := range names {
		names[i] = m.name(t.String(trace.NameID(i)))
	}
	tracks := make([]trace.TrackID, len(t.Tracks()))
	for i := range t.Tracks() {
		tr := t.Track(trace.TrackID(i))
		key := trace.TrackKey{Domain: tr.Domain, PID: tr.PID, TID: tr.TID}
		if tr.Domain == trace.Stream || tr.Domain == trace.StreamNotes {
			key.PID, key.TID = int64(tr.Device), tr.Stream
		}
		tracks[i] = m.lexicon.Track(key)
	}
	end := j.v.steps[len(j.v.steps)-1].window.End
	for id := range trace.EventID(t.Len()) {
		e := t.Event(id)
		if e.Start >= end {
			continue
		}
		launched := e.Start
		if call, ok := t.Launch(id); ok && e.Kind.Work() {
			launched = t.Start(call)
		}
		start, last := e.Start, e.End
		for _, x := range inserted {
			switch {
			case e.Kind.Work() && (x.onGPU && e.Start >= x.at || !x.onGPU && launched >= x.at), !e.Kind.Work() && e.Start >= x.at:
				start, last = start+x.ns, last+x.ns
			case x.event == id, !e.Kind.Work() && e.End > x.at && e.Start < x.at:
				last += x.ns
			}
		}
		m.batch.Add(start, last-start, names[e.Name], tracks[e.Track], e.Kind)
		for _, a := range []trace.Attr{trace.Correlation, trace.External, trace.Sequence, trace.Bytes} {
			if n, ok := t.Int(id, a); ok {
				m.batch.SetInt(a, n)
			}
		}
	}
	if cause == "gc" {
		sum := int64(0)
		for _, x := range inserted {
			if x.ns == slowness && !x.onGPU {
				tr := t.Track(j.v.main)
				m.batch.Add(x.at+sum, x.ns, m.name("<built-in function collect>"), m.lexicon.Track(trace.TrackKey{Domain: trace.HostThread, PID: tr.PID, TID: tr.TID}), trace.Python)
			}
			sum += x.ns
		}
	}
	for _, x := range extra {
		m.batch.Add(x.when.Start, x.when.Length(), m.name("ncclDevKernel_Generic"), m.lexicon.Track(trace.TrackKey{Domain: trace.Stream, PID: 0, TID: 20}), trace.Kernel)
		m.batch.SetText(trace.CollectiveName, m.name(x.name))
		m.batch.SetText(trace.GroupName, m.name(x.group))
		m.batch.SetText(trace.GroupRanks, m.name(strings.ReplaceAll(fmt.Sprint(x.members), " ", ", ")))
		m.batch.SetText(trace.DType, m.name("BFloat16"))
		m.batch.SetInt(trace.InElements, x.bytes/2)
		m.batch.SetInt(trace.GroupSize, int64(len(x.members)))
		m.batch.SetInt(trace.CollectiveSeq, x.seq)
	}
	return m.trace()
}

// The rank that was made slow is found with its cause, whatever the clocks say.
func TestInjectedStragglers(t *testing.T) {
	whole := load(t, "fixed")
	random := rand.New(rand.NewSource(7))
	v := viewOf(t, whole, All)
	v.steps = v.steps[:4]
	j := &injected{t: whole, v: v, ranks: 4, random: random}
	want := map[string]string{
		"none": "", "loader": "data loader", "host": "host code", "forward": "forward compute", "backward": "backward compute", "gc": "garbage collection", "link": "",
	}
	for _, cause := range []string{"none", "loader", "host", "forward", "backward", "gc", "link"} {
		for slow := range j.ranks {
			if (testing.Short() || cause == "none") && slow != 2 {
				continue
			}
			a, err := Everything(context.Background(), j.job(cause, slow), All)
			if err != nil {
				t.Fatal(err)
			}
			r := a.Ranks
			switch {
			case cause == "none" || cause == "link":
				if r.Slowest >= 0 {
					t.Errorf("%s: rank %d is blamed: %s", cause, r.Slowest, r.Sentence)
				}
				if link := r.Link; (link != nil) != (cause == "link") || link != nil && !slices.Equal(link.Ranks, []int{slow / 2 * 2, slow/2*2 + 1}) {
					t.Errorf("%s of rank %d: %+v", cause, slow, r.Link)
				}
			case r.Slowest != slow || r.Late.Cause != want[cause] || a.Trace.Rank != slow:
				t.Errorf("%s on rank %d: found rank %d, %q: %s", cause, slow, r.Slowest, r.Late.Cause, r.Sentence)
			case r.Link != nil:
				t.Errorf("%s on rank %d: link %+v", cause, slow, r.Link)
			default:
				t.Logf("%s on rank %d: %s", cause, slow, r.Sentence)
			}
		}
	}
}
