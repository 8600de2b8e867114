#!/bin/sh
# Runs a command of the image on its file system: `in-image.sh <image> <data> <node> [command ...]`, in a mount namespace of its own.
#
# What the base image brings, a Node and Debian's programs, is shown from this machine. Variables that begin with IMAGE_ are the environment.
set -eu
image=$1 data=$2 node=$3
shift 3

root=$(mktemp --directory)
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$root"
for folder in causeway usr proc dev tmp etc host var/lib/causeway opt/node; do mkdir -p "$root/$folder"; done
for link in bin lib lib64 sbin; do [ ! -L "/$link" ] || ln -s "usr/$link" "$root/$link"; done
echo 'causeway:x:10001:10001::/var/lib/causeway:/usr/sbin/nologin' >"$root/etc/passwd"
cp /etc/hosts /etc/nsswitch.conf "$root/etc"
mount --bind "$image/causeway" "$root/causeway"
mount -o remount,bind,ro "$root/causeway"
mount --bind /usr "$root/usr"
mount -o remount,bind,ro "$root/usr"
mount --bind "$(dirname "$node")" "$root/opt/node"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mkdir -p "$root/sys"
mount -t tmpfs tmpfs "$root/tmp"
mount --bind "$data" "$root/var/lib/causeway"
mount -o remount,ro "$root"

set -- deploy/image/start.sh "$@"
# Other commands than those of the entry point.
case ${2:-} in node | sh) shift ;; esac
settings=$(env | sed -n 's/^IMAGE_//p')
cd "$root"
pivot_root . host
umount --lazy /host
cd /causeway
# Values of settings have no blanks.
exec setpriv --reuid=10001 --regid=10001 --clear-groups --no-new-privs --bounding-set=-all \
  env -i PATH=/opt/node:/usr/bin:/usr/sbin HOME=/var/lib/causeway $settings "$@"
