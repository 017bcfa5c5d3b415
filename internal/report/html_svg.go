package report

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// drawing are the elements that a plot may consist of.
var drawing = map[string]bool{
	"svg": true, "g": true, "title": true, "desc": true, "rect": true, "line": true, "path": true,
	"text": true, "tspan": true, "circle": true, "ellipse": true, "polyline": true, "polygon": true,
}

// harmlessSVG reports whether a drawing is one whole svg element that neither runs nor loads anything.
// The page embeds drawings as they are, and a Plot may come from any package.
func harmlessSVG(svg string) bool {
	d := xml.NewDecoder(strings.NewReader(svg))
	depth, roots := 0, 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return depth == 0 && roots == 1
		}
		if err != nil {
			return false
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth == 0 {
				roots++
			}
			if !drawing[t.Name.Local] || depth == 0 && t.Name.Local != "svg" || !harmlessAttributes(t.Attr) {
				return false
			}
			depth++
		case xml.EndElement:
			depth--
		case xml.CharData:
			if depth == 0 && strings.TrimSpace(string(t)) != "" {
				return false
			}
		default: // comments, directives and processing instructions have no place in a plot
			return false
		}
	}
}

func harmlessAttributes(attributes []xml.Attr) bool {
	for _, a := range attributes {
		name := strings.ToLower(a.Name.Local)
		if strings.HasPrefix(name, "on") || name == "href" || name == "src" || name == "style" ||
			strings.Contains(strings.ToLower(a.Value), "url(") {
			return false
		}
	}
	return true
}
