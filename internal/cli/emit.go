package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"saturate/internal/dataset"
	"saturate/internal/report"
)

// emitReader writes the Python module that reads what `saturate mel` makes.
func emitReader(env *Env, o melOptions, args []string) (report.Report, error) {
	if o.check != "" {
		return report.Report{}, usage("--emit and --check are two things to do; leave out one")
	}
	if err := emitPossible(o.emit, args); err != nil {
		return report.Report{}, err
	}
	path := o.output
	if path == "" {
		path = "saturate_mel.py"
	}
	if err := emitPython(env, path, dataset.PythonModule, o.build.Replace); err != nil {
		return report.Report{}, err
	}
	return report.Report{
		Title:   "Features",
		Summary: []string{fmt.Sprintf("Wrote %s: MelDataset(\"train.h5\") is a torch Dataset of what saturate mel makes.", path)},
		Data:    melData{Script: path},
	}, nil
}

func emitPossible(language string, args []string) error {
	if err := emitsPython(language); err != nil {
		return err
	}
	if len(args) > 0 {
		return usage("--emit writes a program and reads nothing; leave out %s", args[0])
	}
	return nil
}

// emitsPython refuses every other language.
func emitsPython(language string) error {
	if language != "python" {
		return usage("--emit writes python, not %q", language)
	}
	return nil
}

// emitPython writes a program that is the user's from then on: one that was changed since is not overwritten unasked.
func emitPython(env *Env, path, text string, replace bool) error {
	full := env.path(path)
	if old, err := os.ReadFile(full); err == nil && !replace && !bytes.Equal(old, []byte(text)) {
		return usage("%s is there already and says something else; choose another name with --output, or add --replace", path)
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return fmt.Errorf("cannot make the folder for the program: %w; choose another place with --output", err)
	}
	return writeWhole(full, []byte(text))
}
