package analyze

import (
	"cmp"
	"slices"

	"saturate/internal/trace"
)

// Communication is what the GPUs told each other, and how much of it compute hid.
type Communication struct {
	TotalNS     int64        `json:"total_ns"`    // union
	OverlapNS   int64        `json:"overlap_ns"`  // while compute ran
	ExposedNS   int64        `json:"exposed_ns"`  // while nothing was computed
	Overlap     float64      `json:"overlap"`     // HTA's: overlapped part of the total, 0 to 1
	Collectives []Collective `json:"collectives"` // by name
}

// Collective sums the collectives of one name.
type Collective struct {
	Name     string `json:"name"`                 // of the collective: all_reduce
	Count    int    `json:"count"`                // collectives of that name
	TotalNS  int64  `json:"total_ns"`             // sum of their durations
	MinNS    int64  `json:"min_ns"`               // of the shortest; the others also wait for another rank
	Elements int64  `json:"elements"`             // moved in, all together
	DType    string `json:"dtype,omitempty"`      // type of the elements
	Group    int64  `json:"group_size,omitempty"` // ranks in the process group
}

// communication is nil when there was none.
func (v *view) communication() *Communication {
	c := &Communication{}
	byName := map[string]*Collective{}
	for i := range v.gpus {
		g := &v.gpus[i]
		talking := g.busy.of[communication]
		c.TotalNS += talking.length()
		c.OverlapNS += talking.overlap(g.busy.of[compute])
		for _, id := range g.work {
			if v.classOf(id) != communication {
				continue
			}
			name := v.t.Text(id, trace.CollectiveName)
			if name == "" {
				name = v.t.Name(id)
			}
			row := byName[name]
			if row == nil {
				row = &Collective{Name: name, MinNS: v.t.Duration(id), DType: v.t.Text(id, trace.DType)}
				row.Group, _ = v.t.Int(id, trace.GroupSize)
				byName[name] = row
			}
			row.Count++
			row.TotalNS += v.clip(id).Length()
			row.MinNS = min(row.MinNS, v.t.Duration(id))
			n, _ := v.t.Int(id, trace.InElements)
			row.Elements += n
		}
	}
	if len(byName) == 0 {
		return nil
	}
	c.ExposedNS = c.TotalNS - c.OverlapNS
	c.Overlap = share(c.OverlapNS, c.TotalNS)
	for _, row := range byName {
		c.Collectives = append(c.Collectives, *row)
	}
	slices.SortFunc(c.Collectives, func(a, b Collective) int {
		return cmp.Or(cmp.Compare(b.TotalNS, a.TotalNS), cmp.Compare(a.Name, b.Name))
	})
	return c
}
