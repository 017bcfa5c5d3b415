package trace

// Interval is a half-open stretch of time in nanoseconds: Start is in it, End is not.
type Interval struct{ Start, End int64 }

// Window is the part of a trace that a question is about.
type Window = Interval

// Length is the interval's duration; negative when it is inverted.
func (i Interval) Length() int64 { return i.End - i.Start }

// Positive reports whether the interval has any length.
func (i Interval) Positive() bool { return i.End > i.Start }

// Contains reports whether the instant lies in the interval.
func (i Interval) Contains(ns int64) bool { return i.Start <= ns && ns < i.End }

// Clip returns the part of i that lies in w; it is not Positive when there is none.
func (i Interval) Clip(w Interval) Interval {
	return Interval{max(i.Start, w.Start), min(i.End, w.End)}
}

// Overlap is how many nanoseconds the two intervals share.
func (i Interval) Overlap(o Interval) int64 { return max(0, i.Clip(o).Length()) }

// touches reports whether an event that lasts from start to end has a part in the
// interval. An event without duration has one when it starts there.
func (i Interval) touches(start, end int64) bool {
	return start < i.End && (end > i.Start || start >= i.Start)
}
