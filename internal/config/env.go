package config

import (
	"fmt"
	"os"
	"strings"

	"saturate/internal/files"
)

// variable is one NAME=value with its place.
type variable struct {
	name, value, origin string
}

func variables(environ []string) []variable {
	var all []variable
	for _, line := range environ {
		if name, value, ok := strings.Cut(line, "="); ok {
			all = append(all, variable{name, value, name})
		}
	}
	return all
}

// readEnvFile reads the lines NAME=value, export NAME='value', # comment.
func readEnvFile(path string) ([]variable, error) {
	data, err := files.Read(path, files.MaxSource)
	if err != nil {
		return nil, fmt.Errorf("cannot read the --env-file %s: %w", path, reason(err))
	}
	var all []variable
	for i, line := range strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		place := fmt.Sprintf("%s:%d", path, i+1)
		name, value, ok := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "export ")), "=")
		name = strings.TrimSpace(name)
		if !ok || name == "" || strings.ContainsAny(name, " \t\"'") {
			return nil, fmt.Errorf("%s: %q is not NAME=value", place, line)
		}
		value, err := unquote(strings.TrimSpace(value))
		if err != nil {
			return nil, fmt.Errorf("%s: %s %w", place, name, err)
		}
		all = append(all, variable{name, value, place})
	}
	return all, nil
}

// unquote takes off quotes, or else a comment that follows the value.
func unquote(v string) (string, error) {
	if v == "" || (v[0] != '"' && v[0] != '\'') {
		if i := strings.Index(v, " #"); i >= 0 {
			v = strings.TrimSpace(v[:i])
		}
		return v, nil
	}
	end := strings.IndexByte(v[1:], v[0])
	if end < 0 {
		return "", fmt.Errorf("has an unclosed quote %c", v[0])
	}
	return v[1 : end+1], nil
}

// reason is the error without the path, which the message already names.
func reason(err error) error {
	if e, ok := err.(*os.PathError); ok {
		return e.Err
	}
	return err
}
