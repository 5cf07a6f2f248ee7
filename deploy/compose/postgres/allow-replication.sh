#!/usr/bin/env bash
# Run once by the PostgreSQL image, in a new primary: lets a replica in, and keeps for it what it has not read yet.
set -euo pipefail

psql --set=ON_ERROR_STOP=1 --set=password="$REPLICATION_PASSWORD" --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
CREATE ROLE replicator WITH REPLICATION LOGIN PASSWORD :'password';
SELECT pg_create_physical_replication_slot('replica');
SQL
echo 'host replication replicator all scram-sha-256' >>"$PGDATA/pg_hba.conf"
