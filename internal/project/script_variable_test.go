package project

import "testing"

// Each script starts a program with a count that its option has in Value.Scalar; -1 where it is not known. The default is 9.
func TestShellVariables(t *testing.T) {
	const program = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--n', type=int, default=9)\nparser.add_argument('--fp16', action='store_true')\nargs = parser.parse_args()\ntake(args.n)\n"
	for name, c := range map[string]struct {
		script string
		want   int64
	}{
		"plain":           {"N=4\npython train.py --n $N\n", 4},
		"braces":          {"N=4\npython train.py --n ${N}\n", 4},
		"quoted":          {"export N=\"4\"\npython train.py --n \"$N\"\n", 4},
		"exported":        {"export N=4\npython train.py --n=$N\n", 4},
		"default":         {"python train.py --n ${N:-4}\n", 4},
		"default, set":    {"N=${N:-4}\npython train.py --n $N\n", 4},
		"default, colon":  {": ${N:=4}\npython train.py --n $N\n", 4},
		"default of $1":   {"N=${1:-4}\npython train.py --n $N\n", 4},
		"argument":        {"N=$1\npython train.py --n $N\n", -1},
		"computed":        {"N=$(nproc)\npython train.py --n $N\n", -1},
		"unset":           {"python train.py --n $N\n", -1},
		"of another":      {"A=4\nN=$A\npython train.py --n $N\n", 4},
		"set again":       {"N=2\nN=4\npython train.py --n $N\n", 4},
		"set behind":      {"N=4\npython train.py --n $N\nN=2\n", 4},
		"options":         {"ARGS=\"--fp16 --n 4\"\npython train.py $ARGS\n", 4},
		"list":            {"ARGS=(\n  --fp16\n  --n 4\n)\npython train.py \"${ARGS[@]}\"\n", 4},
		"list in a line":  {"ARGS=(--n 4)\npython train.py ${ARGS[*]}\n", 4},
		"loop of one":     {"for n in 4; do\n  python train.py --n $n\ndone\n", 4},
		"loop":            {"for n in 4 8; do\n  python train.py --n $n\ndone\n", -1},
		"arms":            {"N=2\nif [ $1 = a ]; then\n  N=4\nfi\npython train.py --n $N\n", -1},
		"arm in a line":   {"N=2\nif [ $1 = a ]; then N=4; fi\npython train.py --n $N\n", -1},
		"within an arm":   {"N=2\nif [ $1 = a ]; then\n  N=4\n  python train.py --n $N\nfi\n", 4},
		"case":            {"N=2\ncase $1 in\n  a) N=4 ;;\nesac\npython train.py --n $N\n", -1},
		"perhaps":         {"N=2\n[ -n \"$1\" ] && N=4\npython train.py --n $N\n", -1},
		"two in a line":   {"M=2; N=4\npython train.py --n $N\n", 4},
		"literal in arms": {"N=4\nif [ $1 = a ]; then\n  M=4\nfi\npython train.py --n $N\n", 4},
	} {
		v := valueTaken(t, map[string]string{"train.py": program, "run.sh": c.script})
		n, known := v.Int()
		if !known {
			n = -1
		}
		if n != c.want {
			t.Errorf("%s: %d, want %d", name, n, c.want)
		}
	}
}
