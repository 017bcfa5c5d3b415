package project

import (
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"saturate/internal/pysrc"
)

// parseTOML reads a TOML file.
func parseTOML(f *Settings) error {
	f.Top = &Setting{File: f, Kind: MappingSetting}
	var p unstable.Parser
	p.Reset(f.Text)
	table := f.Top
	for p.NextExpression() {
		switch n := p.Expression(); n.Kind {
		case unstable.Table:
			table = f.Top.descend(n.Key())
		case unstable.ArrayTable:
			list := f.Top.descend(n.Key())
			list.Kind = ListSetting
			table = &Setting{File: f, Parent: list, Kind: MappingSetting, Span: list.KeySpan}
			list.Children = append(list.Children, table)
		case unstable.KeyValue:
			table.keep(n)
		}
	}
	if err := p.Error(); err != nil {
		var at *unstable.ParserError
		if errors.As(err, &at) {
			return errors.New(at.Message)
		}
		return err
	}
	return nil
}

// descend follows a dotted key down from s and creates missing tables.
func (s *Setting) descend(key unstable.Iterator) *Setting {
	for key.Next() {
		n := key.Node()
		if s.Kind == ListSetting && len(s.Children) > 0 {
			s = s.Children[len(s.Children)-1]
		}
		s.Kind = MappingSetting
		next := s.Child(string(n.Data))
		if next == nil {
			next = &Setting{File: s.File, Parent: s, Key: string(n.Data), KeySpan: tomlSpan(n), Kind: MappingSetting}
			s.Children = append(s.Children, next)
		}
		s = next
	}
	return s
}

// keep puts a key and its value into a table.
func (s *Setting) keep(n *unstable.Node) {
	s.descend(n.Key()).take(n.Value())
}

func (s *Setting) take(n *unstable.Node) {
	s.Span = tomlSpan(n)
	switch n.Kind {
	case unstable.InlineTable:
		s.Kind = MappingSetting
		for it := n.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				s.keep(it.Node())
			}
		}
		return
	case unstable.Array:
		s.Kind = ListSetting
		for it := n.Children(); it.Next(); {
			if it.Node().Kind == unstable.Comment {
				continue
			}
			c := &Setting{File: s.File, Parent: s}
			c.take(it.Node())
			s.Children = append(s.Children, c)
		}
		return
	}
	s.Kind = ScalarSetting
	text := string(n.Data)
	switch n.Kind {
	case unstable.Bool:
		s.Scalar = Scalar{Type: Bool, Bool: text == "true"}
	case unstable.Integer, unstable.Float:
		v, err := number(strings.TrimPrefix(text, "+"))
		if err != nil {
			v = Scalar{Type: String, Text: text}
		}
		s.Scalar = v
	default:
		s.Scalar = Scalar{Type: String, Text: text}
	}
}

func tomlSpan(n *unstable.Node) pysrc.Span {
	if n.Kind == unstable.InlineTable || n.Kind == unstable.Array {
		return pysrc.Span{Start: int32(n.Raw.Offset), End: int32(n.Raw.Offset)}
	}
	return pysrc.Span{Start: int32(n.Raw.Offset), End: int32(n.Raw.Offset + n.Raw.Length)}
}
