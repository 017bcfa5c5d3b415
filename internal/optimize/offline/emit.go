package offline

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/project"
	"saturate/internal/tts"
)

// emit adds the helper, one for each folder that modules are imported from, the script and its command.
func (w *work) emit(r *Repair, cuts []*cut, places []string, roots map[string]bool) {
	script := "scripts/precompute_features.py"
	has := func(k kind) bool { return slices.Contains(kindsOf(cuts), k) }
	switch {
	case has(speech):
		script = "scripts/precompute_tts.py"
	case has(features):
	case has(prepared):
		script = "scripts/precompute_samples.py"
	case has(images):
		script = "scripts/precompute_images.py"
	case has(audio):
		script = "scripts/precompute_audio.py"
	}
	var folders []string
	for root := range roots {
		folders = append(folders, root)
	}
	sort.Strings(folders)
	home := path.Clean(w.project.Root)
	if home == "." || !within(home, folders[0]) {
		home = folders[0]
	}
	words := append([]string{w.python(), w.typed(path.Join(home, script))}, w.train()...)
	r.Prepare = []Command{{Words: words, Why: "fills the cache once; run it again to resume, or after adding texts"}}
	command := "python " + strings.Join(words[1:], " ")
	from := runtime{
		command: command, script: path.Join(home, script),
		root: relative(path.Join(home, "scripts"), folders[0]),
	}
	from.names = called(cuts)
	from.collates = slices.ContainsFunc(cuts, func(c *cut) bool { return c.way.root == project.Collate })
	if w.vendor {
		from.copied = vendored(w.needed(cuts))
		r.Mel = false // saturate itself is needed to build features
	}
	for _, folder := range folders {
		r.NewFiles = append(r.NewFiles, File{Path: path.Join(folder, helper+".py"), Text: from.helper(w.table(folder, cuts, places))})
		r.Folders = append(r.Folders, path.Join(folder, "offline"))
	}
	r.NewFiles = append(r.NewFiles, File{Path: from.script, Text: from.program()})
	if r.Mel {
		r.Made = w.typed(path.Join(r.Folders[0], "made.json"))
		r.Instructions = append(r.Instructions, "Add --features mel after the script's name to have `saturate mel` build the features: FP16 in one file, half the size, compared with your own. Without it that happens only where your own code would be slow.")
	}
	if !w.vendor {
		listed := w.require(r, home)
		r.Instructions = append(r.Instructions, "Training imports saturate_gpu: install it with `pip install saturate-gpu`"+listed+". `--vendor` writes its code into your project instead.")
	}
	r.Instructions = append([]string{
		"Run once, before training: " + command,
		"Then train as before. What is not cached (a new text) is computed as before, and a line on stderr says so; the same command adds it.",
	}, r.Instructions...)
}

// typed is a path as one types it where training is started: in the root of a project that was loaded by its whole
// path.
func (w *work) typed(name string) string {
	if filepath.IsAbs(w.project.Root) {
		return relative(w.project.Root, name)
	}
	return filepath.ToSlash(name)
}

func within(outer, inner string) bool {
	return outer == inner || strings.HasPrefix(inner, outer+"/")
}

// table is what the helper needs to know of each place, as the lines of a Python dictionary.
func (w *work) table(folder string, cuts []*cut, places []string) string {
	var b strings.Builder
	for i, c := range cuts {
		byFile := map[string][]string{}
		for _, f := range c.funcs {
			at := relative(folder, f.Module.Path)
			byFile[at] = append(byFile[at], f.Name)
		}
		var files []string
		for file, names := range byFile {
			sort.Strings(names)
			for i, n := range names {
				names[i] = strconv.Quote(n)
			}
			files = append(files, fmt.Sprintf("%q: [%s]", file, strings.Join(names, ", ")))
		}
		sort.Strings(files)
		spoken := slices.ContainsFunc(cuts, func(o *cut) bool { return o.kind == speech && o.inner && o.module() == c.module() && inside(o, c) })
		fmt.Fprintf(&b, "        %q: {\"what\": %q, \"code\": {%s}", places[i], c.what(), strings.Join(files, ", "))
		for _, has := range []struct {
			name string
			is   bool
		}{{"wav", (c.kind == speech || c.kind == audio) && !w.vendor}, {"files", c.kind != speech && !spoken}, {"rows", len(c.rows) > 0}, {"inner", c.inner && !w.vendor}, {"mel", c.whisper() && !w.vendor}} {
			if has.is {
				fmt.Fprintf(&b, ", %q: True", has.name)
			}
		}
		if variables := c.variables(); len(variables) > 0 {
			fmt.Fprintf(&b, `, "env": ["%s"]`, strings.Join(variables, `", "`))
		}
		b.WriteString("},\n")
	}
	return b.String()
}

