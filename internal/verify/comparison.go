package verify

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"saturate/internal/probe"
	"saturate/internal/stat"
)

// comparison is what two runs trained on, side by side.
//
// What the model sees decides. Batches are compared as a loader hands them out, in their order; where those differ
// because work was moved behind the loader (a cast, a normalisation on the GPU), the model's inputs and the loss's
// targets decide. Where a repair makes other batches on purpose, the samples are compared by their index, before
// batches are made of them.
type comparison struct {
	before, after probe.Samples
	tolerance     float64
	regrouped     bool
	passes        []string // arguments of the model that a repair makes
	pads          bool     // after may append labels that the loss leaves out
	loose         []string // fields that are not compared one by one

	differing []string // fields that were found to differ
	first     *SampleDifference
}

// orderField stands for the order of the samples among the fields.
const orderField = "order"

func (c *comparison) run(g *SampleGuard) *SampleDifference {
	switch {
	case c.shared():
		g.By = "distribution"
		g.Checked = min(len(c.before.Samples), len(c.after.Samples))
		if d := c.repeated(*g); d != nil {
			c.note(*d)
		}
	case c.regrouped && len(c.before.Samples) > 0:
		g.By = "index"
		c.byIndex(g)
	case len(c.before.Batches) > 0 && len(c.after.Batches) > 0:
		g.By = "batch"
		c.byBatch(g)
	default:
		g.By = "input"
		g.Checked = min(len(c.before.Inputs), len(c.after.Inputs))
		found := c.inputs()
		g.Equal = g.Checked - len(found)
		for _, d := range found {
			c.note(d)
		}
	}
	return c.first
}

func (c *comparison) note(d SampleDifference) {
	if !slices.Contains(c.differing, d.Field) {
		c.differing = append(c.differing, d.Field)
	}
	if c.first == nil {
		c.first = &d
	}
}

// shared reports whether a stream is divided otherwise among workers: then its samples come in another order, and which
// is which is not known.
func (c *comparison) shared() bool {
	if len(c.before.Batches) == 0 || len(c.after.Batches) == 0 {
		return false
	}
	x, y := c.before.Batches[0], c.after.Batches[0]
	return x.Stream && y.Stream && x.Workers != y.Workers
}

// byBatch compares batches in their order.
func (c *comparison) byBatch(g *SampleGuard) {
	type found struct {
		batch int
		SampleDifference
	}
	var all []found
	for k := range min(len(c.before.Batches), len(c.after.Batches)) {
		x, y := c.before.Batches[k], c.after.Batches[k]
		if !x.Stream && fmt.Sprint(x.Indexes) != fmt.Sprint(y.Indexes) && !slices.Contains(c.loose, orderField) {
			c.note(SampleDifference{
				Index: fmt.Sprintf("batch %d", k), Field: orderField, Before: some(x.Indexes),
				After: some(y.Indexes),
			})
			return
		}
		n := size(x.Indexes)
		g.Checked += n
		differ := c.fields(x.Fields, y.Fields, "", false)
		if len(differ) == 0 {
			g.Equal += n
		}
		for _, d := range differ {
			d.Index = fmt.Sprintf("batch %d", k)
			all = append(all, found{k, d})
		}
	}
	inputs := c.inputs()
	if len(inputs) == 0 && len(all) > 0 {
		reached := c.reached()
		if !slices.ContainsFunc(all, func(f found) bool { return !reached[hashIn(c.before.Batches[f.batch], f.Field)] }) {
			g.By, g.Equal = "input", g.Checked
			return
		}
	}
	for _, f := range all {
		c.note(c.named(c.before.Batches[f.batch], f.SampleDifference))
	}
	for _, d := range inputs {
		c.note(d)
	}
}

// reached are the hashes of all that the model and its loss were given before.
func (c *comparison) reached() map[string]bool {
	known := map[string]bool{}
	for _, in := range c.before.Inputs {
		for _, f := range in.Fields {
			known[f.Hash] = true
		}
	}
	return known
}

func hashIn(b probe.Batch, field string) string {
	for _, f := range b.Fields {
		if f.Name == field {
			return f.Hash
		}
	}
	return ""
}

