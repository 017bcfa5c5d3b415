package probetest

import (
	"embed"
	"strings"
	"testing"
)

//go:embed planted/*.py
var project embed.FS

// OrderField is where samples differ that come in another order.
const OrderField = "order"

// Plant is a repair of planted/data.py: pairs of texts, old and new.
type Plant struct {
	Name      string
	Changes   []string
	Field     string // of the first difference; "" where the repair is right
	Regrouped bool   // it may make other batches of the same samples
	Quick     bool   // tried in every test, the others where SATURATE_ACCEPT is set
	Program   string // train.py where it is empty
}

// Planted are repairs of a data path that are fast and wrong, and some that are right. The loss tells none of them
// apart.
var Planted = []Plant{
	{Name: "hoisted read", Changes: []string{
		"self.coin =", "self.first = read(0)\n        self.coin =", "x = read(i)",
		"x = self.first",
	}, Field: "0", Quick: true},
	{
		Name: "constant feature", Changes: []string{"x = features(x)\n", "x = KEPT.setdefault(0, features(x))\n"},
		Field: "0",
	},
	{
		Name: "label shifted by one", Changes: []string{", label(i)\n", ", label((i + 1) % CLIPS)\n"}, Field: "1",
		Quick: true,
	},
	{Name: "augmentation gone", Changes: []string{"        x = self.augment(x)\n", ""}, Field: "0"},
	{
		Name: "part of the augmentation gone", Changes: []string{"x[:, ::-1].copy() if self.coin.random() < 0.3 else x", "x"},
		Field: "0",
	},
	{
		Name: "augmentation cached with the sample",
		Changes: []string{
			"x = read(i)\n        x = resample(x)\n        x = self.augment(x)\n        x = features(x)\n",
			"if i not in KEPT:\n            KEPT[i] = features(self.augment(resample(read(i))))\n        x = KEPT[i]\n",
		}, Field: "0", Quick: true,
	},
	{Name: "cache keyed by length", Changes: []string{
		"x = read(i)\n",
		"x = read(i)\n        x = KEPT.setdefault(x.shape, x)\n",
	}, Field: "0", Quick: true},
	{Name: "resampling gone", Changes: []string{"        x = resample(x)\n", ""}, Field: "0"},
	{
		Name: "resampled by leaving out", Changes: []string{"return (x[:, 0::2] + x[:, 1::2]) / 2", "return x[:, 0::2]"},
		Field: "0",
	},
	{Name: "truncated clip", Changes: []string{"x = read(i)\n", "x = read(i)\n        x[:, 300:] = 0\n"}, Field: "0"},
	{Name: "swapped channels", Changes: []string{
		"mono = x[0] * np.float32(0.75) + x[1]",
		"mono = x[1] * np.float32(0.75) + x[0]",
	}, Field: "0"},
	{Name: "statistics of the first clip", Changes: []string{
		"mono = (mono - mono.mean()) / mono.std()",
		"mean, std = KEPT.setdefault('statistics', (mono.mean(), mono.std()))\n    mono = (mono - mean) / std",
	}, Field: "0"},
	{Name: "normalization gone", Changes: []string{"    mono = (mono - mono.mean()) / mono.std()\n", ""}, Field: "0"},
	{Name: "shuffling off", Changes: []string{"shuffle=True", "shuffle=False"}, Field: OrderField, Quick: true},
	{
		Name: "another order", Changes: []string{"shuffle=True", "shuffle=True, generator=torch.Generator().manual_seed(7)"},
		Field: OrderField,
	},
	{Name: "crops by worker", Changes: []string{
		"WORKERS = 0", "WORKERS = 2", "x = resample(x)\n",
		"x = resample(x)[:, get_worker_info().id * 5 :]\n",
	}, Field: "0"},
	{Name: "chance by worker", Changes: []string{
		"WORKERS = 0", "WORKERS = 2", "x = self.augment(x)\n",
		"np.random.seed(get_worker_info().id)\n        x = self.augment(x)\n",
	}, Field: "0"},
	{Name: "labels sorted in the batch", Changes: []string{
		"torch.tensor([y for _, y in samples])",
		"torch.tensor(sorted(y for _, y in samples))",
	}, Field: "1"},
	{Name: "one clip for the whole batch", Changes: []string{
		"torch.stack([x for x, _ in samples])",
		"torch.stack([samples[0][0]] * len(samples))",
	}, Field: "0"},
	{Name: "rounded to bytes", Changes: []string{
		"x = features(x)\n",
		"x = (features(x) * 32).astype(np.int8).astype(np.float32) / 32\n",
	}, Field: "0"},
	{
		Name: "half of the clips twice", Changes: []string{"x = read(i)\n", "i %= CLIPS // 2\n        x = read(i)\n"},
		Field: "0",
	},
	{Name: "changed in place", Changes: []string{
		"x = features(x)\n",
		"x = features(x)\n        held = KEPT.setdefault('sum', np.zeros_like(x))\n        held " +
			"+= 0.01 * x\n        x = x + held\n",
	}, Field: "0"},
	{Name: "one draw for all", Changes: []string{
		"self.coin =", "self.gain = 0.5 + random.random()\n        self.coin =",
		"0.5 + random.random())", "self.gain)",
	}, Field: "0"},
	{
		Name: "the loop's own normalization wrong", Changes: []string{"    return x\n", "    return x - x.mean()\n"},
		Field: "input 0",
	},
	{
		Name: "shorter window", Changes: []string{"mono[:192].reshape", "np.append(mono[1:192], mono[0]).reshape"},
		Field: "0",
	},
	{Name: "frames one off, regrouped", Changes: []string{
		"mono[:192].reshape", "mono[1:193].reshape", "batch_size=4",
		"batch_size=6",
	}, Field: "0", Regrouped: true},
	{Name: "label shifted by one, in a plain loop", Changes: []string{
		"np.random.RandomState(1000 + i)",
		"np.random.RandomState(1001 + i)",
	}, Field: "input target of cross_entropy", Program: "loop.py", Quick: true},
	{Name: "resampled by leaving out, in a plain loop", Changes: []string{
		"return (x[:, 0::2] + x[:, 1::2]) / 2",
		"return x[:, 0::2]",
	}, Field: "input 0", Program: "loop.py"},

	{Name: "nothing", Quick: true},
	{Name: "rounded otherwise, in a plain loop", Changes: []string{
		"mono[:192].reshape(FEATURES, 3).mean(1)",
		"(mono[:192].reshape(FEATURES, 3).astype(np.float64).sum(1) / 3).astype(np.float32)",
	}, Program: "loop.py"},
	{Name: "worker processes", Changes: []string{"WORKERS = 0", "WORKERS = 2"}, Quick: true},
	{Name: "persistent worker processes", Changes: []string{
		"WORKERS = 0", "WORKERS = 2", "num_workers=WORKERS",
		"num_workers=WORKERS, persistent_workers=True",
	}},
	{Name: "cached before the augmentation", Changes: []string{
		"x = read(i)\n        x = resample(x)\n",
		"if i not in KEPT:\n            KEPT[i] = resample(read(i))\n        x = KEPT[i]\n",
	}, Quick: true},
	{Name: "cached before the augmentation, with workers", Changes: []string{
		"WORKERS = 0", "WORKERS = 2",
		"x = read(i)\n        x = resample(x)\n", "if i not in KEPT:\n            KEPT[i] = " +
			"resample(read(i))\n        x = KEPT[i]\n",
	}},
	{Name: "read at the start", Changes: []string{
		"self.coin =",
		"self.all = [read(i) for i in range(CLIPS)]\n        self.coin =", "x = read(i)\n", "x = self.all[i]\n",
	}},
	{Name: "rounded otherwise", Changes: []string{
		"mono[:192].reshape(FEATURES, 3).mean(1)",
		"(mono[:192].reshape(FEATURES, 3).astype(np.float64).sum(1) / 3).astype(np.float32)",
	}},
	{Name: "labels in a table", Changes: []string{
		"self.coin =",
		"self.labels = torch.tensor([label(i) for i in range(CLIPS)])\n        self.coin =", ", label(i)\n", ", self.labels[i]\n",
	}},
	{Name: "stacked by numpy", Changes: []string{
		"torch.stack([x for x, _ in samples])",
		"torch.from_numpy(np.stack([x.numpy() for x, _ in samples]))",
	}},
	{Name: "scaled on the device", Changes: []string{
		"return torch.stack([x for x, _ in samples])",
		"return torch.stack([x for x, _ in samples]).double() / 3", "    return x\n", "    return (x * 3).float()\n",
	}},
	{
		Name: "other batches", Changes: []string{"batch_size=4, shuffle=True", "batch_size=6, shuffle=False"},
		Regrouped: true,
	},
}

// Grown are the files of the planted project with the repair.
func (p Plant) Grown(t testing.TB) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range []string{"train.py", "loop.py", "data.py"} {
		data, err := project.ReadFile("planted/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(data)
	}
	for i := 0; i < len(p.Changes); i += 2 {
		if n := strings.Count(files["data.py"], p.Changes[i]); n != 1 {
			t.Fatalf("%s: %q stands %d times in data.py", p.Name, p.Changes[i], n)
		}
		files["data.py"] = strings.Replace(files["data.py"], p.Changes[i], p.Changes[i+1], 1)
	}
	return files
}
