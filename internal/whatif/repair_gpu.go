package whatif

import (
	"cmp"
	"errors"
	"slices"

	"saturate/internal/trace"
)

// What autocast adds: about one and a half casts for each matrix product, each launched like any other operator, but
// for compiled code, which casts in the kernels around the product.
var (
	castsEach = Range{1, 1.4, 2}
	castTime  = Range{2_000, 5_000, 10_000}
)

// products lets matrix products use another precision.
func products(to Precision) func(*Plan) error {
	return func(p *Plan) error {
		if p.g.facts.Faster == nil {
			return errors.New("the GPU's speed in this precision is unknown")
		}
		found := false
		var casts float64
		if to == BF16 {
			casts = castsEach.at(p.bias)
		}
		launch := float64(p.usualLaunch())
		for k, id := range p.g.work {
			if p.g.class[k] != Compute || p.dur[k] == gone {
				continue
			}
			ns, ok := p.g.facts.Faster(id, to)
			if !ok {
				continue
			}
			found = true
			part := min(1, ns.at(p.bias)/float64(max(1, p.g.dur[k])))
			p.dur[k] = int64(float64(p.dur[k]) * part)
			if p.g.facts.Compiled == nil || !p.g.facts.Compiled(id) {
				p.dur[k] += int64(casts * castTime.at(p.bias))
				p.gap[p.g.from[k]] += int64(casts * launch)
			}
		}
		if !found {
			return errNothing
		}
		return nil
	}
}

// usualLaunch is what launching one operator takes of the host: the median time from launch to launch.
func (p *Plan) usualLaunch() int64 {
	var times []int64
	for i := 1; i < len(p.gap)-1; i++ {
		if p.g.works[i] < p.g.works[i+1] && p.gap[i] > 0 {
			times = append(times, p.gap[i]+p.cost[i])
		}
	}
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// An optimizer's update in another form, measured against one that updates a tensor at a time: with 1,952 kernels a
// step, 96 ms on the host and
// 3.3 ms on the GPU became 11 kernels, 2.9 ms and 0.6 ms when fused (H200, 177 tensors).
type updateForm struct {
	host, gpu Range
	launches  float64 // of 100 launched before
}

var (
	fusedOptimizer   = updateForm{Range{0.02, 0.03, 0.08}, Range{0.12, 0.2, 0.4}, 0.6}
	foreachOptimizer = updateForm{Range{0.05, 0.1, 0.2}, Range{0.3, 0.6, 0.9}, 5}
	fusedFromForeach = updateForm{Range{0.2, 0.4, 0.7}, Range{0.25, 0.4, 0.7}, 10}
)

// manyLaunches of the optimizer a step mean that it updates one tensor at a time.
const manyLaunches = 50

// optimizer lets the optimizer update many tensors at once.
func optimizer(form updateForm) func(*Plan) error {
	return func(p *Plan) error {
		var works []int32
		foreach := false
		for _, i := range p.g.callsWithin(p.g.facts.Optimizer) {
			for k := p.g.works[i]; k < p.g.works[i+1]; k++ {
				if p.g.class[k] == Update {
					works = append(works, k)
					foreach = foreach || p.g.facts.Foreach != nil && p.g.facts.Foreach(p.g.work[k])
				}
			}
		}
		perStep := len(works) / p.g.Steps()
		switch {
		case perStep >= manyLaunches && !foreach:
		case foreach && form == fusedOptimizer:
			form = fusedFromForeach
		default:
			return errNothing
		}
		p.scaleHost(p.g.facts.Optimizer, form.host.at(p.bias))
		every := max(1, int(100/form.launches))
		gpu := form.gpu.at(p.bias) * float64(every)
		for n, k := range works {
			if n%every == 0 {
				p.dur[k] = int64(float64(p.dur[k]) * gpu)
			} else {
				p.dur[k] = gone
			}
		}
		return nil
	}
}

// torch.compile fuses what only moves memory. Measured on one model: 18.9 ms of such kernels became 8.8 ms; the host
// gained little.
var (
	fusedTime    = Range{0.35, 0.5, 0.9}
	fusedCount   = Range{0.4, 0.7, 1}
	graphedHost  = Range{0.02, 0.06, 0.2}
	recordedHost = Range{0.01, 0.03, 0.1}
)

// compiled fuses elementwise kernels.
func compiled(p *Plan) error {
	if !p.any(Elementwise) {
		return errNothing
	}
	p.fuse()
	p.scaleLaunching(fusedCount.at(p.bias))
	return nil
}

func (p *Plan) fuse() {
	by := fusedTime.at(p.bias)
	for k, class := range p.g.class {
		if class == Elementwise && p.dur[k] != gone {
			p.dur[k] = scaled(p.dur[k], by)
		}
	}
}

// wholeStep launches all that a step launches at once, the optimizer's kernels too, with elementwise ones fused.
func wholeStep(p *Plan) error {
	if !p.any(Compute) && !p.any(Elementwise) {
		return errNothing
	}
	p.fuse()
	p.scaleLaunching(recordedHost.at(p.bias))
	return nil
}

// graphs launches what a step launches all at once.
func graphs(p *Plan) error {
	if !p.any(Compute) && !p.any(Elementwise) {
		return errNothing
	}
	p.scaleLaunching(graphedHost.at(p.bias))
	return nil
}

func (p *Plan) any(class Class) bool { return slices.Contains(p.g.class, class) }

// scaleLaunching multiplies the host's time before and in calls that launch kernels. The loader's time stays.
func (p *Plan) scaleLaunching(by float64) {
	for i := range p.gap {
		first := p.g.works[i]
		if first == p.g.works[i+1] || p.g.class[first].isCopy() && p.g.class[first] != CopyOther {
			continue
		}
		p.lead[i], p.cost[i] = scaled(p.lead[i], by), scaled(p.cost[i], by)
		if p.gap[i] > 0 {
			loads := scaled(p.g.loading()[int32(i)], p.host.Loader)
			if own := p.gap[i] - loads; own > 0 {
				p.gap[i] -= own - scaled(own, by)
			}
		}
	}
}

// kernelTimes multiplies the time of kernels of a name.
func kernelTimes(name string, by float64) func(*Plan) error {
	return func(p *Plan) error {
		found := false
		for k, id := range p.g.work {
			if p.g.t.Name(id) == name && p.dur[k] != gone {
				p.dur[k] = scaled(p.dur[k], by)
				found = true
			}
		}
		if !found {
			return errors.New("no GPU work has this name")
		}
		return nil
	}
}

// merged makes intervals disjoint and sorts them.
func merged(spans []trace.Interval) []trace.Interval {
	slices.SortFunc(spans, func(a, b trace.Interval) int { return cmp.Compare(a.Start, b.Start) })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, s.End)
			continue
		}
		out = append(out, s)
	}
	return out
}
