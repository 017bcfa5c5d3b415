package analyze

import (
	"cmp"
	"slices"

	"saturate/internal/trace"
)

// spans is a set of instants: intervals by start, none touching another.
type spans []trace.Interval

// add puts an interval in. It must not start before the intervals added so far; touching
// ones become one.
func (s spans) add(i trace.Interval) spans {
	if !i.Positive() {
		return s
	}
	if n := len(s); n > 0 && i.Start <= s[n-1].End {
		s[n-1].End = max(s[n-1].End, i.End)
		return s
	}
	return append(s, i)
}

// length is how much time the set covers.
func (s spans) length() (sum int64) {
	for _, i := range s {
		sum += i.Length()
	}
	return sum
}

// union is what lies in either set.
func (s spans) union(o spans) spans {
	switch {
	case len(o) == 0:
		return s
	case len(s) == 0:
		return o
	}
	out := make(spans, 0, len(s)+len(o))
	for len(s) > 0 || len(o) > 0 {
		if len(o) == 0 || len(s) > 0 && s[0].Start <= o[0].Start {
			out, s = out.add(s[0]), s[1:]
		} else {
			out, o = out.add(o[0]), o[1:]
		}
	}
	return out
}

// minus is what lies in s but not in o.
func (s spans) minus(o spans) spans {
	if len(o) == 0 {
		return s
	}
	var out spans
	at := 0
	for _, i := range s {
		for at < len(o) && o[at].End <= i.Start {
			at++
		}
		rest := i
		for k := at; k < len(o) && o[k].Start < i.End; k++ {
			out = out.add(trace.Interval{Start: rest.Start, End: o[k].Start})
			rest.Start = max(rest.Start, o[k].End)
		}
		out = out.add(rest)
	}
	return out
}

// overlap is how much time both sets cover.
func (s spans) overlap(o spans) (sum int64) {
	for len(s) > 0 && len(o) > 0 {
		sum += s[0].Overlap(o[0])
		if s[0].End <= o[0].End {
			s = s[1:]
		} else {
			o = o[1:]
		}
	}
	return sum
}

// within is how much of the set lies in an interval.
func (s spans) within(w trace.Interval) (sum int64) {
	from, _ := slices.BinarySearchFunc(s, w.Start, func(i trace.Interval, ns int64) int {
		if i.End <= ns {
			return -1
		}
		return 1
	})
	for _, i := range s[from:] {
		if i.Start >= w.End {
			break
		}
		sum += i.Overlap(w)
	}
	return sum
}

// sorted makes a set of intervals in any order.
func sorted(intervals []trace.Interval) spans {
	slices.SortFunc(intervals, func(a, b trace.Interval) int {
		switch {
		case a.Start < b.Start:
			return -1
		case a.Start > b.Start:
			return 1
		}
		return 0
	})
	var out spans
	for _, i := range intervals {
		out = out.add(i)
	}
	return out
}

// shared is what lies in two or more of the sets. A ROCm trace has hundreds of streams, so they are not taken in pairs.
func shared(sets []spans) (out spans) {
	if len(sets) < 2 {
		return nil
	}
	var edges []change
	for _, s := range sets {
		for _, i := range s {
			edges = append(edges, change{i.Start, 1}, change{i.End, -1})
		}
	}
	slices.SortFunc(edges, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	within, since := 0, int64(0)
	for _, e := range edges {
		was := within
		within += int(e.by)
		switch {
		case was < 2 && within >= 2:
			since = e.at
		case was >= 2 && within < 2:
			out = out.add(trace.Interval{Start: since, End: e.at})
		}
	}
	return out
}
