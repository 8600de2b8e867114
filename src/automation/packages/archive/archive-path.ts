const maxPathLength = 240;
const maxDepth = 16;

/**
 * An archive entry's path relative to the package's root ('' for the root folder itself), or why it is refused.
 * Accepts only spellings that mean the same on every file system.
 */
export function packagePath(entryPath: string, isFolder: boolean): { path: string } | { reason: string } {
  const path = isFolder ? entryPath.replace(/\/$/, '') : entryPath;
  if (path.length > maxPathLength) return { reason: `its path is longer than ${maxPathLength} characters` };
  // oxlint-disable-next-line no-control-regex -- the pattern looks for control characters
  if (/[\u0000-\u001f\u007f\ufffd]/.test(path)) return { reason: 'its path holds control or undecodable characters' };
  if (path.includes('\\')) return { reason: 'its path holds a backslash' };
  if (path.startsWith('/')) return { reason: 'its path is absolute' };
  if (path.includes(':')) return { reason: 'its path holds a colon, as drive letters do' };
  const segments = path.split('/');
  if (segments.includes('..')) return { reason: 'its path leaves the package' };
  if (segments.some((segment) => segment === '' || segment === '.')) return { reason: 'its path has an empty segment' };
  if (segments.some((segment) => /[. ]$/.test(segment)))
    return { reason: 'a segment of its path ends in a dot or space' };
  if (segments.length > maxDepth) return { reason: `it lies deeper than ${maxDepth} folders` };
  if (segments[0] !== 'package' || (segments.length === 1 && !isFolder)) {
    return { reason: 'it lies outside the folder "package/"; make the archive with npm pack' };
  }
  return { path: segments.slice(1).join('/') };
}

const folded = (path: string): string => path.normalize('NFC').toLowerCase();

/**
 * Records a path and its folders in `claimed` (folded spelling -> "kind:spelling"), or returns what it clashes with: an
 * earlier entry, a file where a folder must be, or a spelling that differs only in case.
 */
export function claimPath(claimed: Map<string, string>, path: string, isFolder: boolean): string | undefined {
  const segments = path === '' ? [] : path.split('/');
  for (let depth = 1; depth <= segments.length; depth++) {
    const part = segments.slice(0, depth).join('/');
    const last = depth === segments.length;
    const kind = last && !isFolder ? 'file' : 'folder';
    const mine = `${kind}:${part}`;
    const theirs = claimed.get(folded(part));
    if (theirs === undefined) claimed.set(folded(part), mine);
    else if (theirs !== mine) return clash(theirs, part);
    else if (kind === 'file') return 'it is there twice';
  }
  return undefined;
}

function clash(theirs: string, part: string): string {
  const spelling = theirs.slice(theirs.indexOf(':') + 1);
  return spelling === part
    ? 'the same path is a file and a folder'
    : `"${spelling.slice(0, 120)}" has the same path but for its case`;
}
