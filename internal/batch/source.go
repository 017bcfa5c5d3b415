package batch

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"saturate/internal/files"
	"saturate/internal/patch"
	"saturate/internal/probe"
	"saturate/internal/pysrc"
)

// Setting is how the batch size is set in the user's program, and changed.
type Setting struct {
	Changes []patch.Change `json:"-"`                 // of the program or of a settings file
	Command []string       `json:"command,omitempty"` // where it is an argument
	Text    string         `json:"text"`              // what to do, in a sentence
}

// Set finds the number that the batch size comes from and changes it: a literal in the call that makes the loader or
// the trainer's arguments, the one value that its name has in the same file, an argument of the command, or a key of a
// settings file that the command names. Where it is none of them, or several, it says which line to look at.
func Set(dir string, command []string, told probe.BatchTold, own, batch int) Setting {
	file, line, name := placeOf(told)
	if batch == own || own == 0 {
		return Setting{}
	}
	if takesBatch(command) {
		return Setting{Command: withBatch(command, batch), Text: fmt.Sprintf("write %d for %s", batch, Placeholder)}
	}
	shown := file
	if relative, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(relative) {
		shown = relative
	}
	byHand := Setting{Text: fmt.Sprintf("set %s to %d", name, batch)}
	if file != "" {
		byHand.Text += fmt.Sprintf(" (%s:%d)", shown, line)
	}
	src, err := files.Read(file, files.MaxSource)
	if err != nil || shown == file { // code of others is not changed
		return byHand
	}
	f := pysrc.Parse(file, src)
	value := argument(f, line, name)
	if value == nil {
		return byHand
	}
	names := []string{name}
	if n, ok := pysrc.IntValue(value); ok && n == int64(own) {
		return edited(shown, src, value.Bounds(), batch)
	}
	if dotted := pysrc.DottedName(value); dotted != "" {
		last := dotted[strings.LastIndexByte(dotted, '.')+1:]
		names = append(names, last)
		if s, ok := inCommand(command, f, last, own, batch); ok {
			return s
		}
		if found := bound(f, last, own); len(found) == 1 {
			return edited(shown, src, found[0], batch)
		}
	}
	if s, ok := inSettings(dir, command, names, own, batch); ok {
		return s
	}
	return byHand
}

// placeOf is the line of the program that sets the batch size, and what it is called there.
func placeOf(told probe.BatchTold) (file string, line int, name string) {
	if s := told.Setting; s != nil {
		return s.File, s.Line, s.Name
	}
	for _, l := range told.Loaders {
		if told.Trained != nil && l.Number == *told.Trained {
			return l.File, l.Line, "batch_size"
		}
	}
	return "", 0, "batch_size"
}

func edited(path string, src []byte, at pysrc.Span, batch int) Setting {
	fresh := slices.Concat(src[:at.Start], []byte(strconv.Itoa(batch)), src[at.End:])
	return Setting{
		Changes: []patch.Change{{Path: filepath.ToSlash(path), Old: src, New: fresh}},
		Text:    fmt.Sprintf("the patch sets it in %s", path),
	}
}

// argument is the value that a call around a line gives to a keyword; for a DataLoader, its second argument too.
func argument(f *pysrc.File, line int, name string) (value pysrc.Expr) {
	pysrc.Inspect(f.Module, func(n pysrc.Node) bool {
		call, ok := n.(*pysrc.Call)
		if !ok || f.Position(call.Start).Line > line || f.Position(call.End-1).Line < line {
			return true
		}
		if kw := call.Keyword(name); kw != nil {
			value = kw.Value
		} else if strings.HasSuffix(pysrc.DottedName(call.Func), "DataLoader") && len(call.Args) > 1 {
			value = call.Args[1]
		}
		return true
	})
	return value
}

