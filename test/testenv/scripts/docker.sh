#!/bin/sh
# Runs a command with a Docker engine at hand:
#
#   test/testenv/scripts/docker.sh command [argument ...]
#
# An engine that answers is used as it is. Otherwise Docker is installed, unless
# it is there, and an engine is started for as long as the command runs: with apt,
# as root or through a sudo that asks for no password. Anywhere else the script
# says what to do and exits 1. SIGINT and SIGTERM are passed on to the command.
. "$(dirname "$0")/apt.sh"

start_seconds=60

instructions() {
  cat <<'INSTRUCTIONS'
These tests need a Docker engine on this machine that the user may use:

  Debian, Ubuntu:  sudo apt-get install docker.io && sudo usermod -aG docker "$USER"   (then log in again)
  Fedora:          sudo dnf install moby-engine && sudo systemctl start docker && sudo usermod -aG docker "$USER"
  macOS:           Docker Desktop, OrbStack or Colima

"make test" runs without one.
INSTRUCTIONS
}

answers() { command -v docker >/dev/null && docker version >/dev/null 2>&1; }

install_docker() {
  if command -v docker >/dev/null && command -v dockerd >/dev/null; then return; fi
  require_apt
  say "installing Docker"
  apt_install docker.io iptables debootstrap
  # Newer releases have the client in a package of its own.
  command -v docker >/dev/null || apt_install docker-cli
}

# start_engine starts one by hand, apart from the terminal: Ctrl-C is for the
# command, which needs the engine to clean up.
start_engine() {
  require_root "starting a Docker engine"
  say "starting dockerd"
  as_root setsid dockerd --group "$(id -g)" --pidfile "$work/dockerd.pid" >"$work/log" 2>&1 &
  engine=$!
  waited=0
  until answers; do
    waited=$((waited + 1))
    if [ "$waited" -gt "$start_seconds" ] || ! kill -0 "$engine" 2>/dev/null; then
      tail -n 10 "$work/log" >&2
      give_up "dockerd does not start here: containers cannot run on this machine"
    fi
    sleep 1
  done
}

engine=
clean_up() {
  if [ -n "$engine" ] && [ -s "$work/dockerd.pid" ]; then
    as_root kill "$(cat "$work/dockerd.pid")" 2>/dev/null || :
    wait "$engine" 2>/dev/null || :
  fi
}

if ! answers; then
  install_docker
  answers || start_engine
fi
# Ollama's image is built with a compiler where no registry answers.
command -v cc >/dev/null || sh "$(dirname "$0")/install.sh" compiler
say "Docker $(docker version --format '{{.Server.Version}}')"

# In the background, so that the shell can take signals.
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
