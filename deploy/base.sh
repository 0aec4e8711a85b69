#!/bin/sh
# Writes a minimal Debian to standard output, as a tar archive: what the images of
# this folder start from where no registry can be reached. It comes from the
# mirror that this machine takes its own packages from. debootstrap makes it,
# which needs root, or a sudo that asks for no password.
set -eu

suite=trixie

say() { echo "base.sh: $*" >&2; }

give_up() {
  say "$1"
  exit 1
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# mirror prints where this machine takes Debian from.
mirror() {
  # shellcheck disable=SC2016 # apt's placeholders, not the shell's
  apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' |
    sed -n 's/^Debian Debian //p' | head -n 1
}

command -v apt-get >/dev/null || give_up "this machine has no apt, whose mirror Debian would come from"
[ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || give_up "debootstrap needs root, or sudo without a password"
from=$(mirror)
[ -n "$from" ] || give_up "apt takes no packages from a Debian mirror here"

work=
clean_up() { [ -z "$work" ] || as_root rm -rf "$work"; }
trap clean_up EXIT
trap 'exit 130' INT TERM
work=$(mktemp -d)

PATH=$PATH:/usr/sbin:/sbin
if ! command -v debootstrap >/dev/null; then
  { as_root apt-get -qq update && as_root apt-get -qq -y install --no-install-recommends debootstrap; } \
    >"$work/apt.log" 2>&1 || { tail -n 5 "$work/apt.log" >&2; give_up "debootstrap could not be installed"; }
fi
as_root debootstrap --variant=minbase "$suite" "$work/root" "$from" >"$work/debootstrap.log" 2>&1 ||
  { tail -n 5 "$work/debootstrap.log" >&2; give_up "debootstrap did not work"; }
as_root tar -C "$work/root" --exclude='./var/cache/apt/archives/*.deb' -c .
