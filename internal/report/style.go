package report

// Style marks words on a terminal. The zero Style marks nothing.
type Style struct{ Color bool }

func (s Style) mark(code, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Strong is for headings and answers.
func (s Style) Strong(text string) string { return s.mark("1", text) }

// Faint is for rules, units and remarks.
func (s Style) Faint(text string) string { return s.mark("2", text) }

// Good is for what went well.
func (s Style) Good(text string) string { return s.mark("1;32", text) }

// Bad is for what went wrong.
func (s Style) Bad(text string) string { return s.mark("1;31", text) }

// Caution is for what needs a second look.
func (s Style) Caution(text string) string { return s.mark("1;33", text) }

// Place is for files and line numbers.
func (s Style) Place(text string) string { return s.mark("36", text) }

// tone is Strong in the colour of a Tone.
func (s Style) tone(t Tone, text string) string {
	switch t {
	case Good:
		return s.Good(text)
	case Bad:
		return s.Bad(text)
	case Unsure:
		return s.Caution(text)
	}
	return s.Strong(text)
}
