package analyze

import (
	"cmp"
	"slices"

	"saturate/internal/trace"
)

// Operator sums the calls of one operator. Self times leave out what it called; total
// times count a call inside a call of the same name once.
type Operator struct {
	Name          string  `json:"name"`               // of the operator: aten::mm
	Count         int     `json:"count"`              // calls
	HostTotalNS   int64   `json:"host_total_ns"`      // host time, with what it called
	HostSelfNS    int64   `json:"host_self_ns"`       // host time, without what it called
	DeviceTotalNS int64   `json:"device_total_ns"`    // GPU time, with what it called
	DeviceSelfNS  int64   `json:"device_self_ns"`     // GPU time, without what it called
	Kernels       int     `json:"kernels"`            // launched by it or by what it called
	PerStep       float64 `json:"per_step,omitempty"` // calls per step
}

// operatorSums sums all operators by name; rows of names that are not operators stay empty.
func (v *view) operatorSums() []Operator {
	sums := make([]Operator, v.t.Names())
	w := v.window
	for i := range v.t.Tracks() {
		if tr := v.t.Track(trace.TrackID(i)); tr.Domain == trace.HostThread {
			v.sumHost(sums, tr, w)
		}
	}
	v.sumDevice(sums)
	return sums
}

func (v *view) sumHost(sums []Operator, tr *trace.Track, w trace.Window) {
	for id := tr.First; id < tr.Last; id++ {
		kind := v.t.Kind(id)
		if kind != trace.CPUOp && !kind.API() || !w.Contains(v.t.Start(id)) || v.means(id, isStep) {
			continue
		}
		ns, name := v.t.Duration(id), v.t.NameID(id)
		if kind == trace.CPUOp {
			s := &sums[name]
			s.Count++
			s.HostSelfNS += ns
			if !v.calledByItself(id) {
				s.HostTotalNS += ns
			}
		}
		if caller, ok := v.t.Enclosing(v.t.Parent(id), trace.CPUOp); ok {
			sums[v.t.NameID(caller)].HostSelfNS -= ns
		}
	}
}

// calledByItself reports whether the operator runs inside another call of the same name.
func (v *view) calledByItself(id trace.EventID) bool {
	name := v.t.NameID(id)
	for p := range v.t.Ancestors(id) {
		if v.t.NameID(p) == name && v.t.Kind(p) == trace.CPUOp {
			return true
		}
	}
	return false
}

// sumDevice gives each piece of GPU work to the operator that launched it and to all around that.
func (v *view) sumDevice(sums []Operator) {
	var seen []trace.NameID
	for i := range v.gpus {
		for _, id := range v.gpus[i].work {
			op, ok := v.t.Operator(id)
			if !ok {
				continue
			}
			ns := v.clip(id).Length()
			sums[v.t.NameID(op)].DeviceSelfNS += ns
			seen = seen[:0]
			for ; op != trace.None; op = v.t.Parent(op) {
				name := v.t.NameID(op)
				if v.t.Kind(op) != trace.CPUOp || slices.Contains(seen, name) {
					continue
				}
				seen = append(seen, name)
				sums[name].DeviceTotalNS += ns
				if v.t.Kind(id) == trace.Kernel {
					sums[name].Kernels++
				}
			}
		}
	}
}

// operators lists all of them, those with most time of their own, on GPU or host, first.
func (v *view) operators(sums []Operator) []Operator {
	var list []Operator
	for name := range sums {
		if s := sums[name]; s.Count > 0 {
			s.Name = v.t.String(trace.NameID(name))
			s.HostSelfNS = max(0, s.HostSelfNS)
			if len(v.steps) > 0 {
				s.PerStep = float64(s.Count) / float64(len(v.steps))
			}
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b Operator) int {
		return cmp.Or(cmp.Compare(max(b.DeviceSelfNS, b.HostSelfNS), max(a.DeviceSelfNS, a.HostSelfNS)),
			cmp.Compare(a.Name, b.Name))
	})
	return list
}