// bound are the numbers of that value that a name stands for in a file: assigned, given as a keyword, or as a default.
func bound(f *pysrc.File, name string, own int) (found []pysrc.Span) {
	take := func(value pysrc.Expr) {
		if value == nil {
			return
		}
		if n, ok := pysrc.IntValue(value); ok && n == int64(own) {
			found = append(found, value.Bounds())
		}
	}
	called := func(e pysrc.Expr) bool {
		dotted := pysrc.DottedName(e)
		return dotted[strings.LastIndexByte(dotted, '.')+1:] == name
	}
	pysrc.Inspect(f.Module, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Assign:
			if slices.ContainsFunc(n.Targets, called) {
				take(n.Value)
			}
		case *pysrc.AnnAssign:
			if called(n.Target) {
				take(n.Value)
			}
		case *pysrc.Call:
			if kw := n.Keyword(name); kw != nil {
				take(kw.Value)
			}
			if kw := n.Keyword("default"); kw != nil && destination(n) == name {
				take(kw.Value)
			}
		case *pysrc.FunctionDef:
			all := slices.Concat(n.Args.PosOnly, n.Args.Args)
			for i, d := range n.Args.Defaults {
				if all[len(all)-len(n.Args.Defaults)+i].Name == name {
					take(d)
				}
			}
			for i, d := range n.Args.KwDefaults {
				if n.Args.KwOnly[i].Name == name {
					take(d)
				}
			}
		}
		return true
	})
	return found
}

// destination is the name that an argument of argparse has in the program.
func destination(call *pysrc.Call) string {
	if !strings.HasSuffix(pysrc.DottedName(call.Func), "add_argument") {
		return ""
	}
	if kw := call.Keyword("dest"); kw != nil {
		name, _ := pysrc.StringValue(kw.Value)
		return name
	}
	for _, a := range call.Args {
		if text, ok := pysrc.StringValue(a); ok && (strings.HasPrefix(text, "--") || !strings.HasPrefix(text, "-")) {
			return identifier(text)
		}
	}
	return ""
}

func identifier(option string) string {
	return strings.ReplaceAll(strings.TrimLeft(option, "-"), "-", "_")
}

// inCommand changes an argument of the command: --batch-size 8, --batch-size=8, batch_size=8, or a short form of it.
func inCommand(command []string, f *pysrc.File, name string, own, batch int) (Setting, bool) {
	options := []string{name}
	pysrc.Inspect(f.Module, func(n pysrc.Node) bool {
		if call, ok := n.(*pysrc.Call); ok && destination(call) == name {
			for _, a := range call.Args {
				if text, ok := pysrc.StringValue(a); ok {
					options = append(options, identifier(text))
				}
			}
		}
		return true
	})
	fresh := slices.Clone(command)
	for i, word := range command {
		option, value, joined := strings.Cut(word, "=")
		if !slices.Contains(options, identifier(option)) {
			continue
		}
		switch {
		case joined && value == strconv.Itoa(own):
			fresh[i] = option + "=" + strconv.Itoa(batch)
		case !joined && i+1 < len(command) && command[i+1] == strconv.Itoa(own):
			fresh[i+1] = strconv.Itoa(batch)
		default:
			continue
		}
		return Setting{Command: fresh, Text: fmt.Sprintf("run it with %s %d", option, batch)}, true
	}
	return Setting{}, false
}

// inSettings changes the one line of the settings files in the command that gives the name the value.
func inSettings(dir string, command, names []string, own, batch int) (Setting, bool) {
	line := regexp.MustCompile(`(?m)^(\s*"?(?:` + strings.Join(names, "|") + `)"?\s*[:=]\s*)` + strconv.Itoa(own) + `(\s*,?\s*(?:#.*)?)$`)
	for _, word := range command {
		path := word[strings.IndexByte(word, '=')+1:]
		if ext := filepath.Ext(path); !slices.Contains([]string{".yaml", ".yml", ".json", ".toml"}, ext) ||
			!filepath.IsLocal(path) {
			continue
		}
		src, err := files.Read(filepath.Join(dir, path), files.MaxSource)
		if err != nil || len(line.FindAll(src, -1)) != 1 {
			continue
		}
		fresh := line.ReplaceAll(src, []byte("${1}"+strconv.Itoa(batch)+"${2}"))
		return Setting{
			Changes: []patch.Change{{Path: filepath.ToSlash(path), Old: src, New: fresh}},
			Text:    "the patch sets it in " + path,
		}, true
	}
	return Setting{}, false
}
