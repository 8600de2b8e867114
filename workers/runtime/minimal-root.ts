import { dirname } from 'node:path';
import type { Visible } from './program.ts';

export type RootTools = Record<'unshare' | 'mount' | 'mkdir' | 'env', string>;

/** Every Linux has this directory, the child does not need it, and none of the visible files is in it. */
const place = '/sys';
const root = `${place}/root`;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** mount(8) reads blanks and backslashes of a path in octal. */
const inTable = (path: string): string =>
  path.replaceAll(/[\s\\#]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`);

/**
 * The script that `sh` runs in a fresh mount namespace before it becomes the command in its arguments: a folder of a small tmpfs shows
 * each visible file at its own path, read-only, and becomes the command's root. The command has no capability to leave
 * it by, and gets none: the kernel makes no user namespace for a process in such a root (`current_chrooted()`). After
 * `pivot_root` it would, and neither `unshare` nor the `/proc` it needs would be there for the last step.
 *
 * One `mount --all` mounts everything: a process for each mount would take 40 ms more.
 */
export function minimalRootScript(tools: RootTools, visible: Visible, user: string[]): string {
  const all = [...visible.folders, ...visible.files];
  const folders = [...new Set([...visible.folders, ...visible.files.map((file) => dirname(file))])];
  const table = all.map((path) => `${inTable(path)} ${inTable(root + path)} none bind,ro,nosuid,nodev 0 0\n`);
  const inRoot = (paths: string[]): string[] => paths.map((path) => quoted(root + path));
  // The child must not see the host's mount table.
  const mount = `${tools.mount} --no-mtab`;
  return `
    set -eu
    umask 022
    ${mount} -t tmpfs -o mode=755,size=1m,nosuid,nodev tmpfs ${place}
    ${tools.mkdir} -p ${inRoot(folders).join(' ')}
    for file in ${inRoot(visible.files).join(' ')}; do : > "$file"; done
    printf %s ${quoted(table.join(''))} > ${place}/mounts
    ${mount} --all --fstab ${place}/mounts
    ${mount} -o remount,bind,ro,nosuid,nodev ${place}
    # There are mounts that take "ro" for a bind and do nothing.
    for path in ${place} ${inRoot(all).join(' ')}; do [ ! -w "$path" ]; done
    ulimit -f 0
    exec ${tools.env} -i ${tools.unshare} --root=${root} ${user.join(' ')} -- "$@"`;
}
