package cli

import (
	"context"
	"regexp"
	"strings"

	"saturate/internal/config"
	"saturate/internal/report"
	"saturate/internal/rule"
	"saturate/internal/view"
)

var ruleCommand = command{
	name: "rule", group: find, args: "[CODE]", max: 1,
	short: "Explain a rule: what it finds, why that costs time, and when it is fine",
	example: `  saturate rule
  saturate rule SAT203
  saturate rule no-pin-memory --format markdown`,
	formats: report.Formats(),
	data:    view.RuleData{},
	prepare: plain(func(_ context.Context, _ *Env, args []string) (report.Report, error) {
		if len(args) == 0 {
			return view.OfRules(rule.All()), nil
		}
		if r := rule.Find(args[0]); r != nil {
			return view.OfRules([]*rule.Rule{r}), nil
		}
		if codeForm.MatchString(args[0]) { // a code that looks like it is no nearer to what was meant
			return report.Report{}, usage("unknown rule %s; `saturate rule` lists all %d rules", strings.ToUpper(args[0]), len(rule.All()))
		}
		var names []string
		for _, r := range rule.All() {
			names = append(names, r.Code, r.Name)
		}
		if near := config.Nearest(args[0], names); near != "" {
			return report.Report{}, usage("unknown rule %q; did you mean %s?", args[0], near)
		}
		return report.Report{}, usage("unknown rule %q; `saturate rule` lists all rules", args[0])
	}),
}

// codeForm is how the code of a rule is written.
var codeForm = regexp.MustCompile(`^(?i)SAT\d{3}$`)
