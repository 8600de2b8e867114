import { RE2JS } from 're2js';
import type { RemoteFile } from '#src/infra/sftp/sftp-session.ts';

/** The version of a file: it differs whenever the file has changed. */
export const formatVersion = ({ size, modifiedAt }: Pick<RemoteFile, 'size' | 'modifiedAt'>): string =>
  `${size} bytes at ${modifiedAt}`;

/** True if a name matches a pattern in which `*` is any text and `?` any character. Case matters. */
export function compilePattern(pattern: string): (name: string) => boolean {
  const source = Array.from(pattern, (each) => (each === '*' ? '.*' : each === '?' ? '.' : RE2JS.quote(each))).join('');
  // Linear in the name, whatever the pattern.
  const compiled = RE2JS.compile(source, RE2JS.DOTALL);
  return (name) => compiled.matches(name);
}
