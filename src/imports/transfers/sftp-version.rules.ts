import type { RemoteFile } from '#src/infra/sftp/sftp-session.ts';

/** What tells one state of a file from another. */
export const versionOf = ({ size, modifiedAt }: Pick<RemoteFile, 'size' | 'modifiedAt'>): string =>
  `${size} bytes at ${modifiedAt}`;
