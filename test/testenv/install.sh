#!/bin/sh
# Makes sure that this machine has what the tests, the demo and the benchmarks
# run against:
#
#   - a PostgreSQL server, 15 or newer, with pgvector 0.8 or newer,
#     unless CDOCS_TEST_DATABASE_URL names one;
#   - a C and a C++ compiler, from which Ollama is built,
#     unless CDOCS_TEST_OLLAMA_HOST names one, or this machine's has the models.
#
# It is quick and silent when nothing is missing. What is missing is installed
# with apt, as root or through a sudo that asks for no password; pgvector is
# built from Debian's source package where there is no binary one. Anywhere else
# the script says what to run and exits 1. No database cluster is created and
# no service is started.
#
# Arguments limit it to some of the services: "database", "ollama".
set -eu

min_postgres=15
min_pgvector_minor=8 # of 0.x
postgres_locations='/usr/lib/postgresql/*/bin /usr/pgsql-*/bin
  /opt/homebrew/opt/postgresql@*/bin /usr/local/opt/postgresql@*/bin
  /Applications/Postgres.app/Contents/Versions/*/bin'

say() { echo "install.sh: $*" >&2; }

main() {
  wanted=" ${*:-database ollama} "
  if wants database && [ -z "${CDOCS_TEST_DATABASE_URL:-}" ] && ! have_database; then
    require_apt
    install_database
    have_database || give_up "PostgreSQL with pgvector is still not to be found"
  fi
  if wants ollama && [ -z "${CDOCS_TEST_OLLAMA_HOST:-}" ] && ! have_compiler && ! have_ollama; then
    require_apt
    say "installing a C and a C++ compiler, to build Ollama"
    apt_install gcc g++ libc6-dev
  fi
}

wants() { case $wanted in *" $1 "*) ;; *) return 1 ;; esac }

# --- what is there ---------------------------------------------------------

# postgres_bins lists the folders of this machine's PostgreSQL servers that are
# new enough, the newest first.
postgres_bins() {
  {
    # shellcheck disable=SC2086 # the patterns are meant to be expanded
    ls -d $postgres_locations 2>/dev/null || true
    if command -v pg_config >/dev/null; then pg_config --bindir; fi
  } | while read -r bin; do
    if [ -x "$bin/postgres" ] && [ -x "$bin/initdb" ] && [ -x "$bin/pg_config" ]; then
      major=$(major_of "$bin")
      [ "$major" -lt "$min_postgres" ] || echo "$major $bin"
    fi
  done | sort -rnu | cut -d' ' -f2-
}

# major_of prints the major version of the PostgreSQL in a folder, 0 if unknown.
major_of() {
  "$1/pg_config" --version | sed -n 's/^PostgreSQL \([0-9]*\).*/\1/p' | grep . || echo 0
}

have_database() {
  for bin in $(postgres_bins); do
    control=$("$bin/pg_config" --sharedir)/extension/vector.control
    [ -f "$control" ] || continue
    if new_enough "$(sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" "$control")"; then
      return 0
    fi
  done
  return 1
}

# new_enough tells whether a version of pgvector, such as 0.8.0-1, will do.
new_enough() {
  case $1 in
    0.*) minor=${1#0.} && [ "${minor%%[!0-9]*}" -ge "$min_pgvector_minor" ] ;;
    [1-9]*) true ;;
    *) false ;;
  esac
}

have_compiler() { command -v cc >/dev/null && command -v c++ >/dev/null; }

have_ollama() {
  command -v curl >/dev/null || return 1
  tags=$(curl -fsS --max-time 2 "${CDOCS_OLLAMA_HOST:-http://localhost:11434}/api/tags" 2>/dev/null) || return 1
  case $tags in *'"mxbai-embed-large'*) ;; *) return 1 ;; esac
  case $tags in *'"mistral'*) ;; *) return 1 ;; esac
}

# --- apt -------------------------------------------------------------------

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

require_apt() {
  command -v apt-get >/dev/null || give_up "this machine has no apt"
  [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || give_up "installing needs root, or sudo without a password"
}

apt_update() {
  say "apt-get update"
  as_root apt-get -qq update >&2 || say "some package lists could not be read; going on without them"
}

# apt_install installs packages, and tries once more with fresh package lists
# when the ones at hand name files that the mirror no longer has.
apt_install() {
  apt_install_once "$@" && return
  apt_update
  apt_install_once "$@" || give_up "apt-get install $* did not work"
}

apt_install_once() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
    -o Dpkg::Use-Pty=0 "$@" >"$work/apt.log" 2>&1 || { tail -n 5 "$work/apt.log" >&2; return 1; }
}

# --- PostgreSQL and pgvector -----------------------------------------------

install_database() {
  apt-cache show postgresql >/dev/null 2>&1 || apt_update
  major=$(packaged_major)
  without_main_cluster
  if [ -n "$major" ]; then
    say "installing PostgreSQL $major and pgvector"
    apt_install "postgresql-$major" "postgresql-$major-pgvector"
  else
    build_pgvector
  fi
}

