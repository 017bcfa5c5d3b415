package project

import "saturate/internal/pysrc"

// oftenSet reports a value that a run may well give in another way than by default: what settable says, except for an option
// that at most half of the commands in READMEs give, and no script.
func (e *Eval) oftenSet(v Value, test pysrc.Expr) bool {
	if v.Origin.How == ByOption && e.p.takesDefaults(v.Origin.Source) {
		return true
	}
	return e.settable(v, test, nil) && !e.p.seldomGiven(test)
}

// seldomGiven reports an option that commands in READMEs give, and at most half of those that start programs which have it.
func (p *Project) seldomGiven(test pysrc.Expr) bool {
	a, ok := test.(*pysrc.Attribute)
	if !ok || len(p.options[a.Attr]) == 0 {
		return false
	}
	commands, given := 0, 0
	for _, o := range p.options[a.Attr] {
		for _, c := range p.commands[o.site.Module()] {
			if !isReadme(c.source.Path) {
				return false
			}
			commands++
			if _, gives := c.options[a.Attr]; gives {
				given++
			}
		}
	}
	for _, s := range p.Scripts {
		if !isReadme(s.Path) && containsWhole(s.Text, "--"+a.Attr) {
			return false
		}
	}
	return given > 0 && 2*given <= commands
}
