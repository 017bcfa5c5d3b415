package tune

import (
	"fmt"

	"saturate/internal/tune/setting"
)

// seen is what was read back of one setting in the run that counts.
type seen struct {
	applied, changed, end *setting.Observation
}

func seenOf(name string, all []setting.Observation) (s seen) {
	for i := range all {
		o := &all[i]
		if o.Setting != name {
			continue
		}
		switch o.When {
		case "applied":
			s.applied = o
		case "changed":
			s.changed = o
		case "exit":
			s.end = o
		}
	}
	return s
}

// last is the newest reading, nil where there is none.
func (s seen) last() *setting.Observation {
	if s.end != nil {
		return s.end
	}
	return s.applied
}

// observe takes what was read back of the setting in the run that counts.
func (l *Line) observe(all []setting.Observation) {
	s := seenOf(l.Name, all)
	last := s.last()
	switch {
	case s.changed != nil && s.end == nil && s.changed.Error == "":
		l.State, l.AtEnd, l.Problem = Overwritten, shown(s.changed.Read), "reset by the control file"
	case last == nil:
		l.State, l.Problem = NotReached, "the program did not import its library"
	case s.applied == nil && last.InEffect == nil:
		l.State, l.Problem = NotReached, "the program did not import its library"
		if last.Error != "" {
			l.Problem = last.Error
		}
	default:
		l.take(s)
		l.judge(s)
	}
}

// take fills in the values as they were read.
func (l *Line) take(s seen) {
	if s.applied != nil {
		l.Applied = shown(s.applied.Read)
		if l.Requested == "" {
			l.Requested = shown(s.applied.Requested)
		}
	}
	if s.end != nil {
		l.AtEnd = shown(s.end.Read)
	}
	for _, o := range []*setting.Observation{s.applied, s.end} {
		if o == nil {
			continue
		}
		if o.Effect != nil {
			l.Acts = shown(o.Effect)
		}
		if o.Error != "" {
			l.Problem = o.Error
		}
	}
}

// judge says whether the setting is in effect, and why not where that is known.
func (l *Line) judge(s seen) {
	last := s.last()
	was, is := inEffect(s.applied), inEffect(last)
	idle := last.Acts != nil && !*last.Acts // nothing acts as if it were set
	switch {
	case was == no && s.applied.Error != "" || was == unknown && is == unknown && l.Problem != "":
		l.State = Failed
	case was == yes && is == no:
		l.State = Overwritten
		l.Problem = fmt.Sprintf("read back as %s, and as %s at the end: the program sets it", l.Applied, l.AtEnd)
	case is == no && l.neverUsed(s):
		l.State, l.Problem = NotReached, "the program did not use it: "+shown(last.Read)
	case is == no:
		l.State = NotInEffect
		if l.Problem == "" {
			l.Problem = "reads back as " + shown(last.Read)
		}
	case idle && is == yes:
		l.State, l.Problem = NotInEffect, "reads back, but has no effect: "+shown(last.Effect)
	case idle:
		l.State, l.Problem = NotInEffect, "no effect seen: "+shown(last.Effect)
	case is == yes && last.Theirs:
		l.State, l.Problem = ByProgram, "already set by the program"
	case is == yes:
		l.State = InEffect
	case last.Acts != nil: // nothing to read, but the process shows it, as which library malloc is of
		l.State, l.AtEnd = InEffect, shown(last.Effect)
	default:
		l.State = unreadable
	}
}

// neverUsed is true of a setting that changes what the program does, where the program did not do it.
func (l *Line) neverUsed(s seen) bool {
	return l.Hooked && s.applied != nil && s.applied.Error == "" && inEffect(s.applied) == unknown
}

type answer int

const (
	unknown answer = iota
	yes
	no
)

func inEffect(o *setting.Observation) answer {
	switch {
	case o == nil || o.InEffect == nil:
		return unknown
	case *o.InEffect:
		return yes
	}
	return no
}
