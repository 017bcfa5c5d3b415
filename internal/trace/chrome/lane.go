package chrome

import "saturate/internal/trace"

// Lane is a row that Export adds to those of the trace: what an analysis found, where viewers can see it.
type Lane struct {
	Name  string
	Spans []LaneSpan // by start; they do not overlap
}

// LaneSpan is one stretch of a lane.
type LaneSpan struct {
	trace.Interval
	Name, Detail string
}

// lanesProcess is the process that the lanes belong to. It is left out when such a file is exported again.
const lanesProcess = "saturate"

// lanes writes the added rows.
func (e *exporter) lanes(lanes []Lane, window trace.Window) {
	for i, lane := range lanes {
		r := row{tid: int64(i), process: lanesProcess}
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
