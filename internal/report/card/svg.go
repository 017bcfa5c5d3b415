package card

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// SVG is the card as a whole file. It has dark colors where the reader's system has.
func (c Card) SVG() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%d" role="img" aria-label="%s">`, Width, Height,
		escape(c.Program+": "+c.Headline+", "+c.Interval))
	b.WriteString("<style>")
	for i, name := range names {
		fmt.Fprintf(&b, ".%s{fill:%s}", name, lightInks[i])
	}
	b.WriteString("@media (prefers-color-scheme:dark){")
	for i, name := range names {
		fmt.Fprintf(&b, ".%s{fill:%s}", name, darkInks[i])
	}
	b.WriteString("}text{font-family:system-ui,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}</style>")
	for _, s := range c.shapes() {
		switch {
		case s.text == "" && s.size == 0:
			fmt.Fprintf(&b, `<rect class="%s" x="%g" y="%g" width="%.1f" height="%g"/>`, names[s.ink], s.x, s.y, s.w, s.h)
		case s.text != "":
			weight, anchor := "", ""
			if s.bold {
				weight = ` font-weight="700"`
			}
			if s.right {
				anchor = ` text-anchor="end"`
			}
			fmt.Fprintf(&b, `<text class="%s" x="%.1f" y="%g" font-size="%g"%s%s>%s</text>`, names[s.ink], s.x, s.y, s.size, weight, anchor, escape(s.text))
		}
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder takes everything
	return b.String()
}
