package project

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"saturate/internal/pysrc"
)

// command is a line of a script that starts a module, with the options that it gives, by their names with underscores.
type command struct {
	source   *Source
	options  map[string]word
	launcher map[string]word // what stands before the program: accelerate launch --mixed_precision no train.py
	settings map[string]word // those that it changes: DATA.WORKERS 0, data.workers=0
}

// word is a part of a command, without the quotes around it.
type word struct {
	text string
	span pysrc.Span
}

// gatherCommands finds the commands of scripts that start the modules of the project.
func (p *Project) gatherCommands() {
	p.commands = map[*Module][]command{}
	started := map[string][]*Module{}
	for _, m := range p.Modules {
		base := path.Base(slashed(m.Path))
		started[base] = append(started[base], m)
	}
	for _, s := range p.Scripts {
		if roleOfPath(p.relative(s.Path)) == Test {
			continue
		}
		variables := shellVariables{set: map[string]shellVariable{}}
		for _, line := range commands.FindAllIndex(s.Text, -1) {
			words := wordsOf(s.Text[line[0]:line[1]], int32(line[0]))
			if isShell(s.Path) {
				words = variables.inWords(words)
				variables.sets(s.Text[line[0]:line[1]], int32(line[0]))
			}
			if isReadme(s.Path) && !startsProgram(words) {
				continue
			}
			for i, w := range words {
				name := w.text
				if i > 0 && words[i-1].text == "-m" {
					name = strings.ReplaceAll(name, ".", "/") + ".py"
				}
				modules := startedAs(started[path.Base(name)], name)
				if len(modules) == 1 && (name == w.text || strings.HasSuffix("/"+slashed(modules[0].Path), "/"+name)) {
					p.commands[modules[0]] = append(p.commands[modules[0]], command{s, optionsOf(words[i+1:]), optionsOf(words[:i]), settingsIn(words[i+1:])})
					break
				}
			}
		}
	}
}

// startedAs are the modules of one file name that a command may mean: of several, those whose folders it names, too.
func startedAs(modules []*Module, name string) (meant []*Module) {
	name = strings.TrimLeft(path.Clean(name), "./")
	if len(modules) < 2 || !strings.Contains(name, "/") {
		return modules // two of a name: which, is not seen
	}
	for _, m := range modules {
		if strings.HasSuffix("/"+slashed(m.Path), "/"+name) {
			meant = append(meant, m)
		}
	}
	return meant
}

// startsProgram reports a line of a README that is a command, perhaps behind a prompt, and not a tree of files.
func startsProgram(words []word) bool {
	for len(words) > 0 && (words[0].text == "$" || words[0].text == "%" || words[0].text == "!") {
		words = words[1:]
	}
	if len(words) < 2 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(words[0].text, "!./"))
	return unicode.IsLetter(first)
}

// wordsOf takes a command apart as a shell does, apart from what only a shell knows.
func wordsOf(text []byte, offset int32) (list []word) {
	var now []byte
	start, quote := -1, byte(0)
	end := func(at int) {
		if start >= 0 {
			list = append(list, word{string(now), pysrc.Span{Start: offset + int32(start), End: offset + int32(at)}})
		}
		now, start = nil, -1
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
			if start < 0 {
				start = i
			}
		case quote == 0 && c == '\\' && i+1 < len(text) && (text[i+1] == '\n' || text[i+1] == '\r'):
			end(i)
			i++
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';' || c == '|' || c == '&' || c == '>'):
			end(i)
			if c == ';' || c == '|' || c == '&' || c == '>' {
				return list // another command, or a file for what it prints
			}
		default:
			if start < 0 {
				start = i
			}
			now = append(now, c)
		}
	}
	end(len(text))
	return list
}

// optionsOf are the options among the words behind the name of a program, also those with one dash. One without a value
// has an empty text.
func optionsOf(words []word) map[string]word {
	options := map[string]word{}
	for i, w := range words {
		name := strings.TrimLeft(w.text, "-")
		if name == w.text || name == "" || name[0] <= '9' {
			continue
		}
		name, value, given := strings.Cut(name, "=")
		switch {
		case given:
			w = word{value, pysrc.Span{Start: w.span.End - int32(len(value)), End: w.span.End}}
		case i+1 < len(words) && !strings.HasPrefix(words[i+1].text, "-"):
			w = words[i+1]
		default:
			w.text = ""
		}
		options[strings.ReplaceAll(name, "-", "_")] = w
	}
	return options
}

// scripted is the value of an option that all commands give which start its module; Missing where one of them leaves it
// out, and nobody starts it.
func (e *Eval) scripted(o option) Value {
	var names []string
	for _, a := range o.site.Node.Args {
		if name, ok := pysrc.StringValue(a); ok && strings.HasPrefix(name, "-") {
			names = append(names, strings.ReplaceAll(strings.TrimLeft(name, "-"), "-", "_"))
		}
	}
	return e.commanded(o.site.Module(), o, names...)
}

// findStarted hands the commands that start programs on to the modules that declare options for them: train.py may take
// its parser from options.py.
func (p *Project) findStarted() {
	if len(p.commands) == 0 {
		return
	}
	p.started = map[*Module][]command{}
	for _, options := range p.options {
		for _, o := range options {
			m := o.site.Module()
			if _, known := p.started[m]; !known {
				p.started[m] = append(p.commandsAbove(m), p.commandsOfOthers(m, o.site.Func)...)
			}
		}
	}
}

