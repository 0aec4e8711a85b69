#!/bin/sh
# Installs with apt what the tests need, as root or through a sudo that asks for no password:
#
#   install.sh compiler    a C and a C++ compiler, from which the tests build Ollama
#   install.sh pip         which downloads PostgreSQL
. "$(dirname "$0")/apt.sh"

instructions() {
  cat <<'INSTRUCTIONS'
The tests need pip, and a C and a C++ compiler:

  Debian, Ubuntu:  sudo apt-get install python3-pip gcc g++

Or name services for them:
  CDOCS_TEST_DATABASE_URL=postgres://user:password@host/database   (may create databases; pgvector installed)
  CDOCS_TEST_OLLAMA_HOST=http://host:11434                         (has mxbai-embed-large and mistral)
INSTRUCTIONS
}

install_compiler() {
  say "installing a C and a C++ compiler, to build Ollama"
  apt_install gcc g++ libc6-dev
}

install_pip() {
  say "installing pip, to download PostgreSQL"
  apt_install python3-pip
}

require_apt
for part; do "install_$part"; done
