package analyze

import (
	"cmp"
	"slices"
	"strings"
)

// Group is what the collectives of one kind took in one process group.
type Group struct {
	Name       string  `json:"name"`              // what the group is for, and its ranks
	Ranks      int     `json:"ranks"`             // size of the group
	Seen       int     `json:"ranks_seen"`        // of them, in these traces
	Collective string  `json:"collective"`        // kind of the collective: all_reduce
	Count      int     `json:"count"`             // collectives of that kind
	Bytes      int64   `json:"message_bytes"`     // in the middle; 0 when unknown
	WaitNS     int64   `json:"wait_ns"`           // for the last rank, a rank and step on average
	TransferNS int64   `json:"transfer_ns"`       // after the last rank had arrived, a step
	ExposedNS  int64   `json:"exposed_ns"`        // while nothing was computed, a rank and step
	AlgGBs     float64 `json:"algorithm_gb_s"`    // message over transfer
	BusGBs     float64 `json:"bus_gb_s"`          // as nccl-tests counts the load of a link
	LastRank   int     `json:"last_rank"`         // arrives last most often
	LastShare  float64 `json:"last_share"`        // in this part of the collectives
	Partial    bool    `json:"partial,omitempty"` // ranks of the group are missing: one of them may have come last

	talk *talk
}

// groupsOf sums the collectives up by group and kind, most time first.
func groupsOf(list []match, steps int64) []Group {
	type slot struct{ group, name string }
	type sum struct {
		Group
		sizes           []int64
		last            map[int]int
		wait, took, exp float64
		moved, movedBus float64
		movedNS         float64
	}
	at := map[slot]*sum{}
	for i := range list {
		x := &list[i]
		s := slot{x.talk.group, x.talk.plain()}
		g := at[s]
		if g == nil {
			g = &sum{
				Group: Group{Name: x.talk.groupName(), Ranks: x.talk.size, Collective: x.talk.name, talk: x.talk},
				last:  map[int]int{},
			}
			at[s] = g
		}
		n := len(x.who)
		g.Seen = max(g.Seen, n)
		g.Count++
		g.sizes = append(g.sizes, x.bytes)
		g.last[x.who[x.last]]++
		g.wait += float64(x.waited) / float64(n)
		g.took += float64(x.took)
		for _, m := range x.seen {
			g.exp += float64(m.exposed) / float64(n)
		}
		g.Partial = g.Partial || !x.whole()
		if x.took > 0 && x.bytes > 0 && x.whole() {
			g.moved += float64(x.bytes)
			g.movedBus += float64(x.bytes) * x.talk.busFactor(max(x.talk.size, n))
			g.movedNS += float64(x.took)
		}
	}
	var out []Group
	for _, g := range at {
		per := float64(steps)
		g.WaitNS, g.TransferNS, g.ExposedNS = int64(g.wait/per), int64(g.took/per), int64(g.exp/per)
		g.Bytes = median(g.sizes)
		if g.Ranks == 0 {
			g.Ranks = g.Seen
		}
		if g.movedNS > 0 {
			g.AlgGBs, g.BusGBs = g.moved/g.movedNS, g.movedBus/g.movedNS
		}
		most := -1
		for r, n := range g.last {
			if most < 0 || n > g.last[most] || n == g.last[most] && r < most {
				most = r
			}
		}
		g.LastRank, g.LastShare = most, float64(g.last[most])/float64(g.Count)
		out = append(out, g.Group)
	}
	slices.SortFunc(out, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.WaitNS+b.TransferNS, a.WaitNS+a.TransferNS), strings.Compare(a.Name, b.Name),
			strings.Compare(a.Collective, b.Collective))
	})
	return out
}

// Link is a group whose collectives take longer than the same ones elsewhere in the job, although all ranks are there:
// its link is slow.
type Link struct {
	Group      string  `json:"group"`          // the process group
	Ranks      []int   `json:"ranks"`          // in the group
	Collective string  `json:"collective"`     // kind of the collective
	Bytes      int64   `json:"message_bytes"`  // size of a message
	Slow       int     `json:"slow"`           // of Count
	Count      int     `json:"count"`          // collectives that were compared
	NS         int64   `json:"ns"`             // a collective takes, in the middle
	UsualNS    int64   `json:"usual_ns"`       // elsewhere, or at other times
	BusGBs     float64 `json:"bus_gb_s"`       // bus bandwidth, GB/s
	UsualGBs   float64 `json:"usual_bus_gb_s"` // bus bandwidth elsewhere, GB/s
	LostNS     int64   `json:"lost_ns"`        // in a step
}

// slowLink finds the group that loses most time in transfers of a size that go faster elsewhere or at other times; nil
// where that is little.
func slowLink(list []match, steps int64, rows []Rank) *Link {
	type sort struct {
		name  string
		bytes int64
		size  int
	}
	type slot struct {
		sort
		group string
	}
	transfers, of := map[sort][]int64{}, map[slot][]*match{}
	for i := range list {
		x := &list[i]
		if !x.whole() || x.took <= 0 {
			continue
		}
		s := sort{x.talk.plain(), x.bytes, len(x.who)}
		transfers[s] = append(transfers[s], x.took)
		of[slot{s, x.talk.group}] = append(of[slot{s, x.talk.group}], x)
	}
	var best *Link
	for s, matches := range of {
		all := transfers[s.sort]
		if len(all) < 4 {
			continue
		}
		slices.Sort(all)
		usual := all[len(all)/4]
		var slow []int64
		var lost int64
		for _, x := range matches {
			if x.took > 2*usual {
				slow = append(slow, x.took)
				lost += x.took - usual
			}
		}
		// One hiccup is not a link.
		if len(slow) < 3 || 2*len(slow) < len(matches) && len(slow) < 8 || best != nil && lost/steps <= best.LostNS {
			continue
		}
		k := matches[0].talk
		l := &Link{
			Group: k.groupName(), Collective: k.name, Bytes: s.bytes, Slow: len(slow), Count: len(matches),
			NS: median(slow), UsualNS: usual, LostNS: lost / steps,
		}
		for _, r := range matches[0].who {
			l.Ranks = append(l.Ranks, rows[r].Rank)
		}
		load := float64(s.bytes) * k.busFactor(s.size)
		l.BusGBs, l.UsualGBs = load/float64(l.NS), load/float64(usual)
		best = l
	}
	if best == nil {
		return nil
	}
	if at := slices.IndexFunc(rows, func(x Rank) bool { return x.Rank == best.Ranks[0] }); 50*best.LostNS < rows[at].StepNS {
		return nil
	}
	return best
}
