package chrome

import "saturate/internal/trace"

// Lane is a row that Export adds to those of the trace: what an analysis found, where viewers can see it.
type Lane struct {
	Name   string
	Spans  []LaneSpan  // by start; they do not overlap
	Values []LaneValue // of a lane that is a counter, by time
}

// LaneValue is a counter's value from a time on.
type LaneValue struct {
	NS    int64
	Value float64
}

// LaneSpan is one stretch of a lane.
type LaneSpan struct {
	trace.Interval
	Name, Detail string
}

// lanesProcess is the process that the lanes belong to. It is left out when such a file is exported again.
const lanesProcess = "saturate"

// lanesCounter begins the names of the counters of lanes, which are left out likewise.
const lanesCounter = "saturate: "

// lanes writes the added rows.
func (e *exporter) lanes(lanes []Lane, window trace.Window) {
	for i, lane := range lanes {
		r := row{tid: int64(i), process: lanesProcess}
		for _, c := range lane.Values {
			if window.Contains(c.NS) {
				e.open("C", r, c.NS).text(", \"name\": ").quote(lanesCounter + lane.Name).text(", \"args\": {\"value\": ").float(c.Value).text("}}")
			}
		}
		if len(lane.Values) > 0 {
			continue
		}
		e.rows[r] = lane.Name
		for _, s := range lane.Spans {
			part := s.Clip(window)
			if !part.Positive() {
				continue
			}
			e.open("X", r, part.Start).text(", \"dur\": ").micros(part.Length()).text(", \"cat\": \"saturate\", \"name\": ").quote(s.Name)
			e.text(", \"args\": {\"place\": ").quote(s.Detail).text("}}")
		}
	}
}
