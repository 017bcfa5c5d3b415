package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"

	"saturate/internal/version"
)

type component struct {
	Type     string     `json:"type"`
	Name     string     `json:"name"`
	Version  string     `json:"version"`
	PURL     string     `json:"purl,omitempty"`
	Licenses []licensed `json:"licenses,omitempty"`
}

type licensed struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

// sbom lists what a binary was built from, as the Go toolchain recorded it in it: CycloneDX.
func sbom(binary []byte) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return nil, fmt.Errorf("the binary does not say what it was built from: %w", err)
	}
	self := component{Type: "application", Name: "saturate", Version: version.Version, PURL: "pkg:pypi/saturate-gpu@" +
		version.Version}
	self.Licenses = make([]licensed, 1)
	self.Licenses[0].License.ID = "Apache-2.0"
	parts := []component{{Type: "library", Name: "std", Version: info.GoVersion, PURL: "pkg:golang/std@" +
		info.GoVersion[2:]}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, component{Type: "library", Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path +
			"@" + m.Version})
	}
	return json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":   map[string]any{"component": self},
		"components": parts,
	}, "", " ")
}
