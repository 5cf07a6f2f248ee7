#!/bin/sh
# Runs buildah with images below a directory of its own, and with devices of its own: in some versions, `FROM scratch` changes the mode of /dev/null.
#
#     test/container/buildah.sh DIRECTORY ARGUMENTS...
set -eu
directory=$(readlink -f "$1")
shift
exec unshare --mount --propagation private sh -c '
  mount -t tmpfs -o mode=755 tmpfs /mnt
  cp -a /dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty /mnt
  mkdir /mnt/shm /mnt/pts
  ln -s /proc/self/fd /mnt/fd
  mount --move /mnt /dev
  exec "$@"' sh buildah --root "$directory/images" --runroot "$directory/run" --storage-driver vfs "$@"
