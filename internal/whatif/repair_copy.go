package whatif

import "saturate/internal/trace"

// pinnedRate is what a copy from pinned memory reaches, in bytes a nanosecond (GB/s): PCIe 4 to PCIe 5.
var pinnedRate = Range{50, 25, 12}

// pinned copies batches from pinned memory, and the host goes on meanwhile.
func pinned(p *Plan) error {
	found := false
	for k, class := range p.g.class {
		if class != PageableIn || p.dur[k] == gone {
			continue
		}
		found = true
		if bytes, ok := p.g.t.Int(p.g.work[k], trace.Bytes); ok {
			p.dur[k] = min(p.dur[k], int64(float64(bytes)/pinnedRate.at(p.bias)))
		}
	}
	for i, w := range p.g.wait {
		if w == InputWait {
			found = true
			p.lead[i], p.cost[i] = min(p.lead[i], 20_000), min(p.cost[i], 20_000) // what starting a copy takes; the call no longer copies itself
		}
	}
	if !found {
		return errNothing
	}
	p.noWait |= 1 << InputWait
	return nil
}

// prefetched copies the next batch on a stream of its own while this step computes.
func prefetched(p *Plan) error {
	if err := pinned(p); err != nil && !p.any(PinnedIn) {
		return err
	}
	p.split |= 1<<PageableIn | 1<<PinnedIn
	return nil
}

// overlapped runs collectives beside compute. They still follow each other.
func overlapped(p *Plan) error {
	if !p.any(Collective) {
		return errNothing
	}
	p.split |= 1 << Collective
	p.overlap |= 1 << Collective
	return nil
}

// collectiveTimes multiplies the time of collectives.
func collectiveTimes(by float64) func(*Plan) error {
	return func(p *Plan) error {
		if !p.any(Collective) {
			return errNothing
		}
		for k, class := range p.g.class {
			if class == Collective {
				p.dur[k] = scaled(p.dur[k], by)
			}
		}
		return nil
	}
}

// noStraggler lets collectives take as long as they do once all ranks have come.
func noStraggler(p *Plan) error {
	if p.g.facts.Alone == nil {
		return errNothing
	}
	found := false
	for k, class := range p.g.class {
		if class != Collective {
			continue
		}
		if ns, ok := p.g.facts.Alone(p.g.work[k]); ok && ns < p.dur[k] {
			p.dur[k], found = ns, true
		}
	}
	if !found {
		return errNothing
	}
	return nil
}

// Collectives are the collectives of the steps, in the order of their launches.
func (g *Graph) Collectives() (list []trace.EventID) {
	for k, class := range g.class {
		if class == Collective {
			list = append(list, g.work[k])
		}
	}
	return list
}

// Alone says how long collectives take when no rank comes late.
func (g *Graph) Alone(ns func(work trace.EventID) (int64, bool)) { g.facts.Alone = ns }
