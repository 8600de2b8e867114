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
const secrets = {
  password: z.string().min(1).max(1_024).nullish(),
  /** In the format of OpenSSH or PEM. */
  privateKey: z.string().min(1).max(16_384).nullish(),
  passphrase: z.string().min(1).max(1_024).nullish(),
};
const hostKey = z
  .string()
  .regex(fingerprintPattern, 'Write it as `ssh-keygen -lf` prints it: SHA256: and 43 characters.');

export const createSftpAccountInput = z.object({
  name,
  host,
  port: port.nullish(),
  username,
  ...secrets,
  hostKey: hostKey.nullish(),
});

/** A member that is left out or null stays as it is; a password and a key replace each other. */
export const updateSftpAccountInput = z.object({
  name: name.nullish(),
  host: host.nullish(),
  port: port.nullish(),
  username: username.nullish(),
  ...secrets,
});

export const acceptSftpHostKeyInput = z.object({ hostKey });
