import { needField } from '#src/automation/node-api/credential-parts.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { restorePem } from '#src/automation/node-api/pem.rules.ts';
import type { OpenCredential } from '#src/automation/node-api/ports.ts';
import { type Address, readAddress } from './addresses.ts';

export interface SmtpServer {
  host: string;
  port: number;
  tls: 'starttls' | 'implicit' | 'none';
  from: Address;
  auth?: { user: string; pass: string };
  ca?: string;
}

/** Reads the server of a credential. */
export async function readSmtpServer(credential: OpenCredential): Promise<SmtpServer> {
  const [given, port, user, password, ca] = await Promise.all(
    ['tls', 'port', 'username', 'password', 'ca'].map((name) => credential.field(name)),
  );
  const from = readAddress(await needField(credential, 'from'));
  if (!from)
    throw new NodeError('CREDENTIAL_INCOMPLETE', 'The sender of the credential is not a mail address; correct it.');
  const tls = given === 'implicit' || given === 'none' ? given : 'starttls';
  return {
    host: await needField(credential, 'host'),
    port: Number(port ?? (tls === 'implicit' ? 465 : 587)),
    tls,
    from,
    ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
    ...(ca !== undefined && { ca: restorePem(ca) }),
  };
}
