package project

import "testing"

// Sets are the same however they were put together, and meet what they hold.
func TestDependencies(t *testing.T) {
	d := newDependencies(0)
	a, b, c := &Function{}, &Function{}, &Site{}
	both := d.join(d.of(a), d.of(b))
	if again := d.join(d.of(b), d.join(d.of(a), d.of(b))); again != both {
		t.Errorf("the set of two is %d, and %d when one is added again", both, again)
	}
	if d.join(0, both) != both || d.join(both, 0) != both {
		t.Error("the empty set adds something")
	}
	all := d.join(both, d.of(c))
	for _, test := range []struct {
		set     hangsOn
		changed []any
		meets   bool
	}{
		{both, []any{a}, true},
		{both, []any{c}, false},
		{all, []any{c}, true},
		{all, []any{&Site{}}, false}, // which no answer asked
		{0, []any{a, b, c}, false},
		{onTooMuch, nil, true},
	} {
		if got := d.meeting(test.changed)(test.set); got != test.meets {
			t.Errorf("set %v meets %d changes: %v", d.sets[test.set], len(test.changed), got)
		}
	}
}

// An answer that hangs on very much is asked again whatever changes.
func TestTooManyDependencies(t *testing.T) {
	d := newDependencies(0)
	set := hangsOn(0)
	for range mostHangsOn {
		set = d.join(set, d.of(&Site{}))
	}
	if set == onTooMuch {
		t.Fatalf("%d are too much", mostHangsOn)
	}
	if d.join(set, d.of(&Site{})) != onTooMuch {
		t.Fatalf("%d are not too much", mostHangsOn+1)
	}
}
