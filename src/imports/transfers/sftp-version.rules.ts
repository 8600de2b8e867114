import type { RemoteFile } from '#src/infra/sftp/sftp-session.ts';

/** The version of a file: it differs whenever the file has changed. */
export const versionOf = ({ size, modifiedAt }: Pick<RemoteFile, 'size' | 'modifiedAt'>): string =>
  `${size} bytes at ${modifiedAt}`;
