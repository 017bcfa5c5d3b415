package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// metadata is what stands in the folder .dist-info, except for RECORD.
func metadata(p platform, release string) (map[string][]byte, error) {
	licence, err := os.ReadFile("LICENSE")
	if err != nil {
		return nil, fmt.Errorf("run this in the root of the repository: %w", err)
	}
	readme, err := os.ReadFile("python/README.md")
	if err != nil {
		return nil, err
	}
	var wheel strings.Builder
	wheel.WriteString("Wheel-Version: 1.0\nGenerator: saturate tools/wheel\nRoot-Is-Purelib: false\n")
	for tag := range strings.SplitSeq(p.tag, ".") {
		fmt.Fprintf(&wheel, "Tag: py3-none-%s\n", tag)
	}
	return map[string][]byte{
		"METADATA":         fmt.Appendf(nil, about, release, readme),
		"WHEEL":            []byte(wheel.String()),
		"licenses/LICENSE": licence,
	}, nil
}

const about = `Metadata-Version: 2.4
Name: saturate-gpu
Version: %s
Summary: Finds why a GPU starves during training, fixes it, and proves the fix
License-Expression: Apache-2.0
License-File: LICENSE
Keywords: gpu,training,performance,profiler,pytorch,jax,whisper
Classifier: Development Status :: 4 - Beta
Classifier: Environment :: Console
Classifier: Intended Audience :: Science/Research
Classifier: Operating System :: MacOS
Classifier: Operating System :: Microsoft :: Windows
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Go
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence
Classifier: Topic :: System :: Benchmark
Classifier: Typing :: Typed
Requires-Python: >=3.9
Description-Content-Type: text/markdown

%s`

var semver = regexp.MustCompile(`^(\d+\.\d+\.\d+)(?:-(alpha|beta|rc|dev)\.?(\d+))?$`)

// pep440 is a semantic version as Python writes it: 1.2.0-rc.1 is 1.2.0rc1.
func pep440(version string) (string, error) {
	m := semver.FindStringSubmatch(version)
	if m == nil {
		return "", fmt.Errorf("%q is not a version such as 1.2.0 or 1.2.0-rc.1", version)
	}
	if m[2] == "" {
		return m[1], nil
	}
	return m[1] + map[string]string{"alpha": "a", "beta": "b", "rc": "rc", "dev": ".dev"}[m[2]] + m[3], nil
}
