package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// option is a command line option: parser.add_argument("--num-workers", default=4).
type option struct {
	site  *Site
	value pysrc.Expr // its default, nil when implied
	flag  bool       // store_true or store_false
	on    bool       // what a flag is without being given
}

// gatherOptions finds the options that the project declares, by the name they are read by.
func (p *Project) gatherOptions() {
	p.options = map[string][]option{}
	p.gatherCommands()
	p.optionsSet = map[string][]*Assignment{}
	for _, m := range p.Modules {
		for _, a := range m.Assignments {
			if t, ok := a.Target.(*pysrc.Attribute); ok && a.Value != nil && a.Name != "" && isNamespace(strings.TrimSuffix(a.Name, "."+t.Attr)) {
				p.optionsSet[t.Attr] = append(p.optionsSet[t.Attr], a)
			}
		}
		for _, s := range m.Sites {
			switch method := lastName(s.Node.Func); method {
			case "add_argument", "add_arg":
				p.declare(s, optionName(s), "default")
			case "option", "Option":
				if strings.HasPrefix(s.Calls.Name, "click.") {
					p.declare(s, optionName(s), "default")
				}
			default:
				if name, o, ok := declaredFlag(s); ok && strings.HasPrefix(method, "DEFINE_") {
					p.options[name] = append(p.options[name], o)
				}
			}
		}
	}
	p.findStarted()
}

func (p *Project) declare(s *Site, name, keyword string) {
	if name == "" {
		return
	}
	o := option{site: s}
	if k := s.Node.Keyword(keyword); k != nil {
		o.value = k.Value
	}
	if k := s.Node.Keyword("action"); k != nil {
		action, _ := pysrc.StringValue(k.Value)
		o.flag, o.on = strings.HasPrefix(action, "store_"), action == "store_false"
	}
	p.options[name] = append(p.options[name], o)
}

// optionName is the name by which an option is read: its dest, or its first long form.
func optionName(s *Site) string {
	if k := s.Node.Keyword("dest"); k != nil {
		name, _ := pysrc.StringValue(k.Value)
		return name
	}
	name := ""
	for _, a := range s.Node.Args {
		text, ok := pysrc.StringValue(a)
		if !ok {
			continue
		}
		if long, ok := strings.CutPrefix(text, "--"); ok {
			name = long
			break
		}
		if name == "" {
			name = strings.TrimPrefix(text, "-")
		}
	}
	name, _, _ = strings.Cut(name, "/") // click: --flag/--no-flag
	return strings.ReplaceAll(name, "-", "_")
}

// option tells what args.name is when nothing is given on the command line.
func (e *Eval) option(namespace Value, name string) Value {
	var m *Module
	if namespace.Made != nil {
		m = namespace.Made.Module()
	}
	v := e.optionNamed(m, name)
	if namespace.Made != nil {
		v = e.changedOption(namespace.Made, name, v)
	}
	return v.lessSure(Likely)
}

// optionNamed looks an option up, in the module first.
func (e *Eval) optionNamed(m *Module, name string) Value {
	declared := e.p.options[name]
	var near []option
	for _, o := range declared {
		if m != nil && o.site.Module() == m {
			near = append(near, o)
		}
	}
	if len(near) > 0 {
		declared = near
	}
	if len(declared) > mostCallers {
		return Value{}
	}
	var values []Value
	for _, o := range declared {
		values = append(values, e.optionDefault(o))
	}
	if len(declared) == 0 && m != nil {
		if v := e.defaultSet(m, name); v.Kind != Missing {
			return v
		}
	}
	if !slices.ContainsFunc(values, func(v Value) bool { return !v.IsNone() }) {
		if set := e.optionsSet(name); len(set) > 0 || len(declared) == 0 { // if args.lr is None: args.lr = …
			values = set
		}
	}
	return merge(values)
}

// optionsSet are the values that the project gives an attribute of its options which is not an option:
// args.threads = args.workers.
func (e *Eval) optionsSet(name string) []Value {
	set := e.p.optionsSet[name]
	if len(set) > mostCallers {
		return nil
	}
	var values []Value
	for _, a := range set {
		values = append(values, e.once(a, func() Value { return e.expr(a.Value, a.Module.blocks[a.Block].Scope).via(ByVariable) }))
	}
	return values
}

