package project

import "testing"

// Each program calls take with a setting whose value is 0 unless somebody sets it; a near miss is not known.
func TestSettingsThroughHelpers(t *testing.T) {
	const zero, unknown = true, false
	config := func(body string) map[string]string {
		return map[string]string{
			"train.py":        "from absl import flags\nfrom ml_collections import config_flags\nconfig_flags.DEFINE_config_file('config', 'configs/base.py')\nc = flags.FLAGS.config\ntake(c.data.workers)\n",
			"configs/base.py": "import ml_collections\n" + body,
		}
	}
	module := func(body, use string) map[string]string {
		return map[string]string{"train.py": "from lightning.pytorch import LightningDataModule\nclass Data(LightningDataModule):\n" + body + "    def train_dataloader(self):\n        take(" + use + ")\n" +
			"import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--workers', default=0)\nargs = parser.parse_args()\n" + "Data(**{'workers': 0}) if not args else Data(args)\n"}
	}
	one := func(text string) map[string]string { return map[string]string{"train.py": "import os\n" + text} }
	gin := func(text, bound string) map[string]string {
		return map[string]string{"train.py": "import gin\n" + text, "conf/base.gin": bound}
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  bool
	}{
		"absl flag held":     {one("from absl import flags\nW = flags.DEFINE_integer('w', 0, 'x')\ntake(W.value)\n"), zero},
		"absl flag by name":  {one("from absl import flags\nW = flags.DEFINE_integer(name='w', default=0, help='x')\ntake(W.value)\n"), zero},
		"another value":      {one("import multiprocessing\nW = multiprocessing.Value('i', 0)\ntake(W.value)\n"), unknown},
		"converted":          {one("def env_int(name, default):\n    return int(os.environ.get(name, default))\ntake(env_int('W', 0))\n"), zero},
		"two defaults":       {one("def env_int(name, default):\n    return int(os.environ.get(name, default))\nenv_int('B', 64)\ntake(env_int('W', 0))\n"), zero},
		"choice":             {one("def env(name, fallback, cast=str):\n    v = os.getenv(name)\n    return fallback if v is None else cast(v)\nenv('B', 8)\ntake(env('W', 0))\n"), zero},
		"error":              {one("def env(name, fallback):\n    try:\n        return int(os.environ[name])\n    except KeyError:\n        return fallback\nenv('B', 8)\ntake(env('W', 0))\n"), zero},
		"test first":         {one("def env(name, fallback=0):\n    if name in os.environ:\n        return int(os.environ[name])\n    return fallback\nenv('B', 8)\ntake(env('W'))\n"), zero},
		"empty is unset":     {one("def env(name, fallback=0):\n    raw = os.environ.get(name)\n    if not raw:\n        return fallback\n    return int(raw)\nenv('B', 8)\ntake(env('W'))\n"), zero},
		"or":                 {one("take(int(os.environ.get('W') or 0))\n"), zero},
		"environs":           {one("from environs import Env\nenv = Env()\ntake(env.int('W', 0))\n"), zero},
		"decouple":           {one("from decouple import config\ntake(config('W', default='0', cast=int))\n"), zero},
		"no default":         {one("def env(name):\n    return int(os.environ[name])\ntake(env('W'))\n"), unknown},
		"or another":         {one("take(os.environ.get('W') or cores())\n"), unknown},
		"gin":                {gin("@gin.configurable\ndef make(workers=4):\n    take(workers)\nmake()\n", "make.workers = 0\n"), zero},
		"gin's name":         {gin("@gin.configurable('loader')\ndef make(workers=gin.REQUIRED):\n    take(workers)\nmake()\n", "# one\nW = 0\ntrain/my.loader.workers = %W  # two\n"), zero},
		"gin, a class":       {gin("@gin.configurable\nclass Run:\n    def __init__(self, workers=8):\n        self.workers = workers\n    def go(self):\n        take(self.workers)\nRun().go()\n", "job.Run.workers = \\\n    0\n"), zero},
		"gin, a library":     {gin("from torch.utils.data import DataLoader\ngin.external_configurable(DataLoader)\nDataLoader(data)\n", "torch.DataLoader.num_workers = 0\n"), zero},
		"not gin's":          {gin("def make(workers=4):\n    take(workers)\nmake()\n", "make.workers = 0\n"), unknown},
		"given, not gin":     {gin("@gin.configurable\ndef make(workers=4):\n    take(workers)\nmake(2)\n", "make.workers = 0\n"), unknown},
		"assigned":           {config("def get_config():\n    c = ml_collections.ConfigDict()\n    c.data = ml_collections.ConfigDict()\n    c.data.workers = 0\n    return c\n"), zero},
		"two names":          {config("def get_config():\n    c = ml_collections.ConfigDict()\n    c.data = data = ml_collections.ConfigDict()\n    data.workers = 0\n    return c\n"), zero},
		"written out":        {config("def get_config():\n    return ml_collections.ConfigDict({'data': {'workers': 0}})\n"), zero},
		"keywords":           {config("def get_config():\n    return ml_collections.ConfigDict(dict(data=dict(workers=0)))\n"), zero},
		"set later":          {config("def get_config():\n    c = ml_collections.ConfigDict({'data': {'workers': 4}})\n    c.data.workers = 0\n    return c\n"), zero},
		"a reference":        {config("def get_config():\n    c = ml_collections.ConfigDict()\n    c.data = ml_collections.ConfigDict()\n    c.data.workers = ml_collections.FieldReference(0)\n    return c\n"), zero},
		"changed by a user":  {map[string]string{"base.py": "from easydict import EasyDict\ndef get():\n    c = EasyDict()\n    c.data = EasyDict()\n    c.data.workers = 4\n    return c\n", "train.py": "import base\nc = base.get()\nc.data.workers = 0\ntake(c.data.workers)\n"}, zero},
		"not changed":        {map[string]string{"base.py": "from easydict import EasyDict\ndef get():\n    c = EasyDict()\n    c.data = EasyDict()\n    c.data.workers = 0\n    return c\n", "train.py": "import base\nd = base.get()\nd.data.workers = 4\nc = base.get()\ntake(c.data.workers)\n"}, zero},
		"changed, not 0":     {map[string]string{"base.py": "from easydict import EasyDict\ndef get():\n    c = EasyDict()\n    c.data = EasyDict()\n    c.data.workers = 0\n    return c\n", "train.py": "import base\nc = base.get()\nc.data.workers = 4\ntake(c.data.workers)\n"}, unknown},
		"another object":     {config("def get_config():\n    c, d = ml_collections.ConfigDict(), Other()\n    d.data.workers = 0\n    return c\n"), unknown},
		"hparams":            {module("    def __init__(self, workers=0):\n        self.save_hyperparameters()\n", "self.hparams.workers"), unknown}, // also given args
		"hparams, a key":     {module("    def __init__(self, args):\n        self.save_hyperparameters(args)\n", "self.hparams['workers']"), zero},
		"hparams, vars":      {module("    def __init__(self, args):\n        self.save_hyperparameters(vars(args))\n", "self.hparams.workers"), zero},
		"hparams, get":       {module("    def __init__(self, args):\n        self.save_hyperparameters(args)\n", "self.hparams.get('workers', 4)"), zero},
		"hparams, by a name": {module("    def __init__(self, args):\n        self.save_hyperparameters(args)\n    def own(self):\n        hp = self.hparams\n        take(hp.workers)\n", "self.own()"), zero},
		"hparams, inside":    {module("    def __init__(self, args):\n        self.save_hyperparameters(args)\n", "(lambda: self.hparams.workers)()"), zero},
	} {
		p := loadText(t, c.files)
		e := p.NewEval()
		found := false
		for _, m := range p.Modules {
			for _, s := range m.Sites {
				if name := lastName(s.Node.Func); name == "take" {
					found = found || e.ArgumentAt(s, 0).Equals(0)
				} else if name == "DataLoader" {
					found = found || e.Argument(s, "num_workers").Equals(0)
				}
			}
		}
		if found != c.want {
			t.Errorf("%s: known to be 0: %v, want %v", name, found, c.want)
		}
	}
}
