package picture

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"saturate/internal/human"
)

// SVG is the picture as a whole file. It has dark colors where the reader's system has.
func (p Picture) SVG() []byte {
	var used [inks]bool
	for _, s := range p.Shapes {
		used[s.Ink] = true
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%d" role="img" aria-label="%s">`, p.Width, p.Height, escape(human.Data(p.Label, 300)))
	b.WriteString("<style>")
	for i, name := range names {
		if used[i] {
			fmt.Fprintf(&b, ".%s{fill:%s}", name, light[i])
		}
	}
	b.WriteString("@media (prefers-color-scheme:dark){")
	for i, name := range names {
		if used[i] && dark[i] != light[i] {
			fmt.Fprintf(&b, ".%s{fill:%s}", name, dark[i])
		}
	}
	b.WriteString("}text{font-family:system-ui,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}</style>")
	for _, s := range p.Shapes {
		if s.Text == "" {
			if s.Size == 0 {
				fmt.Fprintf(&b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, names[s.Ink], short(s.X), short(s.Y), short(s.W), short(s.H))
			}
			continue
		}
		weight, anchor := "", ""
		if s.Bold {
			weight = ` font-weight="700"`
		}
		if s.Right {
			anchor = ` text-anchor="end"`
		}
		fmt.Fprintf(&b, `<text class="%s" x="%s" y="%s" font-size="%g"%s%s>%s</text>`, names[s.Ink], short(s.X), short(s.Y), s.Size, weight, anchor, escape(s.Text))
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// short writes a length to a tenth of a pixel.
func short(v float64) string { return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0") }

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder takes everything
	return b.String()
}
