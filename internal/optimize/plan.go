package optimize

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/optimize/offline"
	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/rule"
)

// Candidate is a repair to try: one rung of the ladder.
type Candidate struct {
	ID     string       `json:"id"`     // offline, loader, SAT401, SAT411/2
	Title  string       `json:"title"`  // what the repair does
	Codes  []string     `json:"codes"`  // of the findings that it covers
	Fix    int          `json:"fix"`    // which of a finding's repairs
	Places []string     `json:"places"` // path:line of the findings
	Safety patch.Safety `json:"safety"` // how far the repair can be trusted
	Share  float64      `json:"share"`  // of the step that it can shorten at all, as measured
	Saves  float64      `json:"saves"`  // of the step, estimated
	Reason string       `json:"reason"` // for its place in the plan, or why it is not tried here

	Predicted *Forecast `json:"predicted,omitempty"` // what a trace says it would bring
	Choice    string    `json:"choice,omitempty"`    // of the candidates of one choice only one can be kept
	Instead   string    `json:"instead,omitempty"`   // the tree of the kept repair whose place it would take
	Workers   int       `json:"workers,omitempty"`   // of the loader
	Arguments []string  `json:"arguments,omitempty"` // behind the command: the repair is one of the command
	Asks      []string  `json:"asks,omitempty"`      // what a trace is asked about it, if not what its rule asks

	again float64 // the share of errorRate for a second measurement, after one that ran out of pairs; else 0
}

// ByHand is a finding that no repair covers.
type ByHand struct {
	Finding finding.Finding `json:"finding"`
	Reason  string          `json:"reason"`           // why no repair covers it
	Advice  []string        `json:"advice,omitempty"` // what to do, one sentence each
}

// group is a set of rules whose repairs only make sense together.
type group struct {
	id, title string
	codes     []string
	areas     []finding.Area
}

// The protocol's order: speech offline, then the loader, then everything else one at a time.
var (
	offlineGroup = group{id: "offline", title: "speech and features made once, before training", areas: []finding.Area{finding.DataArea, finding.WorkersArea}}
	// Where the features are Whisper's, saturate can build them: no longer bit for bit, so it is a rung of its own.
	builtGroup  = group{id: "offline/2", title: "features built by saturate mel, one file of FP16", areas: []finding.Area{finding.DataArea, finding.WorkersArea}}
	loaderGroup = group{
		id: "loader", title: "loading ahead, in worker processes",
		codes: rule.InGroup(rule.LoaderGroup), areas: []finding.Area{finding.DataArea, finding.TransferArea},
	}
)

// unknownGain is the assumed gain of a repair that nobody has measured.
const unknownGain = 1.05

// plan is what can be tried on a program, and what cannot.
type plan struct {
	candidates []Candidate // the most gain for a minute of measuring first
	elsewhere  []Candidate // what needs a GPU
	byHand     []ByHand
	findings   []finding.Finding
	outside    []string // files with findings that the program does not run
	idle       []string // places of findings in lines that it passes over
}

// source is the project in a tree, as it is when it runs.
func (p *protocol) source(ctx context.Context, t tree, here *Baseline) (*project.Project, error) {
	return project.Load(ctx, []string{t.dir}, project.Options{Waits: here.waiting(), Tries: true, Installed: p.state.Baseline.Versions})
}

// plan orders the repairs to try on the program of a tree by their expected gain.
func (p *protocol) plan(ctx context.Context, t tree, here *Baseline) (plan, error) {
	source, err := p.source(ctx, t, here)
	if err != nil {
		return plan{}, err
	}
	scanned, err := rule.OnSource(ctx, source, p.Rules)
	if err != nil {
		return plan{}, err
	}
	found, outside, idle := p.inReach(scanned.Findings, t)
	found = p.really(found, here)
	d := draft{protocol: p, tree: t, here: here, byCode: map[string][]finding.Finding{}, made: plan{findings: scanned.Findings, outside: outside, idle: idle}}
	for _, f := range found {
		d.byCode[f.Code] = append(d.byCode[f.Code], f)
	}
	d.offline(source, found)
	d.loader()
	d.add(p.arguments(source, found, here, t)...)
	d.together()
	d.others()
	return d.inOrder(), nil
}

