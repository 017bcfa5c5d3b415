package project

import "testing"

// taken returns the value that a program gives take.
func valueTaken(t *testing.T, files map[string]string) (v Value) {
	p := loadText(t, files)
	e := p.NewEval()
	for _, m := range p.Modules {
		for _, s := range m.Sites {
			if lastName(s.Node.Func) == "take" {
				v = e.ArgumentAt(s, 0)
			}
		}
	}
	return v
}

// Of what several arms set, the one counts that options and defaults choose: it sets 0, the others 4. A near miss is not known.
func TestArmsTaken(t *testing.T) {
	const options = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--mode', default='b')\nparser.add_argument('--debug', action='store_true')\nargs = parser.parse_args()\n"
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"chain":         {options + "if args.mode == 'a':\n    n = 4\nelif args.mode == 'b':\n    n = 0\nelse:\n    n = 4\ntake(n)\n", true},
		"another arm":   {options + "if args.mode == 'a':\n    n = 0\nelif args.mode == 'b':\n    n = 4\ntake(n)\n", false},
		"left as it is": {options + "n = 0\nif args.debug:\n    n = 4\ntake(n)\n", true},
		"set anew":      {options + "n = 4\nif not args.debug:\n    n = 0\ntake(n)\n", true},
		"in a function": {options + "def run(args):\n    n = 0\n    if args.debug:\n        n = 4\n    take(n)\nrun(args)\n", true},
		"not an option": {"import other\nif other.mode == 'a':\n    n = 4\nelse:\n    n = 0\ntake(n)\n", false},
		"in a loop":     {options + "n = 4\nfor x in y:\n    if args.mode == 'b':\n        n = 0\ntake(n)\n", false},
		"returned":      {options + "def count(mode):\n    if mode == 'a':\n        return 4\n    elif mode == 'b':\n        return 0\n    return 4\ntake(count(args.mode))\n", true},
		"below":         {options + "def count(mode):\n    if mode == 'a':\n        return 4\n    return 0\ntake(count(args.mode))\n", true},
		"two callers":   {options + "def count(mode):\n    if mode == 'a':\n        return 4\n    return 0\ncount('a')\ntake(count(args.mode))\n", false},
		"a field":       {options + "class Data:\n    def __init__(self, args):\n        if args.debug:\n            self.n = 4\n        else:\n            self.n = 0\n    def go(self):\n        take(self.n)\nData(args).go()\n", true},
		"Windows":       {"import os\nif os.name == 'nt':\n    n = 4\nelse:\n    n = 0\ntake(n)\n", true},
		"its name":      {"import sys\nn = 0\nif sys.platform.startswith('win'):\n    n = 4\ntake(n)\n", true},
		"another name":  {"import other\nn = 0\nif other.platform.startswith('win'):\n    n = 4\ntake(n)\n", false},
		"kept keywords": {"class Data:\n    def __init__(self, **more):\n        self.more = more\n    def go(self):\n        run(**self.more)\ndef run(n=4):\n    take(n)\nData(n=0).go()\n", true},
		"a device":      {options + "if args.debug:\n    n = 'cuda'\nelse:\n    n = 0\ntake(n)\n", false},
	} {
		if v := valueTaken(t, map[string]string{"train.py": c.text}); v.Equals(0) != c.want {
			t.Errorf("%s: known to be 0: %v, want %v (%+v)", name, !c.want, c.want, v.Scalar)
		}
	}
}
