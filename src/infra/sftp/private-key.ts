import ssh2 from 'ssh2';

/** Why a private key cannot be used to log in; undefined where it can. */
export function privateKeyFault(key: string, passphrase?: string): string | undefined {
  const parsed = ssh2.utils.parseKey(key, passphrase);
  if (parsed instanceof Error) {
    return /passphrase|decrypt|integrity/i.test(parsed.message)
      ? 'The key is encrypted. Give its passphrase.'
      : 'Give a private key in the format of OpenSSH or PEM, with its first and last line.';
  }
  const [first] = [parsed].flat();
  return first?.isPrivateKey() ? undefined : 'This is a public key. Give the private one.';
}
