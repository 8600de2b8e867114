/**
 * True for a name that may be shown and used as the last part of a path. A server may send names that lead out of their directory or contain
 * a line break, which would forge a line of the log.
 */
export const isPlainName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && name.length <= 255 && !/[/\\\p{Cc}]/u.test(name);
