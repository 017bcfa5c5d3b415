package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// PerSample reports whether a node of the module runs for every sample or batch
// that is loaded, and how it is reached.
func (p *Project) PerSample(m *Module, n interface{ Bounds() pysrc.Span }) (Path, bool) {
	ways := p.SampleWays(m, n)
	if len(ways) == 0 {
		return Path{}, false
	}
	return ways[0], true
}

// SampleWays are the ways by which a node of the module runs for every sample or batch that is loaded: one for each data
// set that gets there, up to mostWays, the first found first. What training and evaluation share has one for each.
func (p *Project) SampleWays(m *Module, n interface{ Bounds() pysrc.Span }) []Path {
	at := n.Bounds().Start
	fn := m.FunctionAt(at)
	first := p.samples[fn]
	if first == nil || p.Unused(m, at) {
		return nil
	}
	guard := m.guardWithin(at, &Block{})
	if guard.Cold() {
		return nil
	}
	var ways []Path
	for _, v := range append([]*visit{first}, p.moreSamples[fn]...) {
		way := v.path()
		if way.Cache == nil {
			way.Cache = guard
		}
		ways = append(ways, way)
	}
	return ways
}

// mostWays is how many other data sets of a function are remembered.
const mostWays = 7

// addWay keeps another way to a function, from a data set that does not lead to it yet.
func (p *Project) addWay(first, next *visit) bool {
	if next.kind != DataSet && next.kind != Collate || next.cache != nil || next.root == first.root || next.fn == next.root {
		return false
	}
	others := p.moreSamples[next.fn]
	if len(others) >= mostWays || slices.ContainsFunc(others, func(v *visit) bool { return v.root == next.root }) {
		return false
	}
	p.moreSamples[next.fn] = append(others, next)
	return true
}