# packaged_major prints the major version of PostgreSQL for which apt has a
# pgvector that is new enough: one that is installed, else the newest one, else
# nothing.
packaged_major() {
  for major in $(installed_majors) $(packaged_majors); do
    version=$(apt-cache policy "postgresql-$major-pgvector" | sed -n 's/^ *Candidate: //p')
    if new_enough "$version"; then
      echo "$major"
      return
    fi
  done
}

installed_majors() {
  for bin in $(postgres_bins); do
    case $bin in /usr/lib/postgresql/*) major_of "$bin" ;; esac
  done
}

packaged_majors() {
  apt-cache pkgnames postgresql- | sed -n 's/^postgresql-\([0-9]*\)-pgvector$/\1/p' | sort -rn |
    while read -r major; do [ "$major" -lt "$min_postgres" ] || echo "$major"; done
}

# without_main_cluster keeps Debian's package from creating a cluster and
# starting it, as it would at its first installation. Once that is over, the
# machine's own setting holds again.
without_main_cluster() {
  setting=/etc/postgresql-common/createcluster.d/compound-docs.conf
  as_root mkdir -p "${setting%/*}"
  echo 'create_main_cluster = false' | as_root tee "$setting" >/dev/null
}

# build_pgvector builds pgvector from the source package of a newer Debian: its
# 0.8.0 builds against every PostgreSQL from 13 on.
build_pgvector() {
  major=$(installed_majors | head -n 1)
  [ -n "$major" ] || major=$(apt-cache depends postgresql | sed -n 's/^ *Depends: postgresql-\([0-9]*\)$/\1/p')
  [ "${major:-0}" -ge "$min_postgres" ] || give_up "this distribution has no PostgreSQL $min_postgres"
  mirror=$(debian_mirror)
  [ -n "$mirror" ] || give_up "no pgvector for PostgreSQL $major among this machine's packages, and no Debian mirror to take its source from"

  say "installing PostgreSQL $major, its headers and a compiler"
  apt_install "postgresql-$major" "postgresql-server-dev-$major" gcc g++ libc6-dev make

  say "building pgvector from Debian's source package"
  download_source pgvector "$mirror"
  mkdir "$work/pgvector"
  tar -xzf "$work"/pgvector_*.orig.tar.gz -C "$work/pgvector" --strip-components=1
  pg_config=/usr/lib/postgresql/$major/bin/pg_config
  make -C "$work/pgvector" PG_CONFIG="$pg_config" with_llvm=no >"$work/make.log" 2>&1 ||
    { tail -n 20 "$work/make.log" >&2; give_up "pgvector did not build"; }
  as_root make -C "$work/pgvector" PG_CONFIG="$pg_config" with_llvm=no install >>"$work/make.log" 2>&1 ||
    { tail -n 20 "$work/make.log" >&2; give_up "pgvector could not be installed"; }
}

# debian_mirror prints the mirror that this machine takes Debian from.
debian_mirror() {
  # shellcheck disable=SC2016 # apt's placeholders, not the shell's
  apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' |
    sed -n 's/^Debian Debian //p' | head -n 1
}

# download_source puts the source of a package into $work. Package lists and
# cache are its own: the machine's stay as they are.
download_source() {
  package=$1 mirror=$2
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  signed_by=
  [ ! -f "$keyring" ] || signed_by="[signed-by=$keyring]"
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  for suite in trixie sid; do
    echo "deb-src $signed_by $mirror $suite main" >"$work/sources.list"
    if (
      cd "$work"
      set -- -qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=""
      apt-get "$@" update && apt-get "$@" source --download-only "$package"
    ) >"$work/source.log" 2>&1; then
      return
    fi
  done
  tail -n 5 "$work/source.log" >&2
  give_up "the source of $package could not be downloaded from $mirror"
}

# --- when the script cannot help -------------------------------------------

give_up() {
  cat >&2 <<INSTRUCTIONS
install.sh: $1.

The tests need PostgreSQL $min_postgres or newer with pgvector 0.$min_pgvector_minor or newer, and a C and C++ compiler.

  Debian 12:         sudo sh test/testenv/install.sh
  Debian 13:         sudo apt-get install postgresql-17 postgresql-17-pgvector gcc g++
  Ubuntu, others     sudo apt-get install postgresql-common gcc g++
  with apt:          sudo /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh
                     sudo apt-get install postgresql-17 postgresql-17-pgvector
  Fedora:            sudo dnf install postgresql-server postgresql-server-devel pgvector gcc gcc-c++
  macOS:             brew install postgresql@17 pgvector; xcode-select --install

Or name services that run already:
  CDOCS_TEST_DATABASE_URL=postgres://user:password@host/database   (may create databases; pgvector installed)
  CDOCS_TEST_OLLAMA_HOST=http://host:11434                         (has mxbai-embed-large and mistral)
INSTRUCTIONS
  exit 1
}

work=
clean_up() {
  if [ -n "${setting:-}" ]; then as_root rm -f "$setting"; fi
  if [ -n "$work" ]; then rm -rf "$work"; fi
}
trap clean_up EXIT
trap 'exit 130' INT TERM
work=$(mktemp -d)

main "$@"
