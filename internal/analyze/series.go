package analyze

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"saturate/internal/trace"
)

// Series is a figure over time. It changes at each point and stays until the next.
type Series struct {
	Name   string
	Points []Point
}

// Point is a change of a series.
type Point struct {
	NS    int64
	Value float64
}

// Described sums up values as pandas does, and so HTA: quartiles lie between the two values around them.
type Described struct {
	Count     int     `json:"count"` // of values
	Mean      float64 `json:"mean"`  // of the values
	Deviation float64 `json:"std"`   // of a sample; 0 of a single value
	Min       float64 `json:"min"`   // the least
	Quartile1 float64 `json:"p25"`   // a quarter of the values is below it
	Median    float64 `json:"p50"`   // half of the values is below it
	Quartile3 float64 `json:"p75"`   // three quarters of the values are below it
	Max       float64 `json:"max"`   // the largest
}

// describe sorts the values.
func describe(values []float64) (d Described) {
	d.Count = len(values)
	if d.Count == 0 {
		return d
	}
	slices.Sort(values)
	for _, v := range values {
		d.Mean += v / float64(d.Count)
	}
	for _, v := range values {
		d.Deviation += (v - d.Mean) * (v - d.Mean)
	}
	d.Deviation = math.Sqrt(d.Deviation / float64(max(1, d.Count-1)))
	at := func(part float64) float64 {
		place := part * float64(d.Count-1)
		low := int(place)
		high := min(low+1, d.Count-1)
		return values[low] + (place-float64(low))*(values[high]-values[low])
	}
	d.Min, d.Quartile1, d.Median, d.Quartile3, d.Max = values[0], at(0.25), at(0.5), at(0.75), values[d.Count-1]
	return d
}

// Bandwidth is what copies of one kind, or fills, moved a second, by HTA's definition: the sum over those that run at
// the same time, over its changes above zero.
type Bandwidth struct {
	Kind   string    `json:"kind"`     // "Memcpy HtoD"
	GBPerS Described `json:"gb_per_s"` // over the changes
}

// htaKind is how many letters of a copy's name HTA looks at.
const htaKind = len("Memcpy HtoD")

// bandwidths follows the bandwidth of each kind of copy, in time order.
func (v *view) bandwidths() map[string][]Point {
	byKind := map[string][]Point{}
	for i := range v.gpus {
		for _, id := range v.gpus[i].work {
			bytes, ok := v.t.Int(id, trace.Bytes)
			ns := v.t.Duration(id)
			if !ok || v.t.Kind(id) == trace.Kernel || ns == 0 {
				continue
			}
			kind := v.t.Name(id)
			if v.t.Kind(id) == trace.Memset {
				kind = "Memset"
			}
			kind = kind[:min(len(kind), htaKind)]
			rate := float64(bytes) / float64(ns)
			byKind[kind] = append(byKind[kind], Point{v.t.Start(id), rate}, Point{v.t.End(id), -rate})
		}
	}
	for _, list := range byKind {
		slices.SortStableFunc(list, func(a, b Point) int { return cmp.Or(cmp.Compare(a.NS, b.NS), cmp.Compare(a.Value, b.Value)) })
		sum := 0.0
		for i := range list {
			sum += list[i].Value
			if math.Abs(sum) < 1e-9 { // what is left of sums of equal rates
				sum = 0
			}
			list[i].Value = sum
		}
	}
	return byKind
}

// bandwidth sums up the bandwidths.
func (v *view) bandwidth() []Bandwidth {
	byKind, out := v.bandwidths(), []Bandwidth{}
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		var values []float64
		for _, p := range byKind[kind] {
			if p.Value > 0 {
				values = append(values, p.Value)
			}
		}
		out = append(out, Bandwidth{kind, describe(values)})
	}
	return out
}

// series are the figures over time that an export shows as counters.
func (v *view) series() (list []Series) {
	queues := v.queues()
	for _, track := range slices.Sorted(maps.Keys(queues)) {
		tr := v.t.Track(track)
		s, length := Series{Name: fmt.Sprintf("queue length, GPU %d stream %d", tr.Device, tr.Stream)}, 0
		for _, c := range queues[track] {
			length += int(c.by)
			s.Points = append(s.Points, Point{c.at, float64(length)})
		}
		list = append(list, s)
	}
	rates := v.bandwidths()
	for _, kind := range slices.Sorted(maps.Keys(rates)) {
		list = append(list, Series{Name: kind + ", GB/s", Points: rates[kind]})
	}
	return list
}
