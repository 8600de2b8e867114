import { createHash } from 'node:crypto';

/** A server's public key as `ssh-keygen -lf` prints it: `SHA256:` and 43 characters of base64. */
export const fingerprintPattern = /^SHA256:[A-Za-z0-9+/]{43}$/;

export const formatFingerprint = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;

/** The algorithms that sign with a kind of key, by the kind that the key itself names. */
const families: readonly { kind: string; algorithms: readonly string[] }[] = [
  { kind: 'ssh-ed25519', algorithms: ['ssh-ed25519'] },
  { kind: 'ecdsa-sha2-nistp256', algorithms: ['ecdsa-sha2-nistp256'] },
  { kind: 'ecdsa-sha2-nistp384', algorithms: ['ecdsa-sha2-nistp384'] },
  { kind: 'ecdsa-sha2-nistp521', algorithms: ['ecdsa-sha2-nistp521'] },
  { kind: 'ssh-rsa', algorithms: ['rsa-sha2-512', 'rsa-sha2-256'] },
];

/** The kind of a key, which is its first string. */
export const readKeyKind = (key: Buffer): string => key.subarray(4, 4 + key.readUInt32BE(0)).toString('latin1');

/** The algorithms to offer to a server that has shown keys of the `seen` kinds but not the wanted one: it may have others. */
export const algorithmsBut = (seen: readonly string[]): string[] =>
  families.filter(({ kind }) => !seen.includes(kind)).flatMap(({ algorithms }) => algorithms);
