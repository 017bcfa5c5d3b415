package analyze

import (
	"slices"
	"strings"
)

// match is one collective as all ranks of the job saw it.
type match struct {
	talk   *talk
	bytes  int64
	step   int32
	who    []int      // places of the ranks in the job
	seen   []*meeting // by each of them
	last   int        // where in who the rank stands that arrived last
	late   int64      // how much later than the one before it
	waited int64      // by the others, all together
	took   int64      // from the last arrival to the end
	part   bool       // ranks that are not here may take part
}

// key joins what the ranks saw of one collective.
type key struct {
	group  string
	step   int32
	number int64
}

// matched joins the collectives of all ranks and puts their clocks right. Clocks is by how much each rank's clock is
// ahead of the first's, apart is how many were joined by their place in a step and cannot be the same by their times.
func matched(ranks [][]meeting) (list []match, clocks []int64, apart int) {
	at := map[key]int{}
	for r := range ranks {
		for i := range ranks[r] {
			m := &ranks[r][i]
			k := key{m.talk.group, m.step, m.number}
			if m.talk.counted {
				k.step = -1
			}
			place, known := at[k]
			if !known {
				place = len(list)
				at[k] = place
				list = append(list, match{talk: m.talk, bytes: m.bytes, step: m.step})
			}
			x := &list[place]
			if n := len(x.who); n > 0 && x.who[n-1] == r || !x.talk.like(m.talk) {
				continue
			}
			x.who, x.seen = append(x.who, r), append(x.seen, m)
		}
	}
	list = slices.DeleteFunc(list, func(x match) bool { return len(x.who) < 2 })
	clocks = clocksOf(list, len(ranks))
	all := len(list)
	list = slices.DeleteFunc(list, func(x match) bool { return !x.talk.counted && x.isApart(clocks) })
	for i := range list {
		list[i].judge(clocks)
	}
	return list, clocks, all - len(list)
}

// clockError is how far two clocks may be apart once they are put right.
const clockError = 1_000_000

// isApart reports whether a rank left before another one came. Nobody leaves a collective like that: these were two
// different ones.
func (x *match) isApart(clocks []int64) bool {
	arrived, left := x.seen[0].start-clocks[x.who[0]], x.seen[0].end-clocks[x.who[0]]
	for k, r := range x.who {
		arrived, left = max(arrived, x.seen[k].start-clocks[r]), min(left, x.seen[k].end-clocks[r])
	}
	return (x.talk.synchronous() || x.talk.pair) && arrived > left+clockError
}

// like reports whether two ranks speak of one kind of collective; the two ends of a message have different names.
func (k *talk) like(o *talk) bool { return k.pair && o.pair || k.plain() == o.plain() }

// clocksOf is by how much the clock of each rank is ahead of the first rank's: all ranks leave a collective at the same
// time. A rank that shares none with the first is reached over ranks that do.
func clocksOf(list []match, ranks int) []int64 {
	clocks, known := make([]int64, ranks), make([]bool, ranks)
	onlySynchronous := slices.ContainsFunc(list, func(x match) bool { return x.talk.synchronous() })
	for start := range ranks {
		if known[start] {
			continue
		}
		known[start] = true
		for reached := []int{start}; len(reached) > 0; {
			from := reached[0]
			reached = reached[1:]
			ahead := map[int][]int64{}
			for i := range list {
				x := &list[i]
				here := slices.Index(x.who, from)
				if here < 0 || onlySynchronous && !x.talk.synchronous() {
					continue
				}
				for k, r := range x.who {
					if !known[r] {
						ahead[r] = append(ahead[r], x.seen[k].end-x.seen[here].end)
					}
				}
			}
			for r, list := range ahead {
				clocks[r] = clocks[from] + median(list)
				known[r] = true
				reached = append(reached, r)
			}
		}
	}
	return clocks
}

// median is the middle value; of two, the lower.
func median(list []int64) int64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[(len(list)-1)/2]
}

// judge says who came last.
func (x *match) judge(clocks []int64) {
	arrived := func(k int) int64 { return x.seen[k].start - clocks[x.who[k]] }
	for k := range x.who {
		if arrived(k) > arrived(x.last) {
			x.last = k
		}
	}
	x.took = x.seen[x.last].end - x.seen[x.last].start
	x.late = -1
	for k := range x.who {
		if k == x.last {
			continue
		}
		wait := min(arrived(x.last)-arrived(k), x.seen[k].end-x.seen[k].start)
		x.waited += max(0, wait)
		if x.late < 0 || wait < x.late {
			x.late = max(0, wait)
		}
	}
}

// whole reports whether every rank of the group is here. Where some are missing, one of them may have come last.
func (x *match) whole() bool {
	return !x.part && (x.talk.size == 0 || x.talk.pair || len(x.who) >= x.talk.size)
}

// groupName is a process group as people know it: what it is for, and its ranks.
func (k *talk) groupName() string {
	name, members := k.purpose, k.members
	if name == "" || name == "undefined" {
		name, _, _ = strings.Cut(k.group, " ")
	}
	if members != "" {
		return strings.TrimSpace(name + " " + members)
	}
	return name
}
