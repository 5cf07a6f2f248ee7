#!/bin/sh
# The snapshots of stacks-index-snapshot.service, named by their time in UTC: 20260131T033000Z.snapshot
#
#     snapshots.sh create        writes a snapshot
#     snapshots.sh remove-old    removes all but the newest; SNAPSHOTS_KEPT (7 unless given) is how many stay
set -eu
folder=${SNAPSHOTS:?the folder of the snapshots}
program=$(dirname "$0")/../../bin/stacks-index
kept=${SNAPSHOTS_KEPT:-7}

case ${1-} in
  create)
    exec "$program" snapshot create "$folder/$(date -u +%Y%m%dT%H%M%SZ).snapshot"
    ;;
  remove-old)
    case $kept in
      '' | *[!0-9]* | 0*) echo "SNAPSHOTS_KEPT must be a number above 0, not \"$kept\"" >&2; exit 2 ;;
    esac
    # Names of this form alone, so that no other file is removed; their order is that of their times.
    find "$folder" -maxdepth 1 -type f -name '????????T??????Z.snapshot' | sort -r | tail -n "+$((kept + 1))" |
      while read -r file; do
        rm -- "$file"
        echo "removed $file"
      done
    ;;
  *)
    echo "usage: snapshots.sh create|remove-old" >&2
    exit 2
    ;;
esac
