#!/bin/sh
# Installs the programs of package.json into a folder of the user's cache. Prints the folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=${XDG_CACHE_HOME:-$HOME/.cache}/compound-docs/browser
mkdir -p "$dir"
cd "$dir"
if ! cmp -s "$here/package-lock.json" installed.json; then
	cp "$here/package.json" "$here/package-lock.json" .
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
	cp package-lock.json installed.json
fi
echo "$dir"
