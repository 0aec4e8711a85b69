#!/bin/sh
# Installs the programs of package.json, and a Node.js that can run them if the
# machine's is too old, into a folder of the user's cache. Prints the folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=${XDG_CACHE_HOME:-$HOME/.cache}/compound-docs/conformance
mkdir -p "$dir"
cd "$dir"
if ! cmp -s "$here/package-lock.json" installed.json; then
	cp "$here/package.json" "$here/package-lock.json" .
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
	cp package-lock.json installed.json
fi
if ! node -e 'const [major, minor] = process.versions.node.split("."); process.exit(major > 22 || (major == 22 && minor >= 19) ? 0 : 1)'; then
	[ -x node/node_modules/node/bin/node ] ||
		npm install --prefix node --no-save --no-audit --no-fund --loglevel=error node@22.23.3 >&2
	ln -sf ../../node/node_modules/node/bin/node node_modules/.bin/node
fi
echo "$dir"
