#!/bin/bash
# Bundles src into dist. `make gen` calls it; the result is committed, with a hash of what it was made from.
set -e
cd "$(dirname "$0")"
export CGO_ENABLED=0
esbuild() { go tool -modfile=../../../tools/tools.mod esbuild "$@"; }
esbuild src/main.tsx --bundle --minify --format=esm --target=es2022 --charset=utf8 --legal-comments=none \
  --jsx-factory=h --jsx-fragment=Fragment --alias:preact=./vendor/preact.mjs --alias:hooks=./vendor/hooks.mjs --alias:uplot=./vendor/uplot.mjs \
  --banner:js='/* Code generated from src by build.sh. Contains Preact (MIT, (c) Jason Miller) and uPlot (MIT, (c) Leon Sorokin): see vendor. */' \
  --outfile=dist/app.js --log-level=warning
cat vendor/uplot.css ../../report/plot/plot.css src/*.css > dist/all.css
esbuild dist/all.css --minify --banner:css='/* Code generated from src by build.sh. */' --outfile=dist/app.css --log-level=warning
rm dist/all.css
cp src/index.html src/icon.svg dist/
find src vendor build.sh ../../report/plot/plot.css -type f | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-64 > dist/sources.sha256
