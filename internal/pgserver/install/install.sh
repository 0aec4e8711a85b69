#!/bin/sh
# Installs with apt, for compound-docs init and for the tests:
#
#   install.sh database    a PostgreSQL server, 15 or newer, with pgvector 0.8 or newer
#   install.sh compiler    a C and a C++ compiler, from which the tests build Ollama
#
# Without an argument it installs both. It runs as root or through a sudo that asks
# for no password. Where there is no package of pgvector, the repository of the
# PostgreSQL project is added; where that does not answer, Debian's source package is
# built. No database cluster is created and no service is started.
. "$(dirname "$0")/apt.sh"

min_postgres=15
min_pgvector_minor=8 # of 0.x

instructions() {
  cat <<INSTRUCTIONS
compound-docs needs PostgreSQL $min_postgres or newer with pgvector 0.$min_pgvector_minor or newer:

  Debian 13:         sudo apt-get install postgresql-17 postgresql-17-pgvector
  others with apt:   sudo apt-get install postgresql-common
                     sudo /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh
                     sudo apt-get install postgresql-17 postgresql-17-pgvector
  Fedora:            sudo dnf install postgresql-server pgvector
  macOS:             brew install postgresql@17 pgvector

Or set CDOCS_DATABASE_URL to a database that runs already.
INSTRUCTIONS
  case $parts in *compiler*) ;; *) return ;; esac
  cat <<'INSTRUCTIONS'

The tests need a C and a C++ compiler too (gcc and g++). Or name services for them:
  CDOCS_TEST_DATABASE_URL=postgres://user:password@host/database   (may create databases; pgvector installed)
  CDOCS_TEST_OLLAMA_HOST=http://host:11434                         (has mxbai-embed-large and mistral)
INSTRUCTIONS
}

install_compiler() {
  say "installing a C and a C++ compiler, to build Ollama"
  apt_install gcc g++ libc6-dev
}

install_database() {
  apt-cache show postgresql >/dev/null 2>&1 || apt_update
  without_main_cluster
  major=$(packaged_major)
  if [ -z "$major" ] && repository_answers; then
    add_repository
    major=$(packaged_major)
  fi
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
  packaged=$(apt-cache pkgnames postgresql- | sed -n 's/^postgresql-\([0-9]*\)-pgvector$/\1/p' | sort -rn)
  for major in $(installed_majors) $packaged; do
    version=$(apt-cache policy "postgresql-$major-pgvector" | sed -n 's/^ *Candidate: //p')
    if [ "$major" -ge "$min_postgres" ] && new_enough "$version"; then
      echo "$major"
      return
    fi
  done
}

# repository_answers tells whether the PostgreSQL project has packages for this release of
# Debian or Ubuntu, and can be reached.
repository_answers() {
  release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  /usr/lib/apt/apt-helper -o Acquire::http::Timeout=5 -o Acquire::Retries=0 download-file \
    "http://apt.postgresql.org/pub/repos/apt/dists/$release-pgdg/Release" "$work/Release" >"$work/log" 2>&1
}

# add_repository adds the packages of the PostgreSQL project.
add_repository() {
  say "adding the package repository of the PostgreSQL project (apt.postgresql.org)"
  apt_install postgresql-common ca-certificates
  logged "the repository could not be added" as_root /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y
}

installed_majors() {
  for server in /usr/lib/postgresql/*/bin/postgres; do
    [ ! -x "$server" ] || echo "$server"
  done | sed 's:^/usr/lib/postgresql/\([0-9]*\)/.*:\1:' | sort -rn
}

# new_enough tells whether a version of pgvector, such as 0.8.0-1, will do.
new_enough() {
  case $1 in
    0.*) minor=${1#0.} && [ "${minor%%[!0-9]*}" -ge "$min_pgvector_minor" ] ;;
    [1-9]*) true ;;
    *) false ;;
  esac
}

# without_main_cluster keeps Debian's package from creating a cluster and starting
# it, as it would at its first installation. clean_up restores the machine's own
# setting.
without_main_cluster() {
  setting=/etc/postgresql-common/createcluster.d/compound-docs.conf
  as_root mkdir -p "${setting%/*}"
  echo 'create_main_cluster = false' | as_root tee "$setting" >/dev/null
}

clean_up() { [ -z "${setting:-}" ] || as_root rm -f "$setting"; }

# build_pgvector builds pgvector from the source package of a newer Debian: its
# 0.8.0 builds against every PostgreSQL from 13 on.
build_pgvector() {
  major=$(installed_majors | head -n 1)
  [ -n "$major" ] || major=$(apt-cache depends postgresql | sed -n 's/^ *Depends: postgresql-\([0-9]*\)$/\1/p')
  [ "${major:-0}" -ge "$min_postgres" ] || give_up "this distribution has no PostgreSQL $min_postgres"
  mirror=$(debian_mirror)
  [ -n "$mirror" ] || give_up "no pgvector for PostgreSQL $major among this machine's packages, apt.postgresql.org does not answer, and there is no Debian mirror to take its source from"

  say "installing PostgreSQL $major and a compiler"
  apt_install "postgresql-$major" gcc libc6-dev make
  # The headers are unpacked apart: installed, their package brings clang and LLVM.
  (cd "$work" && logged "the headers of PostgreSQL could not be downloaded" \
    apt-get -o APT::Sandbox::User="" download "postgresql-server-dev-$major")
  dpkg-deb -x "$work"/postgresql-server-dev-*.deb "$work/headers"

  say "building pgvector from Debian's source package"
  download_source pgvector "$mirror"
  mkdir "$work/pgvector"
  tar -xzf "$work"/pgvector_*.orig.tar.gz -C "$work/pgvector" --strip-components=1
  set -- make -C "$work/pgvector" PG_CONFIG="/usr/lib/postgresql/$major/bin/pg_config" with_llvm=no \
    PG_CPPFLAGS="-I$work/headers/usr/include/postgresql/$major/server"
  logged "pgvector did not build" "$@"
  logged "pgvector could not be installed" as_root "$@" install
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
    ) >"$work/log" 2>&1; then
      return
    fi
  done
  tail -n 5 "$work/log" >&2
  give_up "the source of $package could not be downloaded from $mirror"
}

[ $# -gt 0 ] || set -- database compiler
parts=$*
require_apt
for part; do "install_$part"; done
