package cli

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"saturate/internal/config"
	"saturate/internal/finding"
	"saturate/internal/report"
	"saturate/internal/view"
)

var ruleCommand = command{
	name: "rule", group: find, args: "[CODE | NAME]", max: 1,
	short: "Explain a rule: what it finds, why that costs time, and what to do",
	long: `Explain a rule of scan (SAT), analyze (TRC) or profile (PRF): what it finds, why that costs
time, and what to do. Without an argument, list all rules.`,
	example: `  saturate rule
  saturate rule SAT203
  saturate rule TRC112
  saturate rule loader-in-main-process --format markdown`,
	formats:  report.Formats(),
	data:     view.RuleData{},
	complete: func(*Env) []string { return ruleWords(finding.Source, finding.Trace, finding.Run) },
	prepare: plain(func(_ context.Context, _ *Env, args []string) (report.Report, error) {
		if len(args) == 0 {
			return view.OfRules(finding.Rules()), nil
		}
		if rules := finding.Lookup(args[0]); len(rules) > 0 {
			return view.OfRule(rules), nil
		}
		if codeForm.MatchString(args[0]) { // a code that looks similar is not closer to what was meant
			return report.Report{}, usage("unknown rule %s; `saturate rule` lists all %d rules", strings.ToUpper(args[0]),
				len(finding.Rules()))
		}
		if near := config.Nearest(args[0], ruleWords(finding.Source, finding.Trace, finding.Run)); near != "" {
			return report.Report{}, usage("unknown rule %q; did you mean %s?", args[0], near)
		}
		return report.Report{}, usage("unknown rule %q; `saturate rule` lists all rules", args[0])
	}),
}

// Rules name each other. A name that leads nowhere, or to another subject, would send users the wrong way.
func init() {
	if err := finding.Check(); err != nil {
		panic(err)
	}
}

// codeForm is how the code of a rule is written.
var codeForm = regexp.MustCompile(`^(?i)(SAT|TRC|PRF)\d{3}$`)

// ruleWords are the codes and names of rules, as a user types them.
func ruleWords(kinds ...finding.Kind) (words []string) {
	for _, r := range finding.Rules() {
		if slices.Contains(kinds, r.Kind) {
			words = append(words, r.Code, r.Name)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}