// commandsOfOthers are the commands that start other programs which take the parser of this one: one that submits it to a cluster.
func (p *Project) commandsOfOthers(m *Module, declares *Function) (list []command) {
	if !m.MainGuard || declares == m.Main {
		return nil
	}
	for _, by := range m.ImportedBy {
		if by.Role != Test && slices.ContainsFunc(by.Sites, func(s *Site) bool { return lastName(s.Node.Func) == declares.BaseName() }) {
			list = append(list, p.commands[by]...)
		}
	}
	return list
}

// commandsAbove are the commands that start a module or, where nothing does, the programs that import it.
func (p *Project) commandsAbove(m *Module) (list []command) {
	if len(p.commands[m]) > 0 || m.MainGuard {
		return p.commands[m]
	}
	seen := map[*Module]bool{m: true}
	for queue := []*Module{m}; len(queue) > 0; queue = queue[1:] {
		for _, user := range queue[0].ImportedBy {
			if seen[user] || user.Role == Test {
				continue
			}
			seen[user] = true
			list = append(list, p.commands[user]...)
			queue = append(queue, user)
		}
	}
	return list
}

// Started is the value that all commands which start a module give an option, which the source need not declare;
// Missing where one of them leaves it out.
func (e *Eval) Started(m *Module, name string) Value { return e.commanded(m, option{}, name) }

// SwitchedOn are the places where commands that start a module give an option alone or as true: --fp16, --fp16 True.
func (e *Eval) SwitchedOn(m *Module, name string) (list []Value) {
	commands, declares := e.p.started[m]
	if !declares {
		commands = e.p.commands[m]
	}
	for _, c := range commands {
		if w, given := c.options[name]; given && (w.text == "" || strings.EqualFold(w.text, "true")) {
			list = append(list, e.givenByAll([]command{c}, func(c command) map[string]word { return c.options }, option{flag: true}, name))
		}
	}
	return list
}

// EachStarted are the values that commands which start a module give an option, one for each command that has it.
func (e *Eval) EachStarted(m *Module, name string) (list []Value) {
	commands, declares := e.p.started[m]
	if !declares {
		commands = e.p.commands[m]
	}
	for _, c := range commands {
		if _, given := c.options[name]; given {
			list = append(list, e.givenByAll([]command{c}, func(c command) map[string]word { return c.options }, option{}, name))
		}
	}
	return list
}

// training are the commands that train, where there are some: one with --eval alone does not.
func training(commands []command) (list []command) {
	for _, c := range commands {
		if !slices.ContainsFunc(evaluationSwitches, func(name string) bool {
			w, given := c.options[name]
			return given && (w.text == "" || strings.EqualFold(w.text, "true"))
		}) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return commands
	}
	return list
}

// evaluationSwitches are the options by which programs evaluate instead of training.
var evaluationSwitches = []string{"eval", "evaluate", "eval_only", "evaluate_only", "test_only"}

// commanded is the value that all commands which start a module give an option under one of its names.
func (e *Eval) commanded(m *Module, o option, names ...string) Value {
	commands, declares := e.p.started[m]
	if !declares {
		commands = e.p.commands[m]
	}
	return e.givenByAll(training(commands), func(c command) map[string]word { return c.options }, o, names...)
}

// Launched is the value that all commands which start a module, or the programs that import it, give an option of the
// launcher.
func (e *Eval) Launched(m *Module, name string) Value {
	return e.givenByAll(e.p.commandsAbove(m), func(c command) map[string]word { return c.launcher }, option{}, name)
}

// givenByAll is the value that all commands give an option under one of its names; Missing where one leaves it out.
func (e *Eval) givenByAll(commands []command, options func(command) map[string]word, o option, names ...string) Value {
	missing := Value{Kind: Missing}
	var values []Value
	for _, c := range commands {
		at := slices.IndexFunc(names, func(name string) bool { _, given := options(c)[name]; return given })
		if at < 0 {
			return missing
		}
		w := options(c)[names[at]]
		v := Value{Kind: Literal, Sure: Certain, Origin: Origin{Source: c.source, Span: w.span, How: ByScript}}
		switch {
		case o.flag:
			v.Scalar = Scalar{Type: Bool, Bool: !o.on}
			v.Origin.Span.End = v.Origin.Span.Start // nothing to write there
		case w.text == "" || strings.ContainsAny(w.text, "$`*{"):
			v = Value{}
		default:
			v.Scalar = scalarOfWord(w.text)
		}
		if isReadme(c.source.Path) {
			v.Origin.Span.End = v.Origin.Span.Start // what it shows, nobody runs from there
		}
		values = append(values, v)
	}
	if len(values) == 0 {
		return missing
	}
	return merge(values)
}

func scalarOfWord(text string) Scalar {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Scalar{Type: Int, Int: n, Text: text}
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return Scalar{Type: Float, Float: f, Text: text}
	}
	switch strings.ToLower(text) {
	case "true", "false":
		return Scalar{Type: Bool, Bool: strings.EqualFold(text, "true")}
	}
	return Scalar{Type: String, Text: text}
}
