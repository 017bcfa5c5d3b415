// Package table gives a trace as the rows of tables, for DuckDB, ClickHouse, pandas and everything else that
// reads Parquet. Package parquet writes them.
package table

import (
	"iter"

	"saturate/internal/trace"
)

// Event is a row of the table of all events. What an event does not have is null.
type Event struct {
	ID          uint32  `parquet:"id"`
	Start       int64   `parquet:"start_ns"`
	Duration    int64   `parquet:"duration_ns"`
	Name        string  `parquet:"name"`
	Kind        string  `parquet:"kind"`
	Process     string  `parquet:"process"`
	Thread      string  `parquet:"thread"`
	PID         int64   `parquet:"pid"`
	TID         int64   `parquet:"tid"`
	Device      *int32  `parquet:"device"`
	Stream      *int64  `parquet:"stream"`
	Parent      *uint32 `parquet:"parent"` // id of the event around it
	Launch      *uint32 `parquet:"launch"` // id of the host event that started this GPU work
	Correlation *int64  `parquet:"correlation"`
	External    *int64  `parquet:"external_id"`
	Bytes       *int64  `parquet:"bytes"`
	Step        *int64  `parquet:"step"` // the step during which it started
	Overlapping bool    `parquet:"overlapping"`
}

// Events gives the rows of all events in the window.
func Events(t *trace.Trace, w trace.Window) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		steps := t.StepMarkers()
		for i := range t.Tracks() {
			track := t.Track(trace.TrackID(i))
			for id, ev := range t.OnTrack(track.ID, w) {
				row := Event{
					ID: uint32(id), Start: ev.Start, Duration: ev.Duration(), Name: t.String(ev.Name), Kind: ev.Kind.String(),
					Process: track.Process, Thread: track.Thread, PID: track.PID, TID: track.TID, Overlapping: t.Overlapping(id),
					Correlation: attr(t, id, trace.Correlation), External: attr(t, id, trace.External), Bytes: attr(t, id, trace.Bytes),
					Step: stepAt(steps, ev.Start),
				}
				if track.Domain == trace.Stream || track.Domain == trace.StreamNotes {
					row.Device, row.Stream = ptr(int32(track.Device)), ptr(track.Stream)
				}
				if p := t.Parent(id); p != trace.None {
					row.Parent = ptr(uint32(p))
				}
				if l, ok := t.Launch(id); ok {
					row.Launch = ptr(uint32(l))
				}
				if !yield(row) {
					return
				}
			}
		}
	}
}

// Kernel is a row of the table of GPU work: kernels, copies and fills.
type Kernel struct {
	ID           uint32   `parquet:"id"`
	Start        int64    `parquet:"start_ns"`
	Duration     int64    `parquet:"duration_ns"`
	Name         string   `parquet:"name"`
	Kind         string   `parquet:"kind"`
	Device       int32    `parquet:"device"`
	Stream       int64    `parquet:"stream"`
	Step         *int64   `parquet:"step"`
	Operator     *string  `parquet:"operator"` // the innermost one around the launch
	Call         *string  `parquet:"call"`     // of the runtime or driver
	CallStart    *int64   `parquet:"call_start_ns"`
	CallDuration *int64   `parquet:"call_duration_ns"`
	Bytes        *int64   `parquet:"bytes"`
	GridX        *int32   `parquet:"grid_x"`
	GridY        *int32   `parquet:"grid_y"`
	GridZ        *int32   `parquet:"grid_z"`
	BlockX       *int32   `parquet:"block_x"`
	BlockY       *int32   `parquet:"block_y"`
	BlockZ       *int32   `parquet:"block_z"`
	Registers    *int32   `parquet:"registers_per_thread"`
	SharedMemory *int32   `parquet:"shared_memory_bytes"`
	Occupancy    *float32 `parquet:"occupancy_percent"`
}

// Kernels gives the rows of all GPU work in the window, by device and start.
func Kernels(t *trace.Trace, w trace.Window) iter.Seq[Kernel] {
	return func(yield func(Kernel) bool) {
		steps := t.StepMarkers()
		for _, device := range t.Devices() {
			for id, ev := range t.OnDevice(device, w) {
				row := Kernel{
					ID: uint32(id), Start: ev.Start, Duration: ev.Duration(), Name: t.String(ev.Name), Kind: ev.Kind.String(),
					Device: int32(device), Stream: t.Track(ev.Track).Stream, Step: stepAt(steps, ev.Start), Bytes: attr(t, id, trace.Bytes),
				}
				if op, ok := t.Operator(id); ok {
					row.Operator = ptr(t.Name(op))
				}
				if call, ok := t.Launch(id); ok && t.Kind(call).API() {
					row.Call, row.CallStart, row.CallDuration = ptr(t.Name(call)), ptr(t.Start(call)), ptr(t.Duration(call))
				}
				if c := t.Config(id); c != nil {
					row.GridX, row.GridY, row.GridZ = &c.Grid[0], &c.Grid[1], &c.Grid[2]
					row.BlockX, row.BlockY, row.BlockZ = &c.Block[0], &c.Block[1], &c.Block[2]
					row.Registers, row.SharedMemory, row.Occupancy = &c.Registers, &c.SharedMemory, &c.Occupancy
				}
				if !yield(row) {
					return
				}
			}
		}
	}
}

func ptr[T any](v T) *T { return &v }

func attr(t *trace.Trace, id trace.EventID, a trace.Attr) *int64 {
	if v, ok := t.Int(id, a); ok {
		return &v
	}
	return nil
}

// stepAt is the number of the step that runs at the time. Steps are sorted and do not
// overlap, or the last one begun counts.
func stepAt(steps []trace.StepMarker, ns int64) *int64 {
	low, high := 0, len(steps)
	for low < high {
		if mid := (low + high) / 2; steps[mid].Window.Start <= ns {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == 0 || !steps[low-1].Window.Contains(ns) {
		return nil
	}
	return &steps[low-1].Number
}
