package project

import "testing"

// Nodes hold 4, and a settings file or a command 0; a near miss is not known to be 0.
func TestMergedSettings(t *testing.T) {
	const nodes = "import argparse\nfrom yacs.config import CfgNode as CN\n_C = CN()\n_C.DATA = CN()\n_C.DATA.N = 4\ncfg = _C\n" +
		"parser = argparse.ArgumentParser()\nparser.add_argument('--cfg', default=None)\nargs = parser.parse_args()\n"
	const merged = nodes + "cfg.merge_from_file(args.cfg)\ntake(cfg.DATA.N)\n"
	const composed = "import hydra\n@hydra.main(config_path='conf', config_name='config')\ndef main(cfg):\n    take(cfg.data.n)\nmain()\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  bool
	}{
		"named by a README":   {map[string]string{"train.py": merged, "a.yaml": "DATA:\n  N: 0\n", "b.yaml": "DATA:\n  N: 8\n", "README.md": "```\npython train.py --cfg a.yaml\n```\n"}, true},
		"all that are named":  {map[string]string{"train.py": merged, "a.yaml": "DATA:\n  N: 0\n", "b.yaml": "DATA:\n  N: 8\n", "c.yaml": "DATA:\n  N: 0\n", "README.md": "```\npython train.py --cfg a.yaml\npython train.py --cfg c.yaml\n```\n"}, true},
		"the only one":        {map[string]string{"train.py": merged, "a.yaml": "DATA:\n  N: 0\n"}, true},
		"one of two":          {map[string]string{"train.py": merged, "a.yaml": "DATA:\n  N: 0\n", "b.yaml": "DATA:\n  N: 8\n"}, false},
		"most of three":       {map[string]string{"train.py": merged, "a.yaml": "DATA:\n  N: 0\n", "b.yaml": "DATA:\n  N: 8\n", "c.yaml": "DATA:\n  N: 0\n"}, true},
		"left out by one":     {map[string]string{"train.py": merged, "a.yaml": "DATA:\n  N: 0\n", "b.yaml": "DATA:\n  M: 8\n"}, false},
		"another's":           {map[string]string{"train.py": merged, "a.yaml": "OTHER:\n  N: 0\n"}, false},
		"not merged":          {map[string]string{"train.py": nodes + "take(cfg.DATA.N)\n", "a.yaml": "DATA:\n  N: 0\n"}, false},
		"a command":           {map[string]string{"train.py": nodes + "take(cfg.DATA.N)\n", "run.sh": "python train.py DATA.N 0\n"}, true},
		"most commands":       {map[string]string{"train.py": nodes + "take(cfg.DATA.N)\n", "run.sh": "python train.py DATA.N 0\npython train.py DATA.N 0\npython train.py DATA.M 0\n"}, false},
		"Hydra's":             {map[string]string{"train.py": composed, "conf/config.yaml": "data:\n  n: 4\n", "run.sh": "python train.py data.n=0\n"}, true},
		"Hydra's, of a group": {map[string]string{"train.py": composed, "conf/config.yaml": "defaults:\n  - data: a\n", "conf/data/a.yaml": "n: 4\n", "run.sh": "python train.py data.n=0\n"}, true},
		"Hydra's, another":    {map[string]string{"train.py": composed, "conf/config.yaml": "data:\n  n: 4\n", "run.sh": "python train.py data.m=0\n"}, false},
	} {
		if v := valueTaken(t, c.files); v.Equals(0) != c.want {
			t.Errorf("%s: known to be 0: %v, want %v (%+v)", name, !c.want, c.want, v.Scalar)
		}
	}
}
