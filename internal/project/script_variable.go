package project

import (
	"bytes"
	"maps"
	"path/filepath"
	"regexp"
	"strings"

	"saturate/internal/pysrc"
)

// shellVariable is what a script sets a variable to: WORKERS=4, export ARGS="--fp16 --workers 4", ARGS=(--fp16 --workers 4).
type shellVariable struct {
	words []word // several of a list, or of a text that holds options
	known bool   // not by another program or an argument, and the same in every turn and every arm
}

// shellVariables follows a script line by line, and knows what its variables hold.
type shellVariables struct {
	set   map[string]shellVariable
	arms  []map[string]shellVariable // what they held before each if and case around the line
	inSet bool                       // a list of several lines
	list  string                     // its name
}

// sets reads the assignments of a line.
func (v *shellVariables) sets(line []byte, offset int32) {
	if v.inSet {
		v.addToList(line, offset)
		return
	}
	from, maybe := 0, false
	for i, quote := 0, byte(0); i <= len(line); i++ {
		switch {
		case i == len(line) || quote == 0 && (line[i] == ';' || line[i] == '&' || line[i] == '|'):
			v.one(line[from:i], offset+int32(from), maybe)
			if maybe = i+1 < len(line) && line[i] != ';' && line[i+1] == line[i]; maybe {
				i++
			}
			from = i + 1
		case quote == 0 && line[i] == '(' && i > 0 && line[i-1] == '=':
			v.one(line[from:], offset+int32(from), maybe)
			return
		case quote != 0 && line[i] == quote:
			quote = 0
		case quote == 0 && (line[i] == '"' || line[i] == '\''):
			quote = line[i]
		}
	}
}

// one reads one of the commands of a line; maybe tells that it runs only if the one before did, or did not.
func (v *shellVariables) one(line []byte, offset int32, maybe bool) {
	first, rest, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	switch first {
	case "if", "case":
		v.arms = append(v.arms, maps.Clone(v.set))
	case "fi", "esac":
		v.leave()
	case "for":
		v.turn(rest)
	case "read":
		for _, name := range strings.Fields(rest) {
			v.set[name] = shellVariable{}
		}
	}
	found := shellAssignment.FindSubmatchIndex(line)
	if found == nil {
		return
	}
	name, from := string(line[found[2]:found[3]]), found[1]
	switch {
	case maybe:
		v.set[name] = shellVariable{}
	case bytes.HasPrefix(line[from:], []byte("(")):
		v.inSet, v.list = true, name
		v.set[name] = shellVariable{known: true}
		v.addToList(line[from+1:], offset+int32(from+1))
	default:
		v.assign(name, line[from:], offset+int32(from))
	}
}

// shellAssignment is the beginning of a command that sets a variable.
var shellAssignment = regexp.MustCompile(`^\s*(?:(?:then|else|do|[^()\s=]*\))\s+)?(?:export\s+|local\s+|readonly\s+|declare\s+(?:-[a-z]+\s+)?|:\s+"?\$\{)?([A-Za-z_][A-Za-z_0-9]*)(?::?=)`)

// assign notes what a variable is set to by the text behind its name.
func (v *shellVariables) assign(name string, text []byte, offset int32) {
	words := wordsOf(text, offset)
	if len(words) == 0 || strings.ContainsRune(" \t\r\n", rune(text[0])) {
		v.set[name] = shellVariable{known: true} // nothing
		return
	}
	value := v.expand(words[0])
	value.text = strings.TrimSuffix(value.text, "}") // : ${WORKERS:=4}
	held := shellVariable{words: []word{value}, known: !strings.ContainsAny(value.text, "$`")}
	if options := strings.Fields(value.text); len(options) > 1 && strings.HasPrefix(options[0], "-") {
		held.words = nil
		for _, option := range options {
			held.words = append(held.words, word{option, pysrc.Span{Start: value.span.Start, End: value.span.Start}})
		}
	}
	v.set[name] = held
}

// addToList adds what a line has of a list to its variable, up to the closing parenthesis.
func (v *shellVariables) addToList(line []byte, offset int32) {
	end := bytes.IndexByte(line, ')')
	if end >= 0 {
		line, v.inSet = line[:end], false
	}
	held := v.set[v.list]
	for _, w := range wordsOf(line, offset) {
		held.words = append(held.words, v.expand(w))
	}
	v.set[v.list] = held
}

// turn notes the variable of a loop: for workers in 2 4; do. With several values it is not known.
func (v *shellVariables) turn(rest string) {
	fields := strings.Fields(rest)
	if len(fields) < 3 || fields[1] != "in" {
		return
	}
	one := len(fields) == 3
	v.set[fields[0]] = shellVariable{words: []word{{text: fields[2]}}, known: one && !strings.ContainsAny(fields[2], "$`*{")}
}

// leave forgets, behind an if or case, what its arms set in different ways.
func (v *shellVariables) leave() {
	if len(v.arms) == 0 {
		return
	}
	before := v.arms[len(v.arms)-1]
	v.arms = v.arms[:len(v.arms)-1]
	for name, now := range v.set {
		if was, set := before[name]; !set || !sameWords(was.words, now.words) || was.known != now.known {
			v.set[name] = shellVariable{}
		}
	}
}

func sameWords(a, b []word) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].text != b[i].text {
			return false
		}
	}
	return true
}

// inWords puts what variables hold into the words of a command. A variable alone may hold several options.
func (v *shellVariables) inWords(words []word) []word {
	var list []word
	for _, w := range words {
		if name := shellVariableAlone.FindStringSubmatch(w.text); name != nil {
			if held := v.set[name[1]]; held.known && len(held.words) != 1 {
				list = append(list, held.words...)
				continue
			}
		}
		list = append(list, v.expand(w))
	}
	return list
}

// shellVariableAlone is a word that is a variable: $ARGS, ${ARGS[@]}.
var shellVariableAlone = regexp.MustCompile(`^\$\{?([A-Za-z_][A-Za-z_0-9]*)(?:\[[@*]\])?\}?$`)

// shellVariableUse is $NAME, ${NAME}, ${NAME:-default} and ${1:-default}.
var shellVariableUse = regexp.MustCompile(`\$(?:([A-Za-z_][A-Za-z_0-9]*)|\{([A-Za-z_][A-Za-z_0-9]*|[0-9])(:?[-=]([^${}]*))?\})`)

// expand puts what variables hold into a word. Its place is that of the value where the word is nothing else.
func (v *shellVariables) expand(w word) word {
	if !strings.Contains(w.text, "$") {
		return w
	}
	place := w.span
	text := shellVariableUse.ReplaceAllStringFunc(w.text, func(use string) string {
		part := shellVariableUse.FindStringSubmatch(use)
		held, set := v.set[part[1]+part[2]]
		switch {
		case set && held.known && len(held.words) == 1 && held.words[0].text != "":
			if use == w.text && held.words[0].span.End > 0 {
				place = held.words[0].span
			}
			return held.words[0].text
		case part[3] != "" && (!set || held.known):
			return part[4] // unless somebody sets it
		}
		return use
	})
	if place == w.span && text != w.text {
		place.End = place.Start // nothing to write there
	}
	return word{text, place}
}

// isShell reports a script whose lines a shell runs, or a README that shows some.
func isShell(name string) bool {
	switch filepath.Ext(name) {
	case ".sh", ".bash", ".slurm", ".sbatch":
		return true
	}
	return isReadme(name)
}
