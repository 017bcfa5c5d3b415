package project

import "testing"

// Each program calls take with a setting; what is not known to be 0 is a near miss.
func TestSettingsOfOwnClasses(t *testing.T) {
	const attributes = "class Settings(dict):\n    def __init__(self, *a, **k):\n        super().__init__(*a, **k)\n        self.__dict__ = self\n"
	const zero, unknown = true, false
	files := func(text string) map[string]string {
		return map[string]string{"train.py": "import json, yaml, re, argparse\n" + attributes + text, "conf/a.json": `{"workers": 0}`, "conf/b.json": `{"workers": 4}`, "c.yaml": "workers: 0\n"}
	}
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"read":             {"with open('conf/a.json') as f:\n    data = f.read()\nh = Settings(json.loads(data))\ntake(h.workers)\n", zero},
		"another file":     {"with open('conf/b.json') as f:\n    data = f.read()\nh = Settings(json.loads(data))\ntake(h.workers)\n", unknown},
		"without comments": {"def load(path):\n    text = ''\n    with open(path) as f:\n        for line in f:\n            text += line.split('//')[0]\n    return json.loads(text)\nh = load('conf/a.json')\ntake(h['workers'])\n", zero},
		"by an expression": {"def load(path):\n    text = open(path).read()\n    text = re.sub('//.*', '', text)\n    return Settings(**json.loads(text))\ntake(load('conf/a.json').workers)\n", zero},
		"update":           {"def load(path):\n    c = Settings()\n    data = yaml.safe_load(open(path))\n    c.update(data)\n    return c\ntake(load('c.yaml').workers)\n", zero},
		"one by one":       {"h = Settings()\nh.workers = 0\ntake(h.workers)\n", zero},
		"keywords":         {"h = Settings(workers=0)\ntake(h.workers)\n", zero},
		"of another":       {"a = Settings(workers=0)\nb = Settings()\nb.update(a)\ntake(b.workers)\n", zero},
		"changed":          {"a = Settings(workers=0)\nb = Settings()\nb.update(a)\nb.workers = 4\ntake(b.workers)\n", unknown},
		"not written":      {"h = Settings()\nfill(h)\ntake(h.workers)\n", unknown},
		"made of type":     {"parser = argparse.ArgumentParser()\nparser.add_argument('--config', default='conf/a.json')\nargs = parser.parse_args()\nconfig = json.load(open(args.config))\nargs = type('Args', (object,), config)\ntake(args.workers)\n", zero},
		"more than a dict": {"class Other(Settings):\n    def workers(self):\n        return 0\ntake(Other(workers=0).workers)\n", unknown},
	} {
		p := loadText(t, files(c.text))
		e := p.NewEval()
		found := false
		for _, s := range p.Modules[0].Sites {
			if lastName(s.Node.Func) == "take" {
				found = found || e.ArgumentAt(s, 0).Equals(0)
			}
		}
		if found != c.want {
			t.Errorf("%s: known to be 0: %v, want %v", name, found, c.want)
		}
	}
}
