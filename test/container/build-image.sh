#!/bin/sh
# Builds the image of the Dockerfile where no registry can be asked: the base is made of Debian packages, of the Node.js of this checkout and of npm.
# Needs root, buildah and debootstrap; takes some minutes. DIRECTORY keeps the base and the images. Then
# `STACKS_TEST_IMAGE=DIRECTORY npm test -- clarinet` runs the tests of Clarinet's devnet in the image.
#
#     test/container/build-image.sh DIRECTORY [SUITE]
set -eu
mkdir -p "$1"
directory=$(readlink -f "$1")
suite=${2:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
here=$(readlink -f "$(dirname "$0")")
root=$(readlink -f "$here/../..")
base=$directory/base

if [ ! -e "$base/etc/os-release" ]; then
  debootstrap --variant=minbase --include=ca-certificates "$suite" "$base"
fi
# A proxy of the network may sign with an authority that Debian does not know.
cp /etc/ssl/certs/ca-certificates.crt "$base/etc/ssl/certs/"
cp "$(readlink -f "$root/node_modules/node/bin/node")" "$base/usr/local/bin/node"
mkdir -p "$base/usr/local/lib/node_modules"
rm -rf "$base/usr/local/lib/node_modules/npm"
cp -R "$(npm root --global)/npm" "$base/usr/local/lib/node_modules/npm"
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$base/usr/local/bin/npm"

name=$(sed -n 's/^FROM \(node:[^ ]*\)$/\1/p' "$root/Dockerfile")
"$here/buildah.sh" "$directory" build --isolation chroot --tag "localhost/$name" --file - "$base" <<'END'
FROM scratch
COPY . /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
END
"$here/buildah.sh" "$directory" build --isolation chroot --pull-never --tag stacks-index "$root"
echo "stacks-index is built in $directory"
