import { isHeaderValue } from '#src/automation/http-calls/header-text.ts';
import type { CredentialUse } from '#src/automation/node-api/api-call.ts';
import {
  basicAuthorization,
  credentialParts,
  needField,
  readCertificate,
} from '#src/automation/node-api/credential-parts.ts';
import { slugNamespace } from '#src/automation/node-api/manifest.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { OpenCredential } from '#src/automation/node-api/ports.ts';
import type { ClientCertificate } from '#src/infra/egress/connector.ts';
import { encodeName, encodeText } from './percent.ts';
import { escapeXml } from './soap/escape-xml.ts';
import type { Pair } from './styles.ts';

/** The parts of a request that authenticate it. */
export interface Carried {
  headers: Record<string, string>;
  /** Names and values, percent-encoded. */
  query: Pair[];
  cookies: Pair[];
  /** The XML of the credential for the header of a SOAP envelope. */
  usernameToken?: { username: string; password: string };
  certificate?: ClientCertificate;
}

/**
 * Reads a credential and returns the request parts that its type asks for. Rejects with a NodeError if the type does not say how requests
 * carry it.
 */
export async function carryCredential(credential: OpenCredential): Promise<Carried> {
  const carried: Carried = { headers: {}, query: [], cookies: [] };
  const { sends } = credential;
  if (!sends) {
    if (slugNamespace(credential.type) !== 'core') throw unusable(credential.type);
    const { headers, certificate } = await credentialParts(credential);
    for (const [name, value] of Object.entries(headers)) addHeader(carried, name, value);
    if (certificate) carried.certificate = certificate;
  } else for (const use of sends) await carry(credential, use, carried);
  return carried;
}

const unusable = (type: string): NodeError =>
  new NodeError(
    'CREDENTIAL_UNUSABLE',
    `The credential type ${type} does not say how requests carry it; use another one.`,
  );

async function carry(credential: OpenCredential, use: CredentialUse, carried: Carried): Promise<void> {
  if (use.as === 'bearer') {
    return addHeader(carried, 'authorization', `Bearer ${await needField(credential, use.field ?? 'access_token')}`);
  }
  if (use.as === 'basic') {
    const username = await needField(credential, use.username);
    // Some APIs take a key as the user name, and no password.
    const password = (await credential.field(use.password)) ?? '';
    return addHeader(carried, 'authorization', basicAuthorization(credential, username, password));
  }
  if (use.as === 'username_token') {
    const username = await needField(credential, use.username);
    const password = (await credential.field(use.password)) ?? '';
    // A server may repeat the envelope in an error, so redact the escaped form too.
    const escaped = escapeXml(password);
    if (escaped !== password) credential.onDerived?.(escaped);
    carried.usernameToken = { username, password };
    return;
  }
  if (use.as === 'certificate') {
    carried.certificate = await readCertificate(credential, use);
    return;
  }
  const value = `${use.prefix ?? ''}${await needField(credential, use.field ?? 'access_token')}`;
  if (use.as === 'header') return addHeader(carried, use.name, value);
  const sent = use.as === 'cookie' && isCookieValue(value) ? value : encodeText(value);
  // A server may repeat the encoded value in a link to the next page, so redact that form too.
  if (sent !== value) credential.onDerived?.(sent);
  if (use.as === 'query') carried.query.push([encodeName(use.name), sent]);
  else carried.cookies.push([use.name, sent]);
}

/** True if RFC 6265 allows the text in a cookie unencoded, so that a session id is sent as the server wrote it. */
const isCookieValue = (text: string): boolean =>
  /^[\u0021\u0023-\u002b\u002d-\u003a\u003c-\u005b\u005d-\u007e]*$/.test(text);

function addHeader({ headers }: Carried, name: string, value: string): void {
  if (!isHeaderValue(value)) {
    throw new NodeError(
      'CREDENTIAL_UNUSABLE',
      'The credential has a value that cannot be sent in a header: a line break, or a character outside Latin-1. Correct it.',
    );
  }
  headers[name.toLowerCase()] = value;
}
