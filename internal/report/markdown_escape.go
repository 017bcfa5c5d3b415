package report

import (
	"regexp"
	"strings"
	"unicode"

	"saturate/internal/human"
)

// prose writes a text so that Markdown shows its characters and follows none of them; `code` stays code.
func prose(s string) string {
	s = clip(strings.TrimSpace(human.Clean(s)), markdownSentence)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = startOfLine.ReplaceAllString(inline(strings.TrimSpace(l)), `$1\$2$3$4`)
	}
	return strings.Join(lines, "\n")
}

// startOfLine matches what would begin a list, a heading or a rule.
var startOfLine = regexp.MustCompile(`^(\d*)([#+=.)-])([#=-]*)(\s|$)`)

// cell is prose within a table.
func cell(s string) string {
	var b strings.Builder
	for _, sp := range spans(clip(human.Line(s), markdownSentence)) {
		if sp.code {
			b.WriteString(strings.ReplaceAll(codeSpan(sp.text), "|", `\|`))
		} else {
			b.WriteString(escapeMarkdown(sp.text))
		}
	}
	return b.String()
}

func inline(s string) string {
	var b strings.Builder
	for _, sp := range spans(s) {
		if sp.code {
			b.WriteString(codeSpan(sp.text))
		} else {
			b.WriteString(escapeMarkdown(sp.text))
		}
	}
	return b.String()
}

var (
	htmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	// calls are what GitHub turns into a notice to somebody: @name, #12.
	calls = regexp.MustCompile(`([@#])([\pL\pN])`)
)

func htmlText(s string) string { return htmlEscaper.Replace(s) }

func escapeMarkdown(s string) string {
	runes := []rune(s)
	var b strings.Builder
	for i, r := range runes {
		switch {
		case strings.ContainsRune("\\`*[]|~", r), r == '_' && !withinWord(runes, i):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '<' || r == '>' || r == '&':
			b.WriteString(htmlText(string(r)))
		default:
			b.WriteRune(r)
		}
	}
	return calls.ReplaceAllString(b.String(), "$1<!-- -->$2")
}

// withinWord reports whether the underscore at i stands between letters or digits, where it means nothing.
func withinWord(runes []rune, i int) bool {
	word := func(j int) bool {
		return j >= 0 && j < len(runes) && (unicode.IsLetter(runes[j]) || unicode.IsDigit(runes[j]))
	}
	return word(i-1) && word(i+1)
}

// codeSpan puts a text between more backticks than it holds in a row.
func codeSpan(s string) string {
	s = clip(human.Line(s), markdownSentence)
	if strings.TrimSpace(s) == "" {
		return ""
	}
	ticks := strings.Repeat("`", longestRun(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// fenced puts code between fences longer than any run of backticks in it.
func fenced(language, code string) string {
	code = strings.TrimRight(human.Clean(code), "\n")
	fence := strings.Repeat("`", max(longestRun(code)+1, 3))
	return fence + language + "\n" + code + "\n" + fence
}

func longestRun(s string) int {
	longest, run := 0, 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// language names the highlighting of a piece of code where it is plain to see.
func language(code string) string {
	if strings.HasPrefix(code, "--- ") || strings.HasPrefix(code, "diff --git ") {
		return "diff"
	}
	return ""
}
