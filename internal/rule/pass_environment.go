package rule

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// environmentSetting is where a program sets an environment variable, or a script does that starts it.
type environmentSetting struct {
	at    Node // in this module
	value Value
	alone bool // at is the target of an assignment, which can be removed
	given *project.Step
}

// environment lists where a variable is set for this program: os.environ["X"] = …, os.environ.setdefault("X", …),
// os.environ.update(X=…), os.putenv("X", …), and X=… in a script that starts this module, where it trains.
func (p *SourcePass) environment(name string) (list []environmentSetting) {
	for _, a := range p.AssignsTo("os.environ." + name) {
		list = append(list, environmentSetting{at: a.Target, value: p.Eval(a.Value), alone: true})
	}
	for _, c := range p.CallsTo("os.environ.setdefault", "os.putenv") {
		if variable, _ := c.ArgAt(0).Str(); variable == name {
			list = append(list, environmentSetting{at: c, value: c.ArgAt(1)})
		}
	}
	for _, c := range p.CallsTo("os.environ.update") {
		if k := c.Node.Keyword(name); k != nil {
			list = append(list, environmentSetting{at: k.Value, value: p.Eval(k.Value)})
		}
		if dict, ok := firstArg(c.Node).(*pysrc.Dict); ok {
			for i, key := range dict.Keys {
				if text, _ := pysrc.StringValue(key); key != nil && text == name {
					list = append(list, environmentSetting{at: dict.Values[i], value: p.Eval(dict.Values[i])})
				}
			}
		}
	}
	return append(list, p.exported(name)...)
}

// trainingPlace is where this module trains: a loop, or a trainer that is made; nil where it does not.
func (p *SourcePass) trainingPlace() Node {
	if loops := p.TrainingLoops(); len(loops) > 0 {
		return header(loops[0].Stmt)
	}
	for _, args := range p.HFArguments() {
		return args.Callee()
	}
	for _, c := range p.CallsTo("lightning.pytorch.Trainer", "lightning.pytorch.cli.LightningCLI") {
		return c.Callee()
	}
	for _, c := range p.Constructions("transformers.Trainer") {
		if !p.onlyEvaluates() {
			return c.Callee() // its arguments come from a file or the command line
		}
	}
	return nil
}

// trainingCall is where this module calls a function that leads to a training loop; nil where it does not.
func (p *SourcePass) trainingCall() Node {
	for _, s := range p.Module.Sites {
		if s.Calls.Func != nil && p.Project.Leads(s.Calls.Func) && p.Module.Role != project.Test {
			return s.Node.Func
		}
	}
	return nil
}

// exported lists where scripts that start this module set a variable.
func (p *SourcePass) exported(name string) (list []environmentSetting) {
	if !slices.ContainsFunc(p.Project.Scripts, func(s *project.Source) bool { return bytes.Contains(s.Text, []byte(name+"=")) }) {
		return nil
	}
	at := p.trainingPlace()
	if at == nil {
		at = p.trainingCall()
	}
	if at == nil {
		return nil
	}
	set := regexp.MustCompile(`(?m)(?:^|[\s;"])` + regexp.QuoteMeta(name) + `=["']?([\w.:-]*)`)
	program := regexp.MustCompile(`(?:^|[\s/"'])` + regexp.QuoteMeta(filepath.Base(p.Module.Path)) + `\b|\s-m\s+` +
		regexp.QuoteMeta(p.Module.Name) + `(?:\s|$)`)
	for _, s := range p.Project.Scripts {
		if !program.Match(s.Text) {
			continue
		}
		for _, found := range set.FindAllSubmatchIndex(s.Text, -1) {
			text := string(s.Text[found[2]:found[3]])
			span := pysrc.Span{Start: int32(found[2]) - int32(len(name)) - 1, End: int32(found[3])}
			value := Value{Kind: project.Literal, Scalar: project.Scalar{Type: project.String, Text: text}, Sure: likely}
			list = append(list, environmentSetting{at: at, value: value, given: &project.Step{Text: "given by a script", Source: s, Span: span}})
		}
	}
	return list
}

// because is the evidence for a setting that does not stand where it is reported.
func (e environmentSetting) because() any {
	if e.given != nil {
		return *e.given
	}
	return e.value
}

// isSet reports an environment variable that turns something on.
func isSet(v Value) bool {
	switch text, _ := v.Str(); text {
	case "1", "true", "True", "TRUE", "yes", "on":
		return true
	}
	return false
}
