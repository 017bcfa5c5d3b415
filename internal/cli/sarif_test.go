package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"saturate/internal/project"
	"saturate/internal/report"
	"saturate/internal/rule"
	"saturate/internal/view"
)

// A scan of every rule's examples is SARIF by the standard's schema and has what GitHub asks of a file that it shows:
// https://docs.github.com/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
func TestSARIFForGitHub(t *testing.T) {
	p, err := project.Load(context.Background(), []string{"../rule/testdata"}, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	result, err := rule.OnSource(context.Background(), p, rule.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := report.Render(&b, view.OfScan(p, result, 0, false), "sarif", report.Options{Version: "1.2.3"}); err != nil {
		t.Fatal(err)
	}
	doc, err := sarif.FromBytes(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	run := doc.Runs[0]
	run.Language, run.NewlineSequences, run.Tool.Driver.Language = "en-US", []string{"\n"}, "en-US"
	if err := doc.Validate(); err != nil {
		t.Error(err)
	}
	for _, r := range run.Tool.Driver.Rules {
		if len(*r.Name) > 255 || tooShortOrLong(*r.ShortDescription.Text) || tooShortOrLong(*r.FullDescription.Text) {
			t.Errorf("%s: name or description is empty or too long", *r.ID)
		}
		if !strings.HasSuffix(*r.ShortDescription.Text, ".") || !strings.Contains(*r.Help.Text, "Why: ") ||
			!strings.Contains(*r.Help.Markdown, "**Why:**") {
			t.Errorf("%s: %q, help %q", *r.ID, *r.ShortDescription.Text, *r.Help.Markdown)
		}
		if u, err := url.Parse(*r.HelpURI); err != nil || u.Scheme != "https" || u.Host == "" {
			t.Errorf("%s: helpUri %s", *r.ID, *r.HelpURI)
		}
	}
	fixes := 0
	for _, r := range run.Results {
		region := r.Locations[0].PhysicalLocation.Region
		if region == nil || *region.StartLine < 1 || r.PartialFingerprints["primaryLocationLineHash"] == "" {
			t.Errorf("%s: no line or no fingerprint in %s", *r.RuleID, *r.Locations[0].PhysicalLocation.ArtifactLocation.URI)
		}
		fixes += len(r.Fixes)
	}
	if len(run.Results) < 100 || fixes < 80 {
		t.Errorf("%d results, %d repairs", len(run.Results), fixes)
	}
	var tags struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Rules []struct {
						Properties struct{ Tags []string }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &tags); err != nil {
		t.Fatal(err)
	}
	for _, r := range tags.Runs[0].Tool.Driver.Rules {
		if n := len(r.Properties.Tags); n == 0 || n > 10 {
			t.Errorf("%d tags", n)
		}
	}
}

// tooShortOrLong reports a description that GitHub would not show whole.
func tooShortOrLong(text string) bool {
	return text == "" || strings.HasSuffix(text, "…") || utf8.RuneCountInString(text) > 1024
}
