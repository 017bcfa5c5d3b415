package rule

import (
	"slices"

	"saturate/internal/project"
)

// Since is the version of a library that a rule's advice needs.
type Since struct {
	Library, Version string
	// Lacks says what older versions cannot do: "has no fused optimizers". If it is empty, the finding is withheld there:
	// nobody upgrades for it.
	Lacks string
	// Then is what to do after the upgrade: "pass fused=True".
	Then string
}

// AnyVersion marks a finding whose advice can be followed with every version, unlike most of its rule.
func (r *Report) AnyVersion() *Report {
	r.anyVersion = true
	return r
}

// Needing replaces the version that the rule's advice needs, for a case that needs another.
func (r *Report) Needing(since Since) *Report {
	r.needs = &since
	return r
}

// within withholds or rewords findings whose advice the project's versions cannot follow.
func (j *judge) within(versions func() *project.Versions) {
	for _, since := range j.rule.Since {
		if len(j.reports) == 0 {
			return
		}
		kept := j.reports[:0]
		for _, r := range j.reports {
			since := since
			if r.needs != nil && r.needs.Library == since.Library {
				since = *r.needs
			}
			if bound := versions().Bound(since.Library, since.Version); bound != nil && !r.anyVersion {
				if since.Lacks == "" {
					continue
				}
				r.outdated(since, bound)
			}
			kept = append(kept, r)
		}
		j.reports = kept
	}
}

// outdated says that the library must be upgraded first. A fix would break the program.
func (r *Report) outdated(since Since, bound *project.Requirement) {
	r.anyVersion = true // one upgrade is enough
	r.finding.Message += ", and " + bound.String() + " " + since.Lacks
	r.finding.Advice = "Require " + since.Library + " " + since.Version + " or later, then " + since.Then + "."
	r.finding.Fixes = nil
}

// lightningAtLeast is AtLeast for Lightning, which has two names.
func (p *SourcePass) lightningAtLeast(version string) project.Answer {
	return lightningAtLeast(p.versions(), version)
}

func lightningAtLeast(v *project.Versions, version string) project.Answer {
	if answer := v.AtLeast("pytorch-lightning", version); answer != project.Maybe {
		return answer
	}
	return v.AtLeast("lightning", version)
}

// lightningHalf is how Lightning's precision is set to 16 bits: before 2.0 it has another name, before 1.5 there is only
// float16.
func lightningHalf(v *project.Versions) (value, title string) {
	switch {
	case lightningAtLeast(v, "1.5") == project.No:
		return "16", "compute in float16"
	case lightningAtLeast(v, "2.0") == project.No:
		return `"bf16"`, "compute in bfloat16"
	}
	return `"bf16-mixed"`, "compute in bfloat16"
}

// lightningHalf is how a settings file sets Lightning's precision to 16 bits.
func (p *SettingsPass) lightningHalf() string {
	value, _ := lightningHalf(p.Project.VersionsAbove(p.File.Path))
	return value
}

// versions is what the files above this module and the names that its program uses say about libraries.
func (p *SourcePass) versions() *project.Versions {
	if p.shared.versions == nil {
		p.shared.versions = p.Project.VersionsAbove(p.Module.Path)
		if written := p.Project.WrittenFor(p.Module); len(written) > 0 && len(p.shared.versions.Installed) == 0 {
			p.shared.versions = &project.Versions{Required: slices.Concat(p.shared.versions.Required, written)}
		}
	}
	return p.shared.versions
}
