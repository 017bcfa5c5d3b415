package analyze

import (
	"cmp"
	"slices"

	"saturate/internal/trace"
)

// Memory is how the framework's allocator used a GPU's memory. Without recorded
// allocations (profile_memory) only the driver's calls are known.
type Memory struct {
	Recorded      bool          `json:"recorded"`       // allocations are in the trace
	Device        int32         `json:"device"`         // -1 is the host
	PeakBytes     int64         `json:"peak_bytes"`     // most memory in use at one time
	PeakAtNS      int64         `json:"peak_at_ns"`     // when that was
	ReservedBytes int64         `json:"reserved_bytes"` // held by the allocator at its own peak
	TotalBytes    int64         `json:"total_bytes"`    // of the GPU; 0 when unknown
	Fragmentation float64       `json:"fragmentation"`  // part of the reserved memory that is not in use at the peak
	Allocations   int           `json:"allocations"`    // number of allocations
	Held          []Holder      `json:"held_at_peak"`
	Spikes        []Spike       `json:"spikes"`
	DriverCalls   int           `json:"driver_calls"` // cudaMalloc, cudaFree …
	DriverNS      int64         `json:"driver_ns"`    // host time in the driver's calls
	Retries       int           `json:"retries"`      // the allocator freed its cache and tried again
	Curve         []MemoryPoint `json:"-"`            // for drawing

	blocks int64 // of the peak, in blocks whose allocation is in the trace
}

// Holder is what one operator's allocations held at the peak.
type Holder struct {
	Operator string `json:"operator"` // that allocated the memory
	Bytes    int64  `json:"bytes"`    // held at the peak
	Blocks   int    `json:"blocks"`   // number of blocks
}

// Spike is a short rise of the memory in use.
type Spike struct {
	AtNS     int64  `json:"at_ns"`    // time of the highest value
	Bytes    int64  `json:"bytes"`    // above what was in use before and after
	Operator string `json:"operator"` // that allocated most of it
}

// MemoryPoint is the memory at an instant.
type MemoryPoint struct{ At, Allocated, Reserved int64 }

// memory looks at the GPU with most allocations; at the host's when no GPU has any.
func (v *view) memory() Memory {
	m := Memory{Device: -1}
	v.driverCalls(&m)
	changes := v.chosenChanges(&m)
	if len(changes) == 0 {
		return m
	}
	m.Recorded = true
	for _, gpu := range v.t.Meta().GPUs {
		if int32(gpu.Device) == m.Device {
			m.TotalBytes = gpu.Memory
		}
	}
	peak, running := -1, int64(0)
	for i, c := range changes {
		running += c.Bytes
		used := c.Allocated
		if used < 0 {
			used = running
		}
		if c.Bytes > 0 {
			m.Allocations++
		}
		if used > m.PeakBytes {
			m.PeakBytes, m.PeakAtNS, peak = used, c.Time, i
		}
		m.ReservedBytes = max(m.ReservedBytes, c.Reserved)
		m.Curve = append(m.Curve, MemoryPoint{c.Time, used, c.Reserved})
	}
	if peak >= 0 {
		m.Held = v.heldAt(changes[:peak+1])
		m.blocks = blocksAt(changes[:peak+1])
		if r := changes[peak].Reserved; r > 0 {
			m.Fragmentation = share(max(0, r-m.PeakBytes), r)
		}
	}
	m.Spikes = v.spikes(changes, m.Curve, m.PeakBytes)
	return m
}

