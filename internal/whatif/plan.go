package whatif

import "saturate/internal/trace"

// Plan is how long everything takes: as recorded, until a repair changes it.
type Plan struct {
	g *Graph

	gap  []int64 // of each call: host time before it
	lead []int64 // its own before it launches
	cost []int64 // and after
	dur  []int64 // of each piece of work

	fetch []int64 // of each call: time in which workers prepare the batch that is taken before it; nil without workers
	ahead int64   // batches that they prepare ahead

	noWait  uint16 // the sorts of waits that are gone
	split   uint16 // the classes of work that run beside their stream
	overlap uint16 // the classes of work that nothing waits for across streams
	bias    bias
	host    Host
}

// gone is the duration of work that a repair does away with.
const gone = -1

// bias says how an uncertain effect is taken.
type bias int8

const (
	likely bias = iota
	optimistic
	pessimistic
)

// Recorded is the plan that nothing changed.
func (g *Graph) Recorded() *Plan { return g.Plan(AsRecorded, likely) }

// Plan is the recorded one, with the host's own times multiplied.
func (g *Graph) Plan(host Host, b bias) *Plan {
	p := &Plan{
		g: g, gap: make([]int64, len(g.call)), lead: make([]int64, len(g.call)),
		cost: make([]int64, len(g.call)), dur: make([]int64, len(g.work)), bias: b,
	}
	copy(p.dur, g.dur)
	p.host = host
	loading := g.loading()
	for i := range g.call {
		p.gap[i], p.lead[i], p.cost[i] = g.gap[i], scaled(g.lead[i], host.Other), scaled(g.cost[i], host.Other)
		if g.gap[i] > 0 {
			loads := loading[int32(i)]
			p.gap[i] = scaled(g.gap[i]-loads, host.Other) + scaled(loads, host.Loader)
		}
	}
	return p
}

// loading is how much of the gap before each call is the loader's.
func (g *Graph) loading() map[int32]int64 {
	if g.loads == nil {
		g.loads = g.hostWithin(g.facts.Loader)
	}
	return g.loads
}

// Host is by what the host's times are multiplied: a profiler stretches them.
type Host struct{ Loader, Other float64 }

// AsRecorded changes nothing.
var AsRecorded = Host{1, 1}

func scaled(ns int64, by float64) int64 {
	if by == 1 {
		return ns
	}
	return int64(float64(ns) * by)
}

func (p *Plan) free(call int) bool { return p.noWait&(1<<p.g.wait[call]) != 0 }

// apart reports whether the work runs beside its stream.
func (p *Plan) apart(work int32) bool { return p.split != 0 && p.split&(1<<p.g.class[work]) != 0 }

// beside reports whether no other stream waits for the work.
func (p *Plan) beside(work int32) bool {
	return p.overlap != 0 && p.overlap&(1<<p.g.class[work]) != 0
}

// hostWithin is how much of the gap before each call is in one of the intervals, which are by time; calls without any
// are left out.
func (g *Graph) hostWithin(spans []trace.Interval) map[int32]int64 {
	found := map[int32]int64{}
	first := 0
	for _, s := range spans {
		for first < len(g.call)-1 && g.begin[first] <= s.Start {
			first++
		}
		for i := first; i < len(g.call); i++ {
			if i == 0 {
				continue
			}
			if g.end[i-1] >= s.End {
				break
			}
			gap := trace.Interval{Start: g.end[i-1], End: g.begin[i]}
			if ns := gap.Overlap(s); ns > 0 {
				found[int32(i)] += ns
			}
		}
	}
	return found
}

// callsWithin are the calls that begin in one of the intervals, which are by time.
func (g *Graph) callsWithin(spans []trace.Interval) (calls []int32) {
	at := 0
	for i := range g.call {
		for at < len(spans) && spans[at].End <= g.begin[i] {
			at++
		}
		if at == len(spans) {
			break
		}
		if g.call[i] != trace.None && spans[at].Contains(g.begin[i]) {
			calls = append(calls, int32(i))
		}
	}
	return calls
}
