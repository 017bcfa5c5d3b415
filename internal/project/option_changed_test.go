package project

import "testing"

// An option is declared with 4, and changed to 0; a near miss is not known to be 0.
func TestChangedOptions(t *testing.T) {
	const declared = "import argparse, yaml\nparser = argparse.ArgumentParser()\nparser.add_argument('--n', type=int, default=4)\nparser.add_argument('--config', default='a.yaml')\nparser.add_argument('--debug', action='store_true')\n"
	const parsed = declared + "args = parser.parse_args()\n"
	const loaded = parsed + "settings = yaml.safe_load(open(args.config))\n"
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"set_defaults":          {declared + "parser.set_defaults(n=0)\nargs = parser.parse_args()\ntake(args.n)\n", true},
		"set_defaults, a dict":  {declared + "parser.set_defaults(**{'n': 0})\nargs = parser.parse_args()\ntake(args.n)\n", true},
		"set_defaults, a file":  {declared + "parser.set_defaults(**yaml.safe_load(open('a.yaml')))\nargs = parser.parse_args()\ntake(args.n)\n", true},
		"set_defaults, another": {declared + "parser.set_defaults(m=0)\nargs = parser.parse_args()\ntake(args.n)\n", false},
		"not declared":          {declared + "parser.set_defaults(m=0)\nargs = parser.parse_args()\ntake(args.m)\n", true},
		"assigned":              {parsed + "args.n = 0\ntake(args.n)\n", true},
		"assigned before":       {declared + "args = Other()\nargs.n = 0\nargs = parser.parse_args()\ntake(args.n)\n", false},
		"assigned in debugging": {parsed + "if args.debug:\n    args.n = 0\ntake(args.n)\n", false},
		"assigned otherwise":    {parsed + "if not args.debug:\n    args.n = 0\ntake(args.n)\n", true},
		"assigned elsewhere":    {parsed + "def check(args):\n    args.n = 0\ntake(args.n)\n", false},
		"of itself":             {parsed + "args.n = args.n * 0\ntake(args.n)\n", false},
		"vars":                  {loaded + "vars(args).update(settings)\ntake(args.n)\n", true},
		"__dict__":              {loaded + "args.__dict__.update(settings)\ntake(args.n)\n", true},
		"setattr":               {loaded + "for k, v in settings.items():\n    setattr(args, k, v)\ntake(args.n)\n", true},
		"setattr by key":        {loaded + "for k in settings:\n    setattr(args, k, settings[k])\ntake(args.n)\n", true},
		"setattr, in a helper":  {loaded + "def put(args, settings):\n    for k, v in settings.items():\n        setattr(args, k, v)\nput(args, settings)\ntake(args.n)\n", true},
		"setattr, another":      {loaded + "for k, v in settings.items():\n    setattr(other, k, v)\ntake(args.n)\n", false},
	} {
		if v := valueTaken(t, map[string]string{"train.py": c.text, "a.yaml": "n: 0\nlr: 1\n"}); v.Equals(0) != c.want {
			t.Errorf("%s: known to be 0: %v, want %v (%+v)", name, !c.want, c.want, v.Scalar)
		}
	}
}
