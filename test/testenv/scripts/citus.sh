#!/bin/sh
# Prints why make test-citus is skipped, and nothing where Citus and pgvector are installed.
#
#   citus.sh [DIR]
#
# builds Citus from the source in DIR, a checkout of github.com/citusdata/citus, and
# installs it beside the machine's PostgreSQL first. Where that has no pgvector, it
# builds pgvector from Debian's source package.
. "$(dirname "$0")/apt.sh"

config=${PG_CONFIG:-pg_config}
if ! command -v "$config" >/dev/null; then
  echo "make test-citus is skipped: pg_config is not there (Debian: apt install postgresql-server-dev-all)"
  exit
fi
has() { [ -f "$("$config" --sharedir)/extension/$1.control" ]; }
if ! has citus && [ $# = 0 ]; then
  echo "make test-citus is skipped: Citus is not installed: install its package, or name a folder with its source, 13 or newer, as CITUS=DIR"
  exit
fi

install_citus() {
  say "building Citus for PostgreSQL $major"
  apt_install libkrb5-dev liblz4-dev libssl-dev libzstd-dev
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
}

install_pgvector() {
  say "building pgvector for PostgreSQL $major"
  download_pgvector
  mkdir "$work/pgvector"
  tar -xf "$work"/pgvector_*.orig.tar.gz -C "$work/pgvector" --strip-components=1
  set -- make -C "$work/pgvector" PG_CONFIG="$config" with_llvm=no
  logged "pgvector did not build" "$@"
  logged "pgvector could not be installed" as_root "$@" install
}

# download_pgvector puts the source of pgvector into $work, from the newest stable Debian.
# Package lists and cache are its own: the machine's stay as they are.
download_pgvector() {
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(debian_mirror) trixie main" >"$work/sources.list"
  cd "$work"
  set -- apt-get -qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=""
  logged "the list of Debian's sources could not be downloaded" "$@" update
  logged "the source of pgvector could not be downloaded" "$@" source --download-only pgvector
}

if has citus && has vector; then exit; fi
require_apt
major=$("$config" --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')
apt_install make gcc "postgresql-server-dev-$major"
has citus || install_citus "$1"
has vector || install_pgvector
