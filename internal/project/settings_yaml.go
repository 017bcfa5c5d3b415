package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"saturate/internal/pysrc"
)

// mostNodes is how many nodes a settings file may have, aliases followed: a file that expands beyond it is an attack,
// or data.
const mostNodes = 50_000

var errTooBig = errors.New("its aliases expand to more than 50,000 values")

// parseYAML reads a YAML file. The mappings of all its documents become one.
func parseYAML(f *Settings) error {
	y := &yamlReader{file: f}
	f.Top = &Setting{File: f}
	stream := yaml.NewDecoder(bytes.NewReader(f.Text))
	for n := 1; ; n++ {
		var doc yaml.Node
		err := stream.Decode(&doc)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			err = errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
			if f.Top.Kind == MappingSetting {
				return partError{fmt.Errorf("document %d and all later ones were skipped: %w", n, err)}
			}
			return err
		case len(doc.Content) > 0:
			f.Top = join(f.Top, y.read(doc.Content[0], nil))
		}
		if y.count > mostNodes {
			return errTooBig
		}
	}
}

// join merges two documents of a file into one mapping; if one is not a mapping, the later document wins.
func join(top, doc *Setting) *Setting {
	if top.Kind != MappingSetting {
		return doc
	}
	if doc.Kind != MappingSetting {
		return top
	}
	mappings := map[string]*Setting{}
	for _, c := range top.Children {
		if c.Kind == MappingSetting && mappings[c.Key] == nil {
			mappings[c.Key] = c
		}
	}
	for _, c := range doc.Children {
		if own := mappings[c.Key]; own != nil && c.Kind == MappingSetting {
			join(own, c)
			continue
		}
		if c.Parent == doc {
			c.Parent = top
		}
		top.Children = append(top.Children, c)
	}
	return top
}

type yamlReader struct {
	file  *Settings
	count int
	depth int
}

func (y *yamlReader) read(n *yaml.Node, parent *Setting) *Setting {
	s := &Setting{File: y.file, Parent: parent}
	y.count++
	if y.count > mostNodes || y.depth > 200 {
		y.count = mostNodes + 1
		return s
	}
	y.depth++
	defer func() { y.depth-- }()
	switch n.Kind {
	case yaml.AliasNode:
		s = y.read(n.Alias, parent)
	case yaml.MappingNode:
		s.Kind = MappingSetting
		s.Span = y.span(n)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if key.Tag == "!!merge" {
				s.Children = append(s.Children, y.read(value, s).Children...)
				continue
			}
			c := y.read(value, s)
			c.Key, c.KeySpan = key.Value, y.span(key)
			s.Children = append(s.Children, c)
		}
	case yaml.SequenceNode:
		s.Kind = ListSetting
		s.Span = y.span(n)
		for _, item := range n.Content {
			s.Children = append(s.Children, y.read(item, s))
		}
	case yaml.ScalarNode:
		s.Span = y.span(n)
		s.Scalar = yamlScalar(n)
	}
	return s
}

// span is where a scalar is written. Block scalars and collections have only
// their start, which is enough to show them and keeps them from being edited.
func (y *yamlReader) span(n *yaml.Node) pysrc.Span {
	if n.Line < 1 || n.Line > len(y.file.lines) {
		return pysrc.Span{}
	}
	at := y.file.lines[n.Line-1]
	for column := 1; column < n.Column && int(at) < len(y.file.Text); column++ {
		_, size := utf8.DecodeRune(y.file.Text[at:])
		at += int32(size)
	}
	end := at
	text := y.file.Text[at:]
	switch {
	case n.Kind != yaml.ScalarNode || n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		end += int32(quoted(text))
	case strings.HasPrefix(string(text[:min(len(text), len(n.Value))]), n.Value):
		end += int32(len(n.Value))
	}
	return pysrc.Span{Start: at, End: end}
}

// quoted is the length of a quoted string with its quotes, 0 if it does not end.
func quoted(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && text[0] == '"':
			i++
		case text[i] == text[0] && text[0] == '\'' && i+1 < len(text) && text[i+1] == '\'':
			i++
		case text[i] == text[0]:
			return i + 1
		}
	}
	return 0
}

func yamlScalar(n *yaml.Node) Scalar {
	switch n.ShortTag() {
	case "!!null":
		return Scalar{}
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			return Scalar{Type: Bool, Bool: b}
		}
	case "!!int":
		var i int64
		if n.Decode(&i) == nil {
			return Scalar{Type: Int, Int: i}
		}
	case "!!float":
		var f float64
		if n.Decode(&f) == nil && !math.IsNaN(f) {
			return Scalar{Type: Float, Float: f}
		}
	case "!!str":
		if n.Style == 0 { // YAML 1.1, which Python reads: yes and on are true, 1e-4 is a string
			switch strings.ToLower(n.Value) {
			case "yes", "on":
				return Scalar{Type: Bool, Bool: true}
			case "no", "off":
				return Scalar{Type: Bool}
			}
		}
	}
	return Scalar{Type: String, Text: n.Value}
}

// number reads a JSON or TOML number.
func number(text string) (Scalar, error) {
	clean := strings.ReplaceAll(text, "_", "")
	if i, err := strconv.ParseInt(clean, 0, 64); err == nil {
		return Scalar{Type: Int, Int: i}, nil
	}
	if f, err := strconv.ParseFloat(clean, 64); err == nil {
		return Scalar{Type: Float, Float: f}, nil
	}
	return Scalar{}, fmt.Errorf("%.40q is not a number", text)
}
