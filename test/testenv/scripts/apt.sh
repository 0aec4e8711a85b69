# shellcheck shell=sh
# What scripts that install something share: each starts with ". apt.sh" and may define
# instructions, which says what a user can do where the script cannot, and clean_up.
set -eu

began=$(date +%s)
say() { echo "${0##*/}: after $(($(date +%s) - began)) s: $*" >&2; }

give_up() {
  say "$1."
  if command -v instructions >/dev/null; then
    echo >&2
    instructions >&2
  fi
  exit 1
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# require_root gives up where as_root cannot work. Its argument says what needs it.
require_root() {
  [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || give_up "$1 needs root, or sudo without a password"
}

require_apt() {
  command -v apt-get >/dev/null || give_up "this machine has no apt"
  require_root "installing packages"
}

apt_update() { as_root apt-get -qq update >&2 || say "some package lists could not be read; going on without them"; }

# apt_install installs packages, and tries once more with fresh package lists
# when the ones at hand name files that the mirror no longer has.
apt_install() {
  apt_install_once "$@" && return
  apt_update
  apt_install_once "$@" || { tail -n 5 "$work/log" >&2; give_up "apt-get install $* did not work"; }
}

apt_install_once() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
    -o Dpkg::Use-Pty=0 "$@" >"$work/log" 2>&1
}

# debian_mirror prints where this machine takes Debian from.
debian_mirror() {
  # shellcheck disable=SC2016 # apt's placeholders, not the shell's
  apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' |
    sed -n 's/^Debian Debian //p' | head -n 1
}

# logged runs a command with its output in $work/log, and gives up with the end of
# that. The first argument says what has failed.
logged() {
  what=$1
  shift
  "$@" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; give_up "$what"; }
}

# leave removes $work, where the script keeps its files, even those of other accounts.
leave() {
  if command -v clean_up >/dev/null; then clean_up; fi
  rm -rf "$work" 2>/dev/null || as_root rm -rf "$work"
}
PATH=$PATH:/usr/sbin:/sbin
work=$(mktemp -d)
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
