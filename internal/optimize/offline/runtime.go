package offline

import (
	"fmt"
	"strconv"
	"strings"

	"saturate/python"
)

// runtime is how a repaired project gets the code that reads and fills its cache: it imports saturate_gpu, or has the same
// modules in its own tree.
type runtime struct {
	imports  bool
	command  string // that fills the cache
	script   string
	root     string // of the helper, as seen from the script's folder
	collates bool   // some of what is kept is made in the collate function
}

// helper is the module that says what is kept.
func (r runtime) helper(table string) string {
	setup := fmt.Sprintf("setup(\n    __file__,\n    %s,\n    {\n%s    },\n)\n", strconv.Quote(r.command), table)
	if !r.imports {
		return vendored("offline") + "\n\n" + setup
	}
	return `"""What training reads from disk instead of computing it again in every epoch: saturate_gpu.offline explains how."""

from saturate_gpu.offline import drawn, kept, setup

__all__ = ["drawn", "kept"]

` + setup
}

// program is the script that fills the cache.
func (r runtime) program() string {
	path := fmt.Sprintf(`if __name__ == "__main__":
    sys.path[0] = str((Path(__file__).resolve().parent / %s).resolve())
`, strconv.Quote(r.root))
	if !r.imports {
		text := strings.Replace(vendored("prepare"), "import saturate_offline as offline\n", path+"\nimport saturate_offline as offline\n", 1)
		text = strings.Replace(text, example, strings.TrimPrefix(r.command, "python "), 1)
		return text + fmt.Sprintf("\n\nif __name__ == \"__main__\":\n    main(in_collate=%s)\n", literal(r.collates))
	}
	return fmt.Sprintf(`"""Fills the cache that training reads. Run it once, before training; a run that was stopped resumes.

    %s
"""

import sys
from pathlib import Path

%s
    import saturate_offline  # noqa: F401: says what is cached
    from saturate_gpu import prepare

    prepare.main(in_collate=%s)
`, r.command, path, literal(r.collates))
}

// example is the command that the module shows.
const example = "scripts/precompute_tts.py train.py --size tiny"

// vendored is a module of saturate_gpu as one of the project's own: what it imports stands beside it.
func vendored(module string) string {
	return strings.NewReplacer(
		"from . import offline\n", "import saturate_offline as offline\n",
		"from .offline import ", "from saturate_offline import ",
		"from .mel import ", "from saturate_mel import ",
		"from . import whisper_features\n", "sys.path.insert(1, str(Path(__file__).resolve().parent))\n        import whisper_features\n",
		`any(about.get("mel") for about in offline.PLACES.values())`, `(Path(__file__).resolve().parent / "whisper_features.py").exists()`,
		"The script of a project calls main(), once, before training.", "Run it once, before training, followed by the training program.",
	).Replace(python.Text(module))
}