func literal(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

// what names the code that makes a value.
func (c *cut) what() string {
	s := short(c.module(), c.nodes()[0])
	return fmt.Sprintf("%s in %s", strings.ReplaceAll(s, "…", "..."), c.fn.Title())
}

func title(cuts []*cut) string {
	var words []string
	for _, k := range []kind{speech, audio, images, features, prepared} {
		if slices.ContainsFunc(cuts, func(c *cut) bool { return c.kind == k }) {
			words = append(words, map[kind]string{speech: "speech", audio: "decoded audio", images: "decoded images", features: "features", prepared: "samples"}[k])
		}
	}
	list := strings.Join(words, " and ")
	if list == "features" || list == "decoded images" || list == "samples" {
		return list + " are computed once, before training, and read from disk"
	}
	if len(words) > 1 {
		return list + " are computed once, before training, and read from disk"
	}
	return list + " is computed once, before training, and read from disk"
}

// once is what a repair does that makes neither speech nor features.
func once(cuts []*cut) string {
	kinds := kindsOf(cuts)
	has := func(k kind) bool { return slices.Contains(kinds, k) }
	switch {
	case has(speech) || has(features):
		return ""
	case has(prepared):
		return "samples prepared once, before training"
	case has(audio):
		return "audio decoded once, before training"
	}
	return "images decoded once, before training"
}

func kindsOf(cuts []*cut) (list []kind) {
	for _, c := range cuts {
		list = append(list, c.kind)
	}
	return list
}

// describe tells what is kept, and what a reader of the change should know.
func (w *work) describe(r *Repair, cuts []*cut, places []string) {
	for i, c := range cuts {
		r.Findings = append(r.Findings, c.findings...)
		k := Kept{Place: places[i], Where: location(c.module(), c.span()), Inputs: c.inputs}
		for _, d := range c.draws {
			k.Drawn = append(k.Drawn, short(d.fn.Module, d.expr))
		}
		r.Kept = append(r.Kept, k)
		for _, d := range c.draws {
			r.note("%s is drawn as before, in the same order; each of its outcomes is cached", short(d.fn.Module, d.expr))
		}
		for _, name := range c.code {
			if slices.ContainsFunc(samplers, func(s string) bool { return strings.HasPrefix(name, s) }) {
				r.note("%s draws random numbers of its own: each text is now cached in one take, so random numbers after it will differ", name)
			}
		}
		if c.copy {
			r.note("the function removes its file, so it gets a copy")
		}
	}
	r.note("cache keys cover the inputs, your own code and the constants it uses; after an update of the engine, remove the folder offline")
}

func (r *Repair) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(r.Notes, n) {
		r.Notes = append(r.Notes, n)
	}
}

// samplers are engines that speak the same text differently each time.
var samplers = []string{
	"bark.", "transformers.BarkModel", "transformers.VitsModel", "TTS.api.TTS.", "tortoise.", "parler_tts.",
	"chatterbox.", "styletts2.",
	"f5_tts.", "cosyvoice.", "transformers.SpeechT5", "piper.", "melo.",
}

// refuse makes the scaffold and says what to do with it.
func (w *work) refuse(f finding.Finding, way *way, reason string) Refusal {
	r := Refusal{Finding: f, Reason: reason}
	if way == nil || len(way.levels) == 0 {
		return r
	}
	root := way.levels[0]
	at := root.fn.Bounds()
	if root.site != nil {
		at = root.site.Node.Bounds()
	}
	place := fmt.Sprintf("%s:%d", root.fn.Module.Path, root.fn.Module.LineAt(at.Start))
	if way.kind != speech {
		r.Instructions = []string{
			fmt.Sprintf("Move the work of %s (%s) into a function that depends only on its arguments, without the part named above.", root.fn.Title(), place),
			"Run this fix again: it caches the result of that function.",
		}
		return r
	}
	function := "my_tts:speak"
	for _, l := range way.levels[1:] {
		if l.fn.Class == nil && l.fn.Outer == l.fn.Module.Main && l.fn.Def != nil && !l.fn.Def.Async {
			function = l.fn.Module.Name + ":" + l.fn.Name
			break
		}
	}
	script, err := tts.PythonScript(function, "1")
	if err != nil {
		return r
	}
	r.Scaffold = []File{{Path: "scripts/precompute_tts.py", Text: script}}
	r.Instructions = []string{
		fmt.Sprintf("Write your texts to texts.txt, one per line, and let %s(text, voice) return the audio of one text: the bytes or path of a WAV file, or (samples, rate).", function),
		"Run once: python scripts/precompute_tts.py texts.txt -o speech",
		fmt.Sprintf("In %s (%s) read the file that speech/manifest.json lists for the text, and call the engine only for texts it lacks.", root.fn.Title(), place),
	}
	return r
}
