package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"saturate/internal/files"
)

// fileEntry is one value of a settings file with its place.
type fileEntry struct {
	value, origin string
}

// nearestFile reads the settings of the nearest folder, from dir upwards, that has a
// saturate.toml or a pyproject.toml with [tool.saturate]. One file wins: settings of
// several folders are never mixed.
func nearestFile(dir string) (entries map[string]fileEntry, warnings []string, err error) {
	if dir == "" {
		return nil, nil, nil
	}
	for {
		for _, candidate := range []struct{ name, table string }{{"saturate.toml", ""}, {"pyproject.toml", "tool.saturate"}} {
			entries, warning, err := settingsFile(filepath.Join(dir, candidate.name), candidate.table)
			if warning != "" {
				warnings = append(warnings, warning)
			}
			if err != nil || entries != nil {
				return entries, warnings, err
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, warnings, nil
		}
		dir = parent
	}
}

// myself is who runs this program.
var myself = os.Getuid

// settingsFile reads one file; entries are nil where it is missing, a folder, without the table, or somebody else's.
func settingsFile(path, table string) (entries map[string]fileEntry, warning string, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return nil, "", nil
	}
	var data []byte
	if err == nil {
		data, err = files.Read(path, files.MaxSource)
	}
	if err != nil {
		return nil, "", fmt.Errorf("cannot read the settings file %s: %w", path, reason(err))
	}
	entries, found, err := readFile(path, data, table)
	if owner := files.Owner(info); owner > 0 && owner != myself() && (found || err != nil) {
		return nil, fmt.Sprintf("%s belongs to another user and is ignored; copy it to use its settings", path), nil
	}
	if !found {
		entries = nil
	}
	return entries, "", err
}

// readFile flattens the table (the whole file when table is "") into dotted keys.
func readFile(path string, data []byte, table string) (entries map[string]fileEntry, found bool, err error) {
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil {
		var syntax *toml.DecodeError
		if errors.As(err, &syntax) {
			line, column := syntax.Position()
			return nil, false, fmt.Errorf("%s:%d:%d: %s", path, line, column, strings.TrimPrefix(syntax.Error(), "toml: "))
		}
		return nil, false, fmt.Errorf("%s: %w", path, err)
	}
	for _, part := range strings.FieldsFunc(table, func(r rune) bool { return r == '.' }) {
		sub, ok := tree[part].(map[string]any)
		if !ok {
			return nil, false, nil
		}
		tree = sub
	}
	lines := keyLines(data)
	entries = map[string]fileEntry{}
	flatten(tree, "", func(key, value string) {
		full := key
		if table != "" {
			full = table + "." + key
		}
		origin := path
		if line, ok := lines[full]; ok {
			origin = fmt.Sprintf("%s:%d", path, line)
		}
		entries[key] = fileEntry{value, origin}
	})
	return entries, true, nil
}

func flatten(tree map[string]any, prefix string, emit func(key, value string)) {
	for name, v := range tree {
		key := prefix + strings.ReplaceAll(name, "-", "_")
		switch v := v.(type) {
		case map[string]any:
			flatten(v, key+".", emit)
		case []any:
			var parts []string
			for _, x := range v {
				parts = append(parts, fmt.Sprint(x))
			}
			emit(key, strings.Join(parts, ","))
		default:
			emit(key, fmt.Sprint(v))
		}
	}
}

// keyLines finds the line of every key, which the decoded tree no longer has.
func keyLines(data []byte) map[string]int {
	lines := map[string]int{}
	var p unstable.Parser
	p.Reset(data)
	prefix := ""
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			prefix, _ = dotted(&p, e)
			prefix += "."
		case unstable.KeyValue:
			name, line := dotted(&p, e)
			lines[prefix+name] = line
		}
	}
	return lines
}

func dotted(p *unstable.Parser, e *unstable.Node) (name string, line int) {
	var parts []string
	for it := e.Key(); it.Next(); {
		if line == 0 {
			line = p.Shape(it.Node().Raw).Start.Line
		}
		parts = append(parts, strings.ReplaceAll(string(it.Node().Data), "-", "_"))
	}
	return strings.Join(parts, "."), line
}
