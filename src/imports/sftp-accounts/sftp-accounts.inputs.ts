import { z } from 'zod';
import { fingerprintPattern } from '#src/infra/sftp/host-keys.ts';

export const accountsPerTenant = 100;

export const loginWays = ['password', 'private_key'] as const;

const name = z.string().trim().min(1).max(191);
const host = z
  .string()
  .trim()
  .max(253)
  .regex(
    /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9.])?$|^[0-9A-Fa-f:.]+$/,
    'Write a host name or an address, without ssh://.',
  );
const port = z.int().min(1).max(65_535);
const username = z
  .string()
  .min(1)
  .max(191)
  .regex(/^\P{Cc}+$/u, 'Write it without line breaks.');
const password = z.string().min(1).max(1_024);
const privateKey = z.string().min(1).max(16_384);
const passphrase = z.string().min(1).max(1_024);
const hostKey = z
  .string()
  .regex(fingerprintPattern, 'Write it as `ssh-keygen -lf` prints it: SHA256: and 43 characters.');

export const createSftpAccountInput = z.object({
  name: name.describe('Unique in the tenant, 1 to 191 characters.'),
  host: host.describe('The name or address of the server.'),
  port: port.nullish().describe('Left out: 22.'),
  username: username.describe('Who logs in.'),
  password: password.nullish().describe('Or `privateKey`.'),
  privateKey: privateKey.nullish().describe('In the format of OpenSSH or PEM.'),
  passphrase: passphrase.nullish().describe('Of the private key, where it is encrypted.'),
  hostKey: hostKey
    .nullish()
    .describe(
      'The key that the server must show, as `ssh-keygen -lf` prints it: `SHA256:...`. Without it, the error says which key the server shows now.',
    ),
});

/** A member that is left out or null stays as it is; a password and a key replace each other. */
export const updateSftpAccountInput = z.object({
  name: name.nullish().describe('Null leaves it as it is.'),
  host: host.nullish().describe('Null leaves it as it is; the pinned host key stays.'),
  port: port.nullish().describe('Null leaves it as it is.'),
  username: username.nullish().describe('Null leaves it as it is.'),
  password: password.nullish().describe('Replaces the password or the key.'),
  privateKey: privateKey.nullish().describe('Replaces the password or the key.'),
  passphrase: passphrase.nullish().describe('Of the private key that is given.'),
});

export const acceptSftpHostKeyInput = z.object({
  hostKey: hostKey.describe('The key that the server shows from now on: `SHA256:...`.'),
});
