#!/bin/sh
# Makes a cluster in $PGDATA unless there is one, then runs the command.
# POSTGRES_PASSWORD has to be set then; POSTGRES_USER is postgres and POSTGRES_DB
# the user's name unless they say otherwise.
set -eu

if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA" /run/postgresql
  chown postgres:postgres "$PGDATA" /run/postgresql
  chmod 700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups -- "$0" "$@"
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  if [ -z "${POSTGRES_PASSWORD:-}" ]; then
    echo "docker-entrypoint.sh: POSTGRES_PASSWORD is not set" >&2
    exit 1
  fi
  user=${POSTGRES_USER:-postgres}
  password=$(mktemp)
  printf '%s\n' "$POSTGRES_PASSWORD" >"$password"
  initdb --username="$user" --pwfile="$password" --auth-local=trust --auth-host=scram-sha-256 \
    --encoding=UTF8 --no-instructions
  rm -f "$password"
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
  database=${POSTGRES_DB:-$user}
  if [ "$database" != postgres ]; then
    # The single-user mode has no variables: the name is quoted here.
    quoted=$(printf '%s' "$database" | sed 's/"/""/g')
    echo "CREATE DATABASE \"$quoted\"" | postgres --single -D "$PGDATA" postgres >/dev/null
  fi
fi
exec "$@"