func (e *Eval) optionDefault(o option) Value {
	switch {
	case lastName(o.site.Node.Func) == "DEFINE_config_file": // names a module that makes one
		if o.value != nil {
			if v := e.configFile(e.expr(o.value, o.site.scope())); v.Kind != Unknown {
				return v
			}
		}
		return Value{Kind: Instance, Name: "ml_collections.ConfigDict", Sure: Likely}
	case len(e.p.commands) > 0:
		if v := e.scripted(o); v.Kind != Missing {
			return v
		}
	}
	if len(e.p.defaultsSet) > 0 {
		if v := e.defaultSet(o.site.Module(), optionName(o.site)); v.Kind != Missing {
			return v
		}
	}
	switch {
	case o.value != nil:
		v := e.expr(o.value, o.site.scope())
		if d, ok := v.Expr.(*pysrc.Dict); ok && v.Kind == Display && len(d.Keys) == 0 && !v.attributes {
			return Value{} // default={}: the command line fills it
		}
		if v.Kind == Display {
			v.Origin.How = ByOption
		}
		if v.Kind == Literal {
			v.Origin.How = ByOption
			if o.flag { // a flag that is on from the start could not be turned off any more: no edit
				v.Origin.Source, v.Origin.Span = o.site.Module().Source, pysrc.Span{Start: o.site.Node.Start, End: o.site.Node.Start}
			}
		}
		return v
	case o.flag:
		return Value{Kind: Literal, Scalar: Scalar{Type: Bool, Bool: o.on}, Sure: Certain, Origin: Origin{
			Source: o.site.Module().Source, Span: pysrc.Span{Start: o.site.Node.Start, End: o.site.Node.Start}, How: ByOption,
		}}
	case o.isOptional():
		return Value{Kind: Literal, Scalar: Scalar{Type: Null}, Sure: Certain, Origin: Origin{
			Source: o.site.Module().Source, Span: pysrc.Span{Start: o.site.Node.Start, End: o.site.Node.Start}, How: ByOption,
		}}
	}
	return Value{}
}

// isOptional reports an option of argparse that is None where nobody gives it: parser.add_argument("--resume").
func (o option) isOptional() bool {
	if lastName(o.site.Node.Func) != "add_argument" || o.site.Node.Keyword("required") != nil || o.site.Node.Keyword("") != nil || len(o.site.Node.Args) == 0 {
		return false
	}
	if action := o.site.Node.KeywordValue("action"); action != nil {
		if text, _ := pysrc.StringValue(action); text != "store" && text != "append" {
			return false
		}
	}
	name, ok := pysrc.StringValue(o.site.Node.Args[0])
	return ok && strings.HasPrefix(name, "-")
}

// decoratorArgument tells what a decorator passes for a parameter: Hydra's
// settings, click's option.
func (e *Eval) decoratorArgument(f *Function, name string) (Value, bool) {
	for _, d := range f.Decorators() {
		call, ok := d.(*pysrc.Call)
		if !ok {
			continue
		}
		site := f.Module.SiteAt(call)
		if site == nil {
			continue
		}
		callee := e.expr(call.Func, site.scope())
		switch {
		case callee.Name == "hydra.main":
			all := f.Params().All()
			if len(all) == 0 || all[0].Name != name {
				continue
			}
			return e.hydra(site), true
		case callee.Name == "click.option" && optionName(site) == name:
			return e.optionDefault(option{site: site, value: call.KeywordValue("default")}).lessSure(Likely), true
		}
	}
	return Value{}, false
}

// hydra is the settings file that @hydra.main names.
func (e *Eval) hydra(s *Site) Value {
	folder, _ := e.argument(s, "config_path", signature{names: signatures["hydra.main"]}, 0).Str()
	name, ok := e.argument(s, "config_name", signature{names: signatures["hydra.main"]}, 0).Str()
	if !ok && settingsLanguage(folder) != "" { // Hydra before 1.0
		folder, name, ok = "", folder, true
	}
	if !ok {
		return Value{}
	}
	if settingsLanguage(name) == "" {
		name += ".yaml"
	}
	if folder != "" {
		name = folder + "/" + name
	}
	if file := e.p.settingsAt(s.Module(), name); file != nil {
		return keyValue([]*Setting{file.Top}, Likely)
	}
	return Value{}
}
