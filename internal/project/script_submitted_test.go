package project

import "testing"

// A command that submits a program to a cluster gives its options, where it takes the program's own parser.
func TestCommandsOfSubmitters(t *testing.T) {
	program := "import argparse\ndef options():\n    parser = argparse.ArgumentParser()\n    parser.add_argument('--workers', default=4, type=int)\n    return parser\nif __name__ == '__main__':\n    args = options().parse_args()\n    take(args.workers)\n"
	for name, c := range map[string]struct {
		submit, script string
		zero           bool
	}{
		"takes its parser": {"import argparse\nimport train\nparser = argparse.ArgumentParser(parents=[train.options()])\n", "python submit.py --workers 0\n", true},
		"a parser of own":  {"import argparse\nimport train\nparser = argparse.ArgumentParser()\nparser.add_argument('--workers')\n", "python submit.py --workers 0\n", false},
		"evaluates":        {"import argparse\nimport train\nparser = argparse.ArgumentParser(parents=[train.options()])\n", "python submit.py --workers 0\npython train.py --workers 2 --eval\n", true},
		"another value":    {"import argparse\nimport train\nparser = argparse.ArgumentParser(parents=[train.options()])\n", "python submit.py --workers 0\npython train.py --workers 2\n", false},
	} {
		p := loadText(t, map[string]string{"train.py": program, "submit.py": c.submit, "run.sh": c.script})
		e := p.NewEval()
		found := false
		for _, m := range p.Modules {
			for _, s := range m.Sites {
				found = found || lastName(s.Node.Func) == "take" && e.ArgumentAt(s, 0).Equals(0)
			}
		}
		if found != c.zero {
			t.Errorf("%s: known to be 0: %v, want %v", name, found, c.zero)
		}
	}
}
