#!/bin/sh
# Installs the programs that "make compare" compares with into the folder $1, and prints
# the arguments that name those which could be installed.
set -u
folder=$1
mkdir -p "$folder"
if npm install --silent --no-audit --no-fund --prefix "$folder/qmd" @tobilu/qmd@2.8.3 node@22 >&2; then
	# qmd wants this version of Node.js, whatever the machine has.
	printf '#!/bin/sh\nexec "%s/node" "%s/qmd" "$@"\n' "$folder/qmd/node_modules/.bin" "$folder/qmd/node_modules/.bin" > "$folder/run-qmd"
	chmod +x "$folder/run-qmd"
	echo "-qmd $folder/run-qmd"
fi
if { command -v uv > /dev/null || python3 -m pip install --quiet --target "$folder/uv" uv >&2; } &&
	PATH="$PATH:$folder/uv/bin" uv venv --quiet --allow-existing --python "${UV_PYTHON:->=3.12}" "$folder/basic-memory" >&2 &&
	PATH="$PATH:$folder/uv/bin" uv pip install --quiet --python "$folder/basic-memory/bin/python" basic-memory==0.23.2 >&2; then
	echo "-basic-memory $folder/basic-memory/bin/basic-memory"
fi
