// Package python holds saturate_gpu, the Python package that comes with the binary: one source for the wheel, for
// `--emit python`, for what `saturate optimize --vendor` writes into a project, and for what programs import while they
// are measured.
package python

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed saturate_gpu/*.py saturate_gpu/*.pyi saturate_gpu/py.typed saturate_gpu/lab/*.py
var files embed.FS

// Package is all of it by path, but for the module platform, which is generated from the table of settings.
func Package() map[string][]byte {
	return below("saturate_gpu")
}

// Lab is the package that measures attention, by the paths within its folder.
func Lab() map[string][]byte {
	list := map[string][]byte{}
	for name, text := range below("saturate_gpu/lab") {
		list[path.Base(name)] = text
	}
	return list
}

// Runtime is what patched programs import: the package without the lab.
func Runtime() map[string][]byte {
	list := Package()
	for name := range list {
		if strings.HasPrefix(name, "saturate_gpu/lab/") || path.Ext(name) != ".py" {
			delete(list, name)
		}
	}
	return list
}

// Text is one module: offline, mel, prepare.
func Text(module string) string {
	text, err := files.ReadFile("saturate_gpu/" + module + ".py")
	if err != nil { // it is embedded: a test asks for each
		panic(err)
	}
	return string(text)
}

func below(dir string) map[string][]byte {
	list := map[string][]byte{}
	err := fs.WalkDir(files, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		list[name], err = files.ReadFile(name)
		return err
	})
	if err != nil { // it is embedded
		panic(err)
	}
	return list
}
