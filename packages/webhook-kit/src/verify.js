import { createHmac, timingSafeEqual } from 'node:crypto';

/** A delivery that fails verification; answer it 401. */
export class WebhookError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = 'WebhookError';
    this.code = code;
  }
}

/**
 * Verifies a delivery over its raw body, and returns its event. Throws a WebhookError.
 *
 * The signature of Standard Webhooks is checked first, because it covers the id and the time of the delivery as well; a delivery without it
 * is verified by `X-Platform-Signature`, which covers the body alone.
 */
export function verifyWebhook(delivery) {
  const signed = verifySignature(delivery);
  return {
    ...signed,
    topic: headerReader(delivery.headers)('x-platform-topic'),
    event: parseEvent(toBytes(delivery.body)),
  };
}

/** Verifies the sender of a body, whatever its content. */
export function verifySignature({ body, headers, secret, toleranceSeconds = 300, now = Date.now() }) {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  if (secrets.length === 0 || secrets.some((one) => one === ''))
    throw new TypeError('Pass the secret of the destination.');
  const bytes = toBytes(body);
  const header = headerReader(headers);
  const standard = header('webhook-signature');
  const platform = header('x-platform-signature');
  if (standard === null && platform === null)
    throw new WebhookError('signature_missing', 'The delivery is not signed.');

  const [idName, timeName] =
    standard === null ? ['x-platform-id', 'x-platform-timestamp'] : ['webhook-id', 'webhook-timestamp'];
  const id = header(idName);
  const timestamp = header(timeName);
  if (id === null) throw new WebhookError('id_missing', `The header ${idName} is missing.`);
  if (timestamp === null || !/^\d{1,12}$/.test(timestamp))
    throw new WebhookError('timestamp_missing', `The header ${timeName} must hold seconds since 1970.`);
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookError('timestamp_off', `The delivery was signed more than ${toleranceSeconds} s from now.`);

  const isSigned =
    standard === null
      ? isAny(
          platform.split(',').map((one) => lowerHex(one.trim())),
          secrets.map((one) => platformSignature(one, bytes)),
        )
      : isAny(
          standard.split(' '),
          secrets.map((one) => standardSignature(one, id, timestamp, bytes)),
        );
  if (!isSigned) throw new WebhookError('signature_wrong', 'No signature of the delivery was made with the secret.');
  return { id, timestamp: Number(timestamp) };
}

const toBytes = (body) => (typeof body === 'string' ? Buffer.from(body, 'utf8') : body);

const platformSignature = (secret, body) => `v0=${createHmac('sha256', secret).update(body).digest('hex')}`;

const standardSignature = (secret, id, timestamp, body) =>
  `v1,${createHmac('sha256', decodeSecret(secret)).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;

/** Upper-case hex means the same. */
const lowerHex = (signature) => (signature.startsWith('v0=') ? `v0=${signature.slice(3).toLowerCase()}` : signature);

/** `whsec_<base64>`, which some show as `v1,whsec_<base64>`, encodes the bytes of the key; any other secret is used as it is. */
function decodeSecret(secret) {
  const [, encoded] =
    /^(?:v1,)?whsec_((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?)$/.exec(secret) ?? [];
  return encoded === undefined ? Buffer.from(secret, 'utf8') : Buffer.from(encoded, 'base64');
}

/** Compares all with all, each pair in constant time. */
function isAny(candidates, expected) {
  let found = false;
  for (const candidate of candidates.map((text) => Buffer.from(text, 'utf8'))) {
    for (const signature of expected.map((text) => Buffer.from(text, 'utf8'))) {
      if (candidate.length === signature.length && timingSafeEqual(candidate, signature)) found = true;
    }
  }
  return found;
}

/** Reads a header of a `Headers` object or of Node's `request.headers`, by its name in lower case; null if it is missing. */
function headerReader(headers) {
  if (typeof headers.get === 'function') return (name) => headers.get(name) || null;
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = lower.get(name);
    return (Array.isArray(value) ? value.join(',') : value) || null;
  };
}

function parseEvent(bytes) {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new WebhookError('body_unreadable', 'The body is not JSON in UTF-8.');
  }
}