// draft is a plan that is being made. What one part takes of the findings is not there for the next.
type draft struct {
	*protocol
	tree   tree
	here   *Baseline
	byCode map[string][]finding.Finding
	list   []Candidate
	made   plan
}

func (d *draft) add(list ...Candidate) { d.list = append(d.list, list...) }

func (d *draft) hand(f finding.Finding, reason string, instructions []string) {
	d.made.byHand = append(d.made.byHand, ByHand{d.shownOne(f, d.tree), reason, instructions})
}

// offline plans to make once what is made for each sample now.
func (d *draft) offline(source *project.Project, found []finding.Finding) {
	repair, refused := offline.Offline(source, found, d.offlineOptions(d.here))
	if len(repair.Findings) > 0 && d.allows(patch.Unsafe) {
		c := d.candidate(offlineGroup, repair.Findings, 0, d.here.Shares, d.tree)
		c.Safety, c.Title = patch.Unsafe, cmp.Or(repair.Once, c.Title)
		if repair.Share > 0 {
			c.Saves = c.Share * min(1, repair.Share)
			c.Reason = fmt.Sprintf("it takes %s of the time spent making samples, which is %s of a step", human.Percent(repair.Share), human.Percent(c.Share))
		}
		d.add(c)
		if repair.Mel && d.tree == d.base() {
			d.add(d.mel(repair.Findings, d.here, d.tree))
		}
		for _, f := range repair.Findings {
			delete(d.byCode, f.Code)
		}
	}
	for _, r := range refused {
		d.hand(r.Finding, r.Reason, r.Instructions)
		delete(d.byCode, r.Finding.Code)
	}
}

// loader plans all that loads ahead as one choice.
func (d *draft) loader() {
	var list []finding.Finding
	for _, code := range loaderGroup.codes {
		for _, f := range d.byCode[code] {
			if slices.ContainsFunc(f.Fixes, func(fix patch.Patch) bool { return d.allows(fix.Safety) }) {
				list = append(list, f)
			}
		}
		delete(d.byCode, code)
	}
	if len(list) > 0 {
		d.add(d.loaders(d.candidate(loaderGroup, list, 0, d.here.Shares, d.tree), list, d.here)...)
	}
}

// others plans each fix of the rules that are left, and leaves to the user what has none.
func (d *draft) others() {
	for _, code := range slices.Sorted(maps.Keys(d.byCode)) {
		found, fixes := d.fixable(d.byCode[code]), 0
		for i, fix := range found[0].Fixes {
			if !d.allows(fix.Safety) {
				continue
			}
			g := group{id: code, title: fix.Title, codes: []string{code}, areas: areasOf(code)}
			if fixes > 0 {
				g.id = fmt.Sprintf("%s/%d", code, i+1)
			}
			fixes++
			covered := found
			if fix.Records != nil {
				also, ok := d.recordable(code, fix.Records)
				if !ok {
					continue
				}
				covered = append(slices.Clone(found), also...)
			}
			d.add(d.candidate(g, covered, i, d.here.Shares, d.tree))
		}
		if fixes == 0 {
			for _, f := range found {
				d.hand(f, "no automatic fix", advice(f))
			}
		}
	}
}

