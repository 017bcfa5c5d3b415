package trace

// MemoryChange is one allocation (positive Bytes) or release (negative) of a framework's
// allocator, with its totals afterwards.
type MemoryChange struct {
	Time      int64
	Bytes     int64
	Address   uint64
	Allocated int64 // bytes in use after this change; -1 when not recorded
	Reserved  int64 // bytes the allocator holds; -1 when not recorded
	Track     TrackID
	Device    Device
	OnGPU     bool
}

// Sample is one value of a counter.
type Sample struct {
	Time   int64
	Series NameID // the counter's name, "name/key" where it has several
	Value  float64
}

// Memory lists the allocator's changes in time order.
func (t *Trace) Memory() []MemoryChange { return t.memory }

// Counters lists the counters' samples in time order.
func (t *Trace) Counters() []Sample { return t.counters }
