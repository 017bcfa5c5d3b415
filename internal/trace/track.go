package trace

import "strconv"

// Device is a GPU's number in its process.
type Device int32

// Domain says what a track's rows are.
type Domain uint8

// The domains.
const (
	HostThread  Domain = iota // a thread of a process
	Stream                    // a stream of a GPU: kernels, copies, fills
	StreamNotes               // what is recorded beside a stream but is not work: annotations, waits
	Frame                     // the profiler's own rows
)

// TrackID numbers a track; see [Trace.Tracks].
type TrackID uint32

// Track is a row of the timeline: a thread or a stream.
type Track struct {
	ID      TrackID
	Domain  Domain
	Device  Device // of a stream
	Stream  int64  // of a stream
	PID     int64  // as written; 0 where it was no number
	TID     int64
	Process string // the process's name
	Thread  string // the thread's or stream's name
	Label   string // of the process, such as "CPU" or "GPU 0"

	First, Last EventID // its events are First … Last-1

	longest  int64 // duration of its longest event
	overlaps bool  // whether some of its events overlap without nesting
}

// Len is how many events the track has.
func (t *Track) Len() int { return int(t.Last - t.First) }

// String names the track for people.
func (t *Track) String() string {
	switch {
	case t.Domain == Stream || t.Domain == StreamNotes:
		return "GPU " + strconv.Itoa(int(t.Device)) + " stream " + strconv.FormatInt(t.Stream, 10)
	case t.Thread != "":
		return t.Thread
	}
	return "thread " + strconv.FormatInt(t.TID, 10)
}
