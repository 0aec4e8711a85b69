#!/bin/sh
# Builds an image from a folder beside this script, for where no registry can be
# reached:
#
#   image.sh IMAGE FOLDER [option of docker build ...]
#
# The program that PROGRAM names is put beside the folder's files.
#
# It is built on a minimal Debian, from the mirror that this machine takes its own
# packages from. debootstrap makes that once, which needs root, or a sudo that asks
# for no password.
. "$(dirname "$0")/apt.sh"

here=$(cd "$(dirname "$0")" && pwd)
image=$1 folder=$2
shift 2

suite=trixie
base=compound-docs/debian:$suite-$(cat "$here/image.sh" "$here/apt.sh" | cksum | cut -d' ' -f1)

import_base() {
  require_apt
  mirror=$(debian_mirror)
  [ -n "$mirror" ] || give_up "apt takes no packages from a Debian mirror here"
  command -v debootstrap >/dev/null || apt_install debootstrap
  say "building the image $base from Debian's packages"
  logged "debootstrap did not work" as_root debootstrap --variant=minbase "$suite" "$work/root" "$mirror"
  as_root tar -C "$work/root" --exclude='./var/cache/apt/archives/*.deb' -cf "$work/root.tar" .
  docker import "$work/root.tar" "$base" >/dev/null
}

cp -R "$here/$folder" "$work/context"
chmod -R u+rwX,+x "$work/context"
[ -z "${PROGRAM:-}" ] || cp "$PROGRAM" "$work/context/"

docker image inspect "$base" >/dev/null 2>&1 || import_base
say "building the image $image"
# A bridge has no way out on some machines.
logged "docker build did not work" docker build --network host --force-rm --tag "$image" --build-arg BASE="$base" "$@" "$work/context"
