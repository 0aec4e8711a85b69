#!/bin/sh
# Prints what make test-citus lacks, and nothing where Citus is installed.
#
#   citus.sh [DIR]
#
# builds Citus from the source in DIR, a checkout of github.com/citusdata/citus, and
# installs it beside the machine's PostgreSQL first.
. "$(dirname "$0")/apt.sh"

config=${PG_CONFIG:-pg_config}
if ! command -v "$config" >/dev/null; then
  echo "pg_config is not there (Debian: apt install postgresql-server-dev-all)"
  exit
fi
[ ! -f "$("$config" --sharedir)/extension/citus.control" ] || exit 0
if [ $# = 0 ]; then
  echo "Citus is not installed: install its package, or name a folder with its source, 13 or newer, as CITUS=DIR"
  exit
fi

require_apt
major=$("$config" --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')
say "building Citus for PostgreSQL $major"
apt_install make gcc "postgresql-server-dev-$major" libkrb5-dev liblz4-dev libssl-dev libzstd-dev
cp -R "$1" "$work/citus"
cd "$work/citus"
touch configure # as new as its source, else make would make it again, with autoconf
# Newer releases of PostgreSQL 15 export this function, which Citus 13.2 has for older ones.
if grep -qs have_createdb_privilege "$("$config" --includedir-server)/commands/dbcommands.h"; then
  sed -i 's/^have_createdb_privilege(void)$/citus_&/' src/include/pg_version_compat.h
fi
logged "Citus could not be configured" ./configure PG_CONFIG="$config" --without-libcurl
logged "Citus did not build" make -j "$(nproc)" with_llvm=no extension
logged "Citus could not be installed" as_root make with_llvm=no install-extension