// named finds the sample that a difference of a batch comes from.
func (c *comparison) named(b probe.Batch, d SampleDifference) SampleDifference {
	before, after := byKey(c.before.Samples, true), byKey(c.after.Samples, true)
	for _, at := range list(b.Indexes) {
		key := fmt.Sprint(b.Epoch, " ", at)
		x, y := before[key], after[key]
		if x == nil || y == nil {
			continue
		}
		for _, one := range c.fields(x.Fields, y.Fields, "", false) {
			one.Index = at
			return one
		}
	}
	return d
}

// byIndex compares what the dataset gives, before anything else happens to it.
func (c *comparison) byIndex(g *SampleGuard) {
	for _, epochs := range []bool{true, false} {
		after := byKey(c.after.Samples, epochs)
		seen := map[string]bool{}
		for _, x := range c.before.Samples {
			key := keyOf(x, epochs)
			y := after[key]
			if y == nil || seen[key] {
				continue
			}
			seen[key] = true
			g.Checked++
			differ := c.fields(x.Fields, y.Fields, "", false)
			if len(differ) == 0 {
				g.Equal++
			}
			for _, d := range differ {
				d.Index = x.Index
				c.note(d)
			}
		}
		if g.Checked > 0 {
			return
		}
	}
}

// inputs compares what the model and its loss were given, call by call.
func (c *comparison) inputs() (found []SampleDifference) {
	for k := range min(len(c.before.Inputs), len(c.after.Inputs)) {
		x, y := c.before.Inputs[k], c.after.Inputs[k]
		if x.Target != y.Target {
			return append(found, SampleDifference{
				Index: fmt.Sprintf("call %d", x.Call), Field: "input", Before: kindOf(x),
				After: kindOf(y),
			})
		}
		for _, d := range c.fields(c.unpassed(x.Fields), c.unpassed(y.Fields), "input ", x.Target) {
			d.Index = fmt.Sprintf("call %d", x.Call)
			found = append(found, d)
		}
	}
	return found
}

// unpassed are the fields that no repair makes.
func (c *comparison) unpassed(fields []probe.Field) []probe.Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f probe.Field) bool { return slices.Contains(c.passes, f.Name) })
}

func kindOf(in probe.Input) string {
	if in.Target {
		return "a target of the loss"
	}
	return "a call of the model"
}

// fields compares the fields of one sample, batch or call, or what the loss is compared with.
func (c *comparison) fields(before, after []probe.Field, prefix string, target bool) (found []SampleDifference) {
	name := func(f probe.Field) string { return prefix + f.Name }
	for _, x := range before {
		if slices.Contains(c.loose, name(x)) {
			continue
		}
		at := slices.IndexFunc(after, func(y probe.Field) bool { return y.Name == x.Name })
		switch {
		case at < 0:
			found = append(found, SampleDifference{Field: name(x), Before: x.String(), After: "missing"})
		case !x.Near(after[at], c.tolerance) && !(c.pads && x.SamePadded(after[at], target)):
			found = append(found, SampleDifference{Field: name(x), Before: x.String(), After: after[at].String()})
		}
	}
	for _, y := range after {
		if !slices.ContainsFunc(before, func(x probe.Field) bool { return y.Name == x.Name }) && !slices.Contains(c.loose, name(y)) {
			found = append(found, SampleDifference{Field: name(y), Before: "missing", After: y.String()})
		}
	}
	return found
}

// repeated says so where after sees clearly fewer different samples.
func (c *comparison) repeated(g SampleGuard) *SampleDifference {
	share := func(distinct int, s probe.Samples) float64 { return float64(distinct) / float64(max(1, count(s))) }
	if x, y := share(g.DistinctBefore, c.before), share(g.DistinctAfter, c.after); y < 0.9*x {
		return &SampleDifference{
			Index: "all", Field: "distinct samples",
			Before: fmt.Sprintf("%d of %d", g.DistinctBefore, count(c.before)), After: fmt.Sprintf("%d of %d", g.DistinctAfter,
				count(c.after)),
		}
	}
	return nil
}

