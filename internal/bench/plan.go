package bench

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"saturate/internal/config"
	"saturate/internal/human"
)

// Frameworks in the order in which they are shown.
var Frameworks = []string{"go", "torch", "jax"}

// Plan says what to measure.
type Plan struct {
	Task       Task     `json:"task"`
	Frameworks []string `json:"frameworks"`
	DTypes     []string `json:"dtypes"`
	Batch      []int    `json:"batch"`
	Seq        []int    `json:"seq"`
	DModel     []int    `json:"d_model"`
	Heads      []int    `json:"heads"`
	Levels     []int    `json:"levels"`
	Device     string   `json:"device"` // auto, cpu, cuda, cuda:1, mps
	Effort
}

// Task is what is measured.
type Task string

const (
	Attention Task = "attention"
	Layer     Task = "layer"
	Loader    Task = "loader"
	Mel       Task = "mel"
)

// Tasks are all of them.
var Tasks = []Task{Attention, Layer, Loader, Mel}

// Effort is how long each thing is measured.
type Effort struct {
	Iterations int           `json:"iterations"` // at most
	Time       time.Duration `json:"time_ns"`    // no further call after that, once there are enough
	Cold       bool          `json:"cold"`       // measure with caches that hold nothing of the operands
	Warm       bool          `json:"warm"`       // measure with caches as the call before left them
	Seed       uint64        `json:"seed"`
}

// Calls that are made even if they take long. Six are the fewest whose median has a 95% interval; a series that takes
// slowSeries times its time ends after fewestSlow, and has none.
const (
	fewestCalls = 6
	fewestSlow  = 3
	slowSeries  = 3
)

// Case is one row of a plan.
type Case struct {
	Framework string `json:"framework"` // go, torch or jax
	DType     string `json:"dtype"`     // type of the numbers: fp32, bf16
	Shape
}

func (c Case) String() string {
	return fmt.Sprintf("%s %s, batch %d, sequence %d, width %d, %s", c.Framework, c.DType, c.Batch, c.Seq, c.DModel,
		human.Plural(c.Heads, "head"))
}

// key names the case in series.
func (c Case) key() string {
	return fmt.Sprintf("framework=%s/dtype=%s/batch=%d/seq=%d/d_model=%d/heads=%d", c.Framework, c.DType, c.Batch, c.Seq,
		c.DModel, c.Heads)
}

// largest keeps products of sizes far from overflow, and a typing error from filling a disk with plans.
const (
	largestSize = 1 << 24
	mostCases   = 1000
)

// deviceName is how torch and JAX call what is known to work.
var deviceName = regexp.MustCompile(`^(auto|cpu|mps|cuda(:[0-9]{1,4})?)$`)

// Check refuses a plan that cannot be run, and writes names as they are usually written.
func (p *Plan) Check() error {
	if err := p.checkNames(); err != nil {
		return err
	}
	if err := p.checkSizes(); err != nil {
		return err
	}
	switch {
	case len(p.Frameworks) == 0 || len(p.DTypes) == 0:
		return fmt.Errorf("use at least one --framework and one --dtype")
	case p.Iterations < 1:
		return fmt.Errorf("--iterations must be at least 6, for an interval, not %d", p.Iterations)
	case !p.Cold && !p.Warm:
		return fmt.Errorf("--cache must be cold, warm or both")
	case p.Time < 0:
		return fmt.Errorf("--time must be greater than 0, not %v", p.Time)
	case !deviceName.MatchString(p.Device):
		return fmt.Errorf("unknown device %q; use auto, cpu, cuda, cuda:1 or mps", p.Device)
	case len(p.Cases()) > mostCases:
		return fmt.Errorf("this plan has %d cases; the limit is %d: use fewer sizes", len(p.Cases()), mostCases)
	}
	return nil
}

// checkNames replaces the names of frameworks and number types by the usual ones.
func (p *Plan) checkNames() error {
	for i, name := range p.Frameworks {
		if alias := map[string]string{
			"pytorch": "torch", "golang": "go",
			"builtin": "go",
		}[strings.ToLower(name)]; alias != "" {
			name = alias
		}
		if p.Frameworks[i] = strings.ToLower(name); !slices.Contains(Frameworks, p.Frameworks[i]) {
			return fmt.Errorf("unknown framework %q; use %s%s", name, strings.Join(Frameworks, ", "),
				config.Hint(name, Frameworks))
		}
	}
	for i, name := range p.DTypes {
		d, err := parseDType(name)
		if err != nil {
			return err
		}
		p.DTypes[i] = d.Name
	}
	return nil
}

func (p *Plan) checkSizes() error {
	for _, list := range []struct {
		flag   string
		values []int
	}{{"--batch", p.Batch}, {"--seq", p.Seq}, {"--d-model", p.DModel}, {"--heads", p.Heads}} {
		if len(list.values) == 0 {
			return fmt.Errorf("%s needs a number", list.flag)
		}
		for _, v := range list.values {
			if v < 1 || v > largestSize {
				return fmt.Errorf("%s must be 1 to %d, not %d", list.flag, largestSize, v)
			}
		}
	}
	for _, d := range p.DModel {
		for _, h := range p.Heads {
			if d%h != 0 {
				return fmt.Errorf("%d heads do not divide a model width of %d; use %s heads", h, d, divisors(d, h))
			}
		}
	}
	for _, level := range p.Levels {
		if level < 0 || level > 3 {
			return fmt.Errorf("--level must be 0 to 3, not %d", level)
		}
	}
	p.Levels = unique(p.Levels)
	return nil
}

// divisors names up to four numbers of heads that fit a width, the nearest to what was asked.
func divisors(width, near int) string {
	var fit []int
	for h := 1; h <= min(width, 1024); h++ {
		if width%h == 0 {
			fit = append(fit, h)
		}
	}
	slices.SortStableFunc(fit, func(a, b int) int { return abs(a-near) - abs(b-near) })
	fit = fit[:min(len(fit), 4)]
	slices.Sort(fit)
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(fit), " ", ", "), "[]")
}

func abs(n int) int { return max(n, -n) }

// Cases are all combinations, each once, by framework first: one framework is finished before the next begins.
func (p Plan) Cases() []Case {
	var out []Case
	for _, f := range Frameworks {
		if !slices.Contains(p.Frameworks, f) {
			continue
		}
		for _, t := range unique(p.DTypes) {
			for _, s := range p.Shapes() {
				out = append(out, Case{f, t, s})
			}
		}
	}
	return out
}

// Shapes are the sizes of the plan.
func (p Plan) Shapes() []Shape {
	var out []Shape
	for _, d := range unique(p.DModel) {
		for _, h := range unique(p.Heads) {
			for _, b := range unique(p.Batch) {
				for _, s := range unique(p.Seq) {
					out = append(out, Shape{b, s, d, h})
				}
			}
		}
	}
	return out
}

func unique[T comparable](list []T) []T {
	var out []T
	for _, v := range list {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}
