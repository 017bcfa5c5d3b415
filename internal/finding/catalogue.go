package finding

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// catalogue holds all rules. Each package with rules registers them when the program starts.
var catalogue []Rule

// Register adds rules that read the same kind of thing.
func Register(kind Kind, rules ...Rule) {
	for _, r := range rules {
		r.Kind = kind
		catalogue = append(catalogue, r)
	}
}

// Rules lists all rules: those over source first, then traces, then runs, each by code.
func Rules() []Rule {
	order := []Kind{Source, Trace, Run}
	return slices.SortedStableFunc(slices.Values(catalogue), func(a, b Rule) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)), cmp.Compare(a.Code, b.Code))
	})
}

// Lookup finds the rule of a code, or the rules of a name: a trace and a run can show the same fault.
func Lookup(codeOrName string) (found []Rule) {
	for _, r := range Rules() {
		if strings.EqualFold(r.Code, codeOrName) || strings.EqualFold(r.Name, codeOrName) {
			found = append(found, r)
		}
	}
	return found
}

// CureRules are the source rules that Cures names.
func (r Rule) CureRules() []Rule {
	cures, err := r.curesAmong(catalogue)
	if err != nil {
		panic(err)
	}
	return cures
}

// WhereToLook says which rules find the place in the source; nothing where none does.
func (r Rule) WhereToLook() string {
	var codes []string
	for _, cure := range r.CureRules() {
		codes = append(codes, cure.Code)
	}
	if len(codes) == 0 {
		return ""
	}
	return "To find the code: `saturate scan . --select " + strings.Join(codes, ",") + "`."
}

// Check tells what is wrong with the catalogue.
func Check() error { return check(catalogue) }

func check(rules []Rule) error {
	var wrong []error
	codes := map[string]bool{}
	names := map[[2]string]bool{}
	for _, r := range rules {
		name := [2]string{string(r.Kind), r.Name}
		if codes[r.Code] || names[name] {
			wrong = append(wrong, fmt.Errorf("%s %s is in the catalogue twice", r.Code, r.Name))
		}
		codes[r.Code], names[name] = true, true
		if r.Subject == "" || len(r.Areas) == 0 {
			wrong = append(wrong, fmt.Errorf("%s %s needs a subject and an area", r.Code, r.Name))
		}
		if _, err := r.curesAmong(rules); err != nil {
			wrong = append(wrong, err)
		}
	}
	return errors.Join(wrong...)
}

// curesAmong resolves the names in Cures. A cure is a source rule about the same subject: advice to
// repair something else would be worse than none.
func (r Rule) curesAmong(rules []Rule) (cures []Rule, err error) {
	for _, name := range r.Cures {
		i := slices.IndexFunc(rules, func(c Rule) bool { return c.Kind == Source && c.Name == name })
		switch {
		case i < 0:
			return nil, fmt.Errorf("%s %s points to %s, which is not a rule over source code", r.Code, r.Name, name)
		case rules[i].Subject != r.Subject:
			return nil, fmt.Errorf("%s %s is about %s and points to %s, which is about %s", r.Code, r.Name, r.Subject, name,
				rules[i].Subject)
		}
		cures = append(cures, rules[i])
	}
	return cures, nil
}
