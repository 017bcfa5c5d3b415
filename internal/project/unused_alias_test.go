package project

import (
	"context"
	"testing"
)

// A class is not used by an import that gives its name to another one, by a docstring, or by a function that a module
// defines for a test of itself. One that either branch of an if imports is.
func TestUnusedByName(t *testing.T) {
	p, err := FromSources(context.Background(), map[string][]byte{
		"train.py": []byte(`from parts import Second as First
from parts import step
if __debug__:
    from one import Solver
else:
    from two import Solver
Solver(First())
for x in range(3):
    step(x).backward()
`),
		"parts.py": []byte(`class First:
    first = 1


class Second:
    """Better than First."""
    second = 2


def step(x):
    return x


if __name__ == "__main__":
    def reference(x):
        return First()
    reference(1)
`),
		"one.py": []byte("class Solver:\n    one = 1\n"),
		"two.py": []byte("class Solver:\n    two = 2\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	checkUnused(t, "aliases", p, map[string]bool{"first = 1": true, "second = 2": false, "return First()": true, "return x\n": false, "one = 1": false, "two = 2": false})
}
