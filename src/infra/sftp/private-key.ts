/** Why a private key cannot be used to log in; undefined if it can. */
export async function privateKeyFault(key: string, passphrase?: string): Promise<string | undefined> {
  const { default: ssh2 } = await import('ssh2');
  const parsed = ssh2.utils.parseKey(key, passphrase);
  if (parsed instanceof Error) {
    return /passphrase|decrypt|integrity/i.test(parsed.message)
      ? 'The key is encrypted. Give its passphrase.'
      : 'Give a private key in the format of OpenSSH or PEM, with its first and last line.';
  }
  const [first] = [parsed].flat();
  return first?.isPrivateKey() ? undefined : 'This is a public key. Give the private one.';
}
