#!/bin/sh
# Runs a command with a Docker engine at hand:
#
#   test/testenv/docker.sh command [argument ...]
#
# An engine that answers is used as it is. Otherwise Docker is installed, unless
# it is there, and an engine is started for as long as the command runs: with apt,
# as root or through a sudo that asks for no password. Anywhere else the script
# says what to do and exits 1. SIGINT and SIGTERM are passed on to the command.
set -eu

start_seconds=60

say() { echo "docker.sh: $*" >&2; }

main() {
  if ! answers; then
    install_docker
    answers || start_engine
  fi
  # The base of images, and what Ollama is built from, where no registry answers.
  if [ -z "$(command -v cc)" ]; then
    "$(dirname "$0")/install.sh" ollama
  fi
  say "Docker $(docker version --format '{{.Server.Version}}')"
  run "$@"
}

answers() { command -v docker >/dev/null && docker version >/dev/null 2>&1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

install_docker() {
  PATH=$PATH:/usr/sbin:/sbin
  if command -v docker >/dev/null && command -v dockerd >/dev/null; then return; fi
  command -v apt-get >/dev/null || give_up "this machine has no apt to install Docker with"
  [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || give_up "installing Docker needs root, or sudo without a password"
  say "installing Docker"
  apt_install docker.io iptables debootstrap || { as_root apt-get -qq update && apt_install docker.io iptables debootstrap; } ||
    { tail -n 5 "$log" >&2; give_up "apt-get install docker.io did not work"; }
  # Newer releases have the client in a package of its own.
  command -v docker >/dev/null || apt_install docker-cli || give_up "apt has no Docker client"
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
    -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1
}

# start_engine starts one by hand, apart from the terminal: Ctrl-C is for the
# command, which needs the engine to clean up.
start_engine() {
  [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || give_up "no Docker engine answers, and starting one needs root"
  say "starting dockerd"
  as_root setsid dockerd --group "$(id -g)" --pidfile "$work/dockerd.pid" >"$log" 2>&1 &
  engine=$!
  waited=0
  until answers; do
    waited=$((waited + 1))
    if [ "$waited" -gt "$start_seconds" ] || ! kill -0 "$engine" 2>/dev/null; then
      tail -n 10 "$log" >&2
      give_up "dockerd does not start here: containers cannot run on this machine"
    fi
    sleep 1
  done
}

# run runs the command in the background, where the shell can take signals.
run() {
  "$@" &
  child=$!
  trap 'kill -INT "$child" 2>/dev/null || :' INT
  trap 'kill -TERM "$child" 2>/dev/null || :' TERM
  while :; do
    code=0
    wait "$child" || code=$?
    kill -0 "$child" 2>/dev/null || break # else a signal has interrupted the wait
  done
  exit "$code"
}

give_up() {
  cat >&2 <<INSTRUCTIONS
docker.sh: $1.

These tests need a Docker engine on this machine that the user may use:

  Debian, Ubuntu:  sudo apt-get install docker.io && sudo usermod -aG docker "\$USER"   (then log in again)
  Fedora:          sudo dnf install moby-engine && sudo systemctl start docker && sudo usermod -aG docker "\$USER"
  macOS:           Docker Desktop, OrbStack or Colima

"make test" runs without one.
INSTRUCTIONS
  exit 1
}

work= engine=
clean_up() {
  if [ -n "$engine" ] && [ -s "$work/dockerd.pid" ]; then
    as_root kill "$(cat "$work/dockerd.pid")" 2>/dev/null || :
    wait "$engine" 2>/dev/null || :
  fi
  if [ -n "$work" ]; then as_root rm -rf "$work"; fi
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
work=$(mktemp -d)
log=$work/log

main "$@"