// distribution compares the fields that chance decides: their means and their spread over all samples.
func (c *comparison) distribution(g SampleGuard) *SampleDifference {
	if d := c.repeated(g); d != nil {
		return d
	}
	for _, name := range c.loose {
		x, y := means(c.before, name), means(c.after, name)
		if len(x) < 2 || len(y) < 2 {
			continue
		}
		a, b := stat.Summarize(stat.Series{Values: x}), stat.Summarize(stat.Series{Values: y})
		const far = 5 // standard errors, and times as wide
		apart := math.Abs(mean(x) - mean(y))
		spread := math.Sqrt(variance(x)/float64(len(x)) + variance(y)/float64(len(y)))
		narrow, wide := min(variance(x), variance(y)), max(variance(x), variance(y))
		if apart > far*spread && apart > 1e-6*math.Abs(mean(x)) || wide > far*far*narrow {
			return &SampleDifference{
				Index: "all", Field: name,
				Before: fmt.Sprintf("median %.4g, standard deviation %.4g", float64(a.Median), math.Sqrt(variance(x))),
				After:  fmt.Sprintf("median %.4g, standard deviation %.4g", float64(b.Median), math.Sqrt(variance(y))),
			}
		}
	}
	return nil
}

func variance(values []float64) float64 {
	centre, squares := mean(values), 0.0
	for _, v := range values {
		squares += (v - centre) * (v - centre)
	}
	return squares / float64(len(values)-1)
}

// means of a field in all that was seen: samples, else batches, or the model's inputs.
func means(s probe.Samples, name string) (values []float64) {
	add := func(fields []probe.Field, name string) {
		for _, f := range fields {
			if f.Name == name && f.Mean != nil {
				values = append(values, *f.Mean)
			}
		}
	}
	if input, ok := strings.CutPrefix(name, "input "); ok {
		for _, in := range s.Inputs {
			add(in.Fields, input)
		}
		return values
	}
	for _, one := range s.Samples {
		add(one.Fields, name)
	}
	if len(values) == 0 {
		for _, b := range s.Batches {
			add(b.Fields, name)
		}
	}
	return values
}

// wholes are the fingerprints of everything that was seen: of samples, else of batches, or of inputs.
func wholes(s probe.Samples) (list []string) {
	for _, one := range s.Samples {
		list = append(list, probe.Whole(one.Fields))
	}
	if len(list) == 0 {
		for _, b := range s.Batches {
			list = append(list, probe.Whole(b.Fields))
		}
	}
	if len(list) == 0 {
		for _, in := range s.Inputs {
			if !in.Target {
				list = append(list, probe.Whole(in.Fields))
			}
		}
	}
	return list
}

// trained are the fingerprints of what was trained on: workers make samples ahead that nobody asks for any more.
func trained(s probe.Samples) []string {
	if len(s.Batches) > 0 && !s.Batches[0].Stream {
		asked := map[string]bool{}
		for _, b := range s.Batches {
			for _, at := range list(b.Indexes) {
				asked[fmt.Sprint(b.Epoch, " ", at)] = true
			}
		}
		s.Samples = slices.DeleteFunc(slices.Clone(s.Samples), func(one probe.Sample) bool { return !asked[keyOf(one, true)] })
	}
	return wholes(s)
}

func count(s probe.Samples) int { return len(trained(s)) }

func distinct(s probe.Samples) int {
	all := trained(s)
	slices.Sort(all)
	return len(slices.Compact(all))
}

func byKey(samples []probe.Sample, epochs bool) map[string]*probe.Sample {
	known := map[string]*probe.Sample{}
	for i, s := range samples {
		if key := keyOf(s, epochs); s.Index != nil && known[key] == nil {
			known[key] = &samples[i]
		}
	}
	return known
}

func keyOf(s probe.Sample, epochs bool) string {
	if !epochs {
		return fmt.Sprint(s.Index)
	}
	return fmt.Sprint(s.Epoch, " ", s.Index)
}

// list is the indexes of a batch: it may be asked for by one.
func list(indexes any) []any {
	if many, ok := indexes.([]any); ok {
		return many
	}
	return []any{indexes}
}

func size(indexes any) int { return len(list(indexes)) }

// some shows the first indexes of a batch.
func some(indexes any) string {
	all := list(indexes)
	if len(all) > 8 {
		return strings.TrimSuffix(fmt.Sprint(all[:8]), "]") + " …]"
	}
	return fmt.Sprint(all)
}
