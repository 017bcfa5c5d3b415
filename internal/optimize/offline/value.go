package offline

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// noValue reports whether an expression gives nothing that can be kept: it stands alone, calls a function that
// returns nothing, or gives a handle whose content is read later.
func (w *work) noValue(fn *project.Function, expr pysrc.Expr, next *project.Function) bool {
	m := fn.Module
	if s, ok := m.StatementAt(expr.Bounds().Start).(*pysrc.ExprStmt); ok && s.Value == expr && fn.Def != nil {
		return true
	}
	call, ok := expr.(*pysrc.Call)
	if !ok {
		return false
	}
	site := m.SiteAt(call)
	if site == nil {
		return false
	}
	if next != nil && slices.ContainsFunc(site.Possible(), func(v project.Value) bool { return v.Func == next }) {
		return next.Def != nil && !next.IsGenerator() && !returnsValue(next)
	}
	return isHandle(site)
}

func returnsValue(f *project.Function) bool {
	found := false
	for _, s := range f.Def.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch n := n.(type) {
			case *pysrc.FunctionDef, *pysrc.ClassDef, *pysrc.Lambda:
				return false
			case *pysrc.Return:
				found = found || n.Value != nil && !pysrc.IsConst(n.Value, pysrc.None)
			}
			return !found
		})
	}
	return found
}

// handles are calls whose result leads to audio but is none: answers of servers, processes, files, buffers.
var handles = []string{
	"requests.", "httpx.", "urllib.request.", "aiohttp.", "subprocess.", "os.system", "os.popen",
	"asyncio.create_subprocess",
	"gtts.", "edge_tts.", "pyttsx3.", "openai.", "elevenlabs.", "boto3.", "google.cloud.", "azure.",
	"io.BytesIO", "tempfile.", "open", "wave.open", "pydub.",
}

func isHandle(s *project.Site) bool {
	name := s.Calls.Name
	if n, ok := s.Node.Func.(*pysrc.Name); ok && n.ID == "open" && s.Calls.Func == nil {
		return true
	}
	switch name {
	case "subprocess.check_output", "subprocess.getoutput":
		return false // the output itself
	}
	switch s.Method() {
	case "read", "readframes", "getvalue", "get_array_of_samples":
		return false
	}
	return name != "" && slices.ContainsFunc(handles, func(h string) bool { return name == h || strings.HasSuffix(h, ".") && strings.HasPrefix(name, h) })
}

// fresh reports a call that gives something new each time, for its result to go through: a buffer, a name for a file.
func fresh(s *project.Site) bool {
	name := s.Calls.Name
	return name == "io.BytesIO" || strings.HasPrefix(name, "tempfile.") || strings.HasPrefix(name, "uuid.") ||
		strings.HasPrefix(name, "time.") || strings.HasPrefix(name, "datetime.")
}

// removesFile reports a call that removes files.
func removesFile(s *project.Site) bool {
	switch s.Calls.Name {
	case "os.remove", "os.unlink", "shutil.rmtree", "os.removedirs":
		return true
	}
	return s.Method() == "unlink"
}

// rateOf looks for how many samples a second the value has: what the function says to others about it, or a
// constant of the module that is named after it.
func (w *work) rateOf(c *cut) string {
	if c.kind == features || c.kind == images || c.fn.Def == nil {
		return ""
	}
	local := localNames(c.fn)
	visible := func(e pysrc.Expr) bool {
		switch e := e.(type) {
		case *pysrc.Constant:
			n, ok := pysrc.IntValue(e)
			return ok && n >= 4000 && n <= 192000
		case *pysrc.Name:
			return !local[e.ID] || c.fn.HasParameter(e.ID)
		case *pysrc.Attribute:
			return pysrc.DottedName(e) != ""
		}
		return false
	}
	for _, s := range c.fn.Sites {
		for _, name := range [...]string{"sampling_rate", "sample_rate", "sr", "rate", "orig_sr", "orig_freq", "samplerate"} {
			if k := s.Node.Keyword(name); k != nil && visible(k.Value) {
				return text(c.module(), k.Value)
			}
		}
	}
	for _, name := range [...]string{"SAMPLE_RATE", "SAMPLING_RATE", "RATE", "SR"} {
		if moduleNames(c.module())[name] {
			return name
		}
	}
	return ""
}

// short is the source of a node on one line.
func short(m *project.Module, n pysrc.Node) string {
	s := strings.Join(strings.Fields(text(m, n)), " ")
	if runes := []rune(s); len(runes) > 60 {
		s = string(runes[:59]) + "…"
	}
	return s
}
