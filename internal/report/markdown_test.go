package report

import "testing"

func TestMarkdownEscapes(t *testing.T) {
	for s, want := range map[string]string{
		"plain num_workers text":  "plain num_workers text",
		"use `num_workers=4` now": "use `num_workers=4` now",
		"one ` tick":              "one \\` tick",
		"*bold* _it_ [a](b) ~x~":  `\*bold\* \_it\_ \[a\](b) \~x\~`,
		"<b> & | \\":              `&lt;b&gt; &amp; \| \\`,
		"# not a heading":         `\# not a heading`,
		"1. not a list":           `1\. not a list`,
		"1.5 s and -5%":           "1.5 s and -5%",
		"-5%":                     "-5%",
		"---":                     `\---`,
		"- not a list\n+ nor":     "\\- not a list\n\\+ nor",
		"ask @user about #12":     "ask @<!-- -->user about #<!-- -->12",
		"    not code":            "not code",
	} {
		if got := prose(s); got != want {
			t.Errorf("prose(%q) = %q, want %q", s, got, want)
		}
	}
	for s, want := range map[string]string{"a": "`a`", "a`b": "``a`b``", "`a`": "`` `a` ``", "a\nb": "`a b`", " ": ""} {
		if got := codeSpan(s); got != want {
			t.Errorf("codeSpan(%q) = %q, want %q", s, got, want)
		}
	}
	if got := cell("a|`b|c`"); got != "a\\|`b\\|c`" {
		t.Errorf("cell: %q", got)
	}
	if got := fenced("", "x\n````\ny"); got != "`````\nx\n````\ny\n`````" {
		t.Errorf("fenced: %q", got)
	}
}
