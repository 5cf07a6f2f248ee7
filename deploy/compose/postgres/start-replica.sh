#!/usr/bin/env bash
# Starts a streaming replica; the first time, with a copy of the primary. Arguments: the server's command.
set -euo pipefail

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # Complete or not there: an interrupted copy is made again.
  copy=$(dirname "$PGDATA")/unfinished-copy
  mkdir -p "$(dirname "$PGDATA")"
  rm -rf "$copy"
  PGPASSWORD=$REPLICATION_PASSWORD pg_basebackup --host primary --username replicator --pgdata "$copy" \
    --slot replica --write-recovery-conf --checkpoint fast
  rm -rf "$PGDATA"
  mv "$copy" "$PGDATA"
fi
exec docker-entrypoint.sh "$@"