// fixable leaves to the user the findings of a rule without a fix where another has one, and puts first what has the most.
func (d *draft) fixable(found []finding.Finding) []finding.Finding {
	var list []finding.Finding
	for _, f := range found {
		if len(f.Fixes) > 0 {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return found
	}
	for _, f := range found {
		if len(f.Fixes) == 0 {
			d.hand(f, "no automatic fix", advice(f))
		}
	}
	slices.SortStableFunc(list, func(a, b finding.Finding) int { return cmp.Compare(len(b.Fixes), len(a.Fixes)) })
	return list
}

// inOrder is the plan, the most gain for a minute of measuring first.
func (d *draft) inOrder() plan {
	for i := range d.list {
		d.here.estimate(&d.list[i])
	}
	slices.SortStableFunc(d.list, d.before(d.here))
	for _, c := range d.list {
		if why := d.notHere(c); why != "" && !d.here.GPU {
			c.Reason = why
			d.made.elsewhere = append(d.made.elsewhere, c)
		} else {
			d.made.candidates = append(d.made.candidates, c)
		}
	}
	return d.made
}

// mel is the candidate that has saturate build the features.
func (p *protocol) mel(found []finding.Finding, here *Baseline, t tree) Candidate {
	m := p.candidate(builtGroup, found, 1, here.Shares, t)
	m.Safety, m.Saves = patch.DisplayOnly, min(m.Share, 1-1/unknownGain)
	m.Reason = "tried once offline was kept: memory-mapped FP16 rows load faster than files and take half the space"
	return m
}

// really drops the findings that the run disproved: if a loader had workers in the run, an option's default does not
// matter.
func (p *protocol) really(found []finding.Finding, here *Baseline) []finding.Finding {
	if here.Workers == 0 {
		return found
	}
	return slices.DeleteFunc(slices.Clone(found), setsWorkers)
}

func advice(f finding.Finding) []string {
	if f.Advice == "" {
		return nil
	}
	return []string{f.Advice}
}

// allows reports whether repairs of this safety are tried. Even display-only ones may be, because they are measured
// here.
func (p *protocol) allows(s patch.Safety) bool { return !p.SafeOnly || s == patch.Safe }

// candidate estimates the gain of a repair: the typical saving of its rule, but at most the measured share of the part
// that it shortens.
func (p *protocol) candidate(g group, fs []finding.Finding, fix int, shares Shares, t tree) Candidate {
	areas := slices.DeleteFunc(slices.Clone(g.areas), func(a finding.Area) bool { return a == finding.WorkersArea && shares.Workers < noticed })
	c := Candidate{ID: g.id, Title: g.title, Fix: fix, Safety: patch.Safe, Share: shares.of(areas...), Choice: choiceOf(g)}
	gain := 1.0
	for _, f := range fs {
		if !slices.Contains(c.Codes, f.Code) {
			c.Codes = append(c.Codes, f.Code)
		}
		if f.Where == nil {
			gain = max(gain, typical(f.Code))
			continue
		}
		if place := fmt.Sprintf("%s:%d", p.shownPath(f.Where.Path, t), f.Where.Line); !slices.Contains(c.Places, place) {
			c.Places = append(c.Places, place)
		}
		gain = max(gain, typical(f.Code))
		if fix < len(f.Fixes) {
			c.Safety = worse(c.Safety, f.Fixes[fix].Safety)
			c.Asks = append(c.Asks, f.Fixes[fix].Asks...)
		}
	}
	promised := 1 - 1/gain
	c.Saves = min(c.Share, promised)
	var names []string
	for _, a := range areas {
		names = append(names, string(a))
	}
	c.Reason = fmt.Sprintf("%s %s %.0f%% of a step; such a fix typically saves %.0f%%", strings.Join(names, " and "), verb(len(names)), 100*c.Share, 100*promised)
	return c
}

func verb(n int) string {
	if n == 1 {
		return "takes"
	}
	return "take"
}

// typical is the middle of a rule's gain.
func typical(code string) float64 {
	r := rule.Find(code)
	if r == nil || r.Gain.High <= 1 {
		return unknownGain
	}
	return math.Sqrt(max(r.Gain.Low, 1) * r.Gain.High)
}

func worse(a, b patch.Safety) patch.Safety {
	rank := []patch.Safety{patch.Safe, patch.Unsafe, patch.DisplayOnly}
	return rank[max(slices.Index(rank, a), slices.Index(rank, b), 0)]
}
