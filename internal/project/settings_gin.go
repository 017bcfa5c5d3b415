package project

import (
	"regexp"
	"strings"

	"saturate/internal/pysrc"
)

// Gin's files give parameters of functions and classes that the program has made configurable:
//
//	WORKERS = 0
//	train/make_loader.num_workers = %WORKERS

// ginLine is a binding or a macro: what is bound, without its scope, and the value. A value may start in the next line.
var ginLine = regexp.MustCompile(`(?m)^[ \t]*(?:[\w.\-]+/)*([\w.]+)[ \t]*=\s*(\\\n\s*)?([^\n]*)`)

// ginBinding is a value that gin gives a parameter.
type ginBinding struct {
	of   string // the configurable, as dotted as it is written
	node *Setting
}

// parseGin reads the scalars of a file as settings: each binding is a child of the top, with the whole name as its key.
func parseGin(f *Settings) error {
	f.Top = &Setting{File: f, Kind: MappingSetting}
	macros := map[string]Scalar{}
	for _, at := range ginLine.FindAllSubmatchIndex(f.Text, -1) {
		text := ginText(string(f.Text[at[6]:at[7]]))
		value, ok := ginScalar(text)
		if name, macro := strings.CutPrefix(text, "%"); macro {
			value, ok = macros[name]
		}
		if !ok {
			continue
		}
		key := string(f.Text[at[2]:at[3]])
		if !strings.Contains(key, ".") {
			macros[key] = value
			continue
		}
		f.Top.Children = append(f.Top.Children, &Setting{
			File: f, Parent: f.Top, Key: key, Scalar: value,
			KeySpan: pysrc.Span{Start: int32(at[2]), End: int32(at[3])},
			Span:    pysrc.Span{Start: int32(at[6]), End: int32(at[6] + len(text))},
		})
	}
	return nil
}

// ginText is a value without the comment behind it.
func ginText(line string) string {
	if i := strings.IndexByte(line, '#'); i >= 0 && !strings.ContainsAny(line[:i], `"'`) {
		line = line[:i]
	}
	return strings.TrimRight(line, " \t\r")
}

// ginScalar reads a literal of Python.
func ginScalar(text string) (Scalar, bool) {
	switch text {
	case "":
		return Scalar{}, false
	case "True", "False":
		return Scalar{Type: Bool, Bool: text == "True"}, true
	case "None":
		return Scalar{Type: Null}, true
	}
	if n := len(text); n > 1 && (text[0] == '\'' || text[0] == '"') && text[n-1] == text[0] {
		return Scalar{Type: String, Text: text[1 : n-1]}, true
	}
	s, err := number(text)
	return s, err == nil
}

// gatherGin lists what gin's files bind, by the parameter's name.
func (p *Project) gatherGin() {
	for _, f := range p.gin {
		if roleOfPath(p.relative(f.Path)) == Test {
			continue
		}
		for _, node := range f.Top.Children {
			dot := strings.LastIndexByte(node.Key, '.')
			if p.ginBound == nil {
				p.ginBound = map[string][]ginBinding{}
			}
			p.ginBound[node.Key[dot+1:]] = append(p.ginBound[node.Key[dot+1:]], ginBinding{node.Key[:dot], node})
		}
	}
}

// ginDefault is the value that gin gives a parameter which the caller does not, Missing where it gives none.
func (e *Eval) ginDefault(f *Function, parameter string) Value {
	bound := e.p.ginBound[parameter]
	if len(bound) == 0 {
		return Value{Kind: Missing}
	}
	decorators, name := f.Decorators(), f.BaseName()
	if f.Class != nil && f.BaseName() == "__init__" {
		decorators, name = f.Class.Def.Decorators, f.Class.Name
	}
	configurable := false
	for _, d := range decorators {
		call, ok := d.(*pysrc.Call)
		if ok {
			d = call.Func
		}
		if last := lastName(d); last != "configurable" && last != "register" || !f.Module.imports["gin"] {
			continue
		}
		configurable = true
		if ok && len(call.Args) > 0 {
			if said, ok := pysrc.StringValue(call.Args[0]); ok {
				name = LastOf(said)
			}
		}
	}
	if !configurable && !e.p.ginExternal()[name] {
		return Value{Kind: Missing}
	}
	return ginValue(bound, name)
}

// ginArgument is the value that gin gives a parameter of what a library brings, where the project makes it configurable.
func (e *Eval) ginArgument(s *Site, parameter string) Value {
	bound := e.p.ginBound[parameter]
	if len(bound) == 0 {
		return Value{Kind: Missing}
	}
	callee := e.callee(s)
	if callee.Func != nil || callee.Class != nil || callee.Name == "" || !e.p.ginExternal()[LastOf(callee.Name)] {
		return Value{Kind: Missing}
	}
	return ginValue(bound, LastOf(callee.Name))
}

// ginValue merges what the bindings of a configurable give.
func ginValue(bound []ginBinding, name string) Value {
	var values []Value
	for _, b := range bound {
		if LastOf(b.of) == name {
			values = append(values, b.node.Value().lessSure(Likely))
		}
	}
	if len(values) == 0 || len(values) > mostCallers {
		return Value{Kind: Missing}
	}
	return merge(values)
}

// ginExternal are the last parts of the names that the project hands to gin.external_configurable.
func (p *Project) ginExternal() map[string]bool {
	p.ginOnce.Do(func() {
		p.ginNames = map[string]bool{}
		for _, m := range p.Modules {
			for _, s := range m.Sites {
				if s.Method() == "external_configurable" && len(s.Node.Args) > 0 {
					p.ginNames[lastName(s.Node.Args[0])] = true
				}
			}
		}
	})
	return p.ginNames
}
