package project

import (
	"bytes"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// SetTo gives the edit that sets the value, where it is set, to what text says
// in Python: True, 8, "bf16". An argument that is not given is added to the
// call, or to the settings file whose mapping the call unpacks; not where it unpacks another dict.
// The edit has no path when the place is not known or cannot be edited.
func (v Value) SetTo(text string) patch.Edit {
	switch {
	case v.more != nil && v.more.missing != nil && v.more.missing.mapping != nil:
		for _, c := range v.more.missing.mapping.Children {
			if edit := c.AddBefore(v.more.missing.name, text); edit.Path != "" {
				return edit
			}
		}
		return patch.Edit{}
	case v.more != nil && v.more.missing != nil:
		return v.more.missing.site.addArgument(v.more.missing.name, text)
	case v.Origin.How == ByVariable && v.more != nil && v.more.variable != nil && v.more.use.Source != nil &&
		v.more.variable.shared():
		return v.more.use.Source.Edit(v.more.use.Span, text) // the variable serves others too
	case v.Setting != nil:
		return v.Setting.SetTo(text)
	case v.Origin.Source != nil && v.Origin.Span.End > v.Origin.Span.Start:
		return v.Origin.Source.Edit(v.Origin.Span, text)
	}
	return patch.Edit{}
}

// InSettings reports whether a settings file sets the value, or would: there, text is data and not an expression.
func (v Value) InSettings() bool {
	return v.Origin.How == BySettings && v.Setting != nil ||
		v.more != nil && v.more.missing != nil && v.more.missing.mapping != nil
}

// shared reports a variable that is read in more than one place.
func (b *Binding) shared() bool {
	reads := 0
	pysrc.Inspect(b.Scope.Module.File.Module, func(n pysrc.Node) bool {
		if name, ok := n.(*pysrc.Name); ok && name.ID == b.Name && name.Ctx == pysrc.Load {
			reads++
		}
		return reads < 2
	})
	return reads > 1
}

// Edit gives the edit that writes text in place of a span. In a notebook it
// edits the cell's JSON string.
func (s *Source) Edit(span pysrc.Span, text string) patch.Edit {
	if s.Encoded {
		return patch.Edit{}
	}
	if s.cells != nil {
		return s.cells.edit(s.Real(), span, text)
	}
	return patch.Edit{Path: s.Real(), Start: int(span.Start), End: int(span.End), Text: text}
}

// addArgument gives the edit that adds a keyword argument to a call, written as
// its neighbors are: on a line of its own when they have theirs.
func (s *Site) addArgument(name, text string) patch.Edit {
	src := s.Module().Text
	call := s.Node
	closing := call.End - 1
	if closing < 0 || src[closing] != ')' {
		return patch.Edit{}
	}
	if _, hidden := call.Unpacks(); hidden {
		return patch.Edit{} // what is unpacked may come to hold the argument, and twice is an error
	}
	last := call.Func.Bounds()
	if len(call.Args) == 0 && len(call.Keywords) == 0 {
		return s.Module().Edit(pysrc.Span{Start: closing, End: closing}, name+"="+text)
	}
	for _, a := range call.Args {
		if b := a.Bounds(); b.End > last.End {
			last = b
		}
	}
	for _, k := range call.Keywords {
		if b := k.Bounds(); b.End > last.End {
			last = b
		}
	}
	if last.End > closing {
		return patch.Edit{} // f(x for x in y): the generator owns the parentheses
	}
	at := behindParens(src, last.End, closing)
	separator := ", "
	if indent, alone := lineIndent(src, last.Start); alone {
		newline := "\n"
		if strings.Contains(string(src[:at]), "\r\n") {
			newline = "\r\n"
		}
		if end := behindComment(src, at, closing); end > at {
			return s.Module().Edit(pysrc.Span{Start: end, End: end}, newline+indent+name+"="+text+",")
		}
		separator = "," + newline + indent
	}
	return s.Module().Edit(pysrc.Span{Start: at, End: at}, separator+name+"="+text)
}

// behindParens moves past the parentheses that close a parenthesized argument.
func behindParens(src []byte, at, closing int32) int32 {
	for i := at; i < closing; i++ {
		switch src[i] {
		case ')':
			at = i + 1
		case '#':
			for i < closing && src[i] != '\n' {
				i++
			}
		}
	}
	return at
}

// behindComment returns the end of the comment that stands behind an argument and its comma, or 0: the comment
// speaks of that argument and stays with it.
func behindComment(src []byte, at, closing int32) int32 {
	rest := src[at:closing]
	end := bytes.IndexByte(rest, '\n')
	if end < 0 {
		return 0
	}
	line := bytes.TrimRight(rest[:end], "\r")
	if text, comma := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte(",")); !comma ||
		!bytes.HasPrefix(bytes.TrimLeft(text, " \t"), []byte("#")) {
		return 0
	}
	return at + int32(len(line))
}

// lineIndent returns the white space before an offset, and whether nothing else
// stands before it on its line.
func lineIndent(src []byte, at int32) (string, bool) {
	start := at
	for start > 0 && src[start-1] != '\n' && src[start-1] != '\r' {
		start--
	}
	end := start
	for end < at && (src[end] == ' ' || src[end] == '\t') {
		end++
	}
	return string(src[start:end]), end == at
}