// chosenChanges are the allocator's changes of the device that has most of them.
func (v *view) chosenChanges(m *Memory) []trace.MemoryChange {
	count := map[trace.Device]int{}
	all := v.t.Memory()
	for _, c := range all {
		if c.OnGPU {
			count[c.Device]++
		}
	}
	most := 0
	for dev, n := range count {
		if n > most || n == most && int32(dev) < m.Device {
			most, m.Device = n, int32(dev)
		}
	}
	var chosen []trace.MemoryChange
	for _, c := range all {
		if v.window.Contains(c.Time) && (c.OnGPU && int32(c.Device) == m.Device || m.Device < 0 && !c.OnGPU) {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// blocksAt is how much memory the blocks have that were allocated in these changes and not given back.
func blocksAt(changes []trace.MemoryChange) (sum int64) {
	live := map[uint64]int64{}
	for _, c := range changes {
		if c.Bytes > 0 {
			live[c.Address] = c.Bytes
		} else {
			delete(live, c.Address)
		}
	}
	for _, bytes := range live {
		sum += bytes
	}
	return sum
}

// heldAt sums, by the operator that asked for it, the memory that was allocated in these
// changes and not given back.
func (v *view) heldAt(changes []trace.MemoryChange) []Holder {
	live := map[uint64]trace.MemoryChange{}
	for _, c := range changes {
		if c.Bytes > 0 {
			live[c.Address] = c
		} else {
			delete(live, c.Address)
		}
	}
	holders := map[string]*Holder{}
	for _, c := range live {
		op := v.operatorAt(c)
		if holders[op] == nil {
			holders[op] = &Holder{Operator: op}
		}
		holders[op].Bytes += c.Bytes
		holders[op].Blocks++
	}
	var list []Holder
	for _, h := range holders {
		list = append(list, *h)
	}
	slices.SortFunc(list, func(a, b Holder) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Operator, b.Operator))
	})
	return list[:v.top(len(list))]
}

// operatorAt names the outermost operator that was running on the thread that allocated,
// and the user's function or module around it where that was recorded.
func (v *view) operatorAt(c trace.MemoryChange) string {
	id, ok := v.t.At(c.Track, c.Time)
	if !ok {
		return "outside operators"
	}
	op, where := "", ""
	for ; id != trace.None; id = v.t.Parent(id) {
		switch v.t.Kind(id) {
		case trace.CPUOp:
			op = v.t.Name(id)
		case trace.Python:
			if where == "" && !v.means(id, isLibrary) {
				where = v.label(v.t.NameID(id))
			}
		}
	}
	switch {
	case op == "" && where == "":
		return "outside operators"
	case op == "":
		return where
	case where != "":
		return op + " in " + where
	}
	return op
}

// spikes finds allocations that raise the use by a tenth of the peak or more and are given
// back before anything else grows that much.
func (v *view) spikes(changes []trace.MemoryChange, curve []MemoryPoint, peak int64) (list []Spike) {
	limit := peak / 10
	born := map[uint64]int{}
	for i, c := range changes {
		switch {
		case c.Bytes >= limit && c.Bytes > 0:
			born[c.Address] = i
		case c.Bytes < 0:
			from, ok := born[c.Address]
			if !ok {
				continue
			}
			delete(born, c.Address)
			before := curve[max(from-1, 0)].Allocated
			if grown := curve[from].Allocated - max(before, curve[i].Allocated); grown >= limit {
				list = append(list, Spike{changes[from].Time, grown, v.operatorAt(changes[from])})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Spike) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return list[:v.top(len(list))]
}

// driverCalls counts the calls that allocate or free memory. A free directly followed by an
// allocation in the same operator is the allocator that ran out and tried again.
func (v *view) driverCalls(m *Memory) {
	freed := trace.None
	for id := range v.t.OfKind(trace.Runtime, trace.Driver) {
		if !v.means(id, isAlloc) || !v.window.Contains(v.t.Start(id)) || v.starts(id) {
			continue
		}
		m.DriverCalls++
		m.DriverNS += v.t.Duration(id)
		switch v.t.Name(id) {
		case "cudaFree", "hipFree":
			freed = id
		case "cudaMalloc", "hipMalloc":
			if freed != trace.None && v.t.Parent(freed) == v.t.Parent(id) && v.t.Parent(id) != trace.None {
				m.Retries++
				freed = trace.None
			}
		}
	}
}
