import { z } from 'zod';
import { credentialHeader } from '#src/automation/node-api/credential-headers.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { HttpPort, OpenCredential } from '#src/automation/node-api/ports.ts';
import { sendRenewing } from '#src/automation/node-api/send-renewing.ts';
import { isWithinDepth } from '#src/infra/json.ts';
import { defineNode } from './core-node.ts';
import { formatLimits } from './formats.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
const headerValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

const headers = z.record(z.string(), scalar.nullish()).superRefine((given, check) => {
  for (const [name, value] of Object.entries(given)) {
    if (value == null || (headerName.test(name) && headerValue.test(String(value)))) continue;
    const isName = !headerName.test(name);
    check.addIssue({
      code: 'custom',
      path: isName ? [] : [name],
      message: isName
        ? `has a header whose name cannot be sent: ${JSON.stringify(name.slice(0, 64))}. Use letters, digits and hyphens.`
        : 'cannot be sent in a header: use printable characters of Latin-1.',
    });
  }
});

const withoutUser = (url: string): boolean => {
  const { username, password } = URL.parse(url) ?? { username: '', password: '' };
  return username === '' && password === '';
};

const config = z.object({
  method: z
    .string()
    .toUpperCase()
    .pipe(z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']))
    .default('GET'),
  url: z
    .url({
      protocol: /^https?$/,
      error: 'must be an absolute http or https URL, such as https://api.example.com/orders.',
    })
    .refine(withoutUser, 'must not hold a user name or password; use a credential or a header.'),
  headers: headers.nullish(),
  query: z.record(z.string().max(256), z.union([scalar, z.array(scalar)]).nullish()).nullish(),
  body: z.unknown().optional(),
  timeout_ms: z.int().min(1).max(300_000).default(15_000),
  credential: z.union([z.int().min(1), z.string().regex(/^\d{1,19}$/)], 'must be the id of a credential.').nullish(),
  host_from: z.string().max(64).nullish(),
  fail_on_status: z.boolean().default(true),
});

type Config = z.output<typeof config>;
type Response = Awaited<ReturnType<HttpPort['request']>>;

/** Begins as it was given: a parsed URL has its host in lower case, where a secret would not be recognised. */
function urlOf({ url, query }: Config): string {
  const target = new URL(url);
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== null && each !== undefined) target.searchParams.append(name, String(each));
    }
  }
  return url.split(/[?#]/, 1)[0] + target.search;
}

/** The URL with scheme, host and port of a member of the credential: a provider may say with the token where its API is. */
async function withHostOf(url: string, member: string, credential: OpenCredential | undefined): Promise<string> {
  const given = (await credential?.field(member)) ?? '';
  const host = URL.parse(/^https?:\/\//i.test(given) ? given : `https://${given}`);
  if (given === '' || !host || !withoutUser(host.href)) {
    throw new NodeError(
      'CREDENTIAL_INCOMPLETE',
      `The credential has no URL or host in "${member}", which host_from names. Correct host_from, or connect the credential again.`,
    );
  }
  return host.origin + url.replace(/^[a-z]+:\/\/[^/?]*/i, '');
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);
function headersOf({ headers }: Config): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value !== null && value !== undefined) sent[name.toLowerCase()] = String(value);
  }
  return sent;
}

/** Text is sent unchanged, anything else as JSON. */
function bodyOf(body: unknown, headers: Record<string, string>): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return body;
  headers['content-type'] ??= 'application/json';
  return JSON.stringify(body);
}

const first = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? (value[0] ?? '') : (value ?? '');

/**
 * JSON when its content type says so and it nests no deeper than core:parse reads, otherwise text, or base64 when it is not text.
 * An empty body is null.
 */
function readBody({ headers, body }: Response): unknown {
  if (body.byteLength === 0) return null;
  const isJson = /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i.test(first(headers['content-type']));
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    if (!isJson) return text;
    try {
      const value: unknown = JSON.parse(text);
      return isWithinDepth(value, formatLimits.depth) ? value : text;
    } catch {
      return text;
    }
  } catch {
    return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64');
  }
}

const retryableStatus = (status: number): boolean => [408, 425, 429].includes(status) || status >= 500;

/** Failures of the network; a retry of the others would fail again. */
const retryableCodes = new Set(['dns', 'connect', 'disconnected', 'protocol', 'timeout', 'closed']);

function asNodeError(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'EgressError' || !('code' in error)) return error;
  const code = String(error.code);
  return new NodeError(`HTTP_${code.toUpperCase()}`, error.message, {
    retryable: retryableCodes.has(code),
    cause: error,
  });
}

export const httpRequestNode = defineNode({
  name: 'http-request',
  config,
  effect: 'effect',
  uses: ['credentials', 'http'],
  async execute(config, ctx) {
    const headers = headersOf(config);
    const body = bodyOf(config.body, headers);
    // A step may be interrupted and run again; a server that supports the header then does the work only once.
    if (!safeMethods.has(config.method)) headers['idempotency-key'] ??= ctx.idempotencyKey;
    const credential =
      config.credential == null ? undefined : await ctx.ports.credentials.open(String(config.credential));
    if (credential) {
      const [name, value] = await credentialHeader(credential);
      headers[name] = value;
    }
    const asked = urlOf(config);
    const url = config.host_from ? await withHostOf(asked, config.host_from, credential) : asked;
    const { method, timeout_ms: timeoutMs } = config;
    const request = { method, url, body, timeoutMs, secure: credential !== undefined, signal: ctx.signal };
    const response = await sendRenewing(credential, headers, (sent) =>
      ctx.ports.http.request({ ...request, headers: sent }).catch((error: unknown) => {
        throw asNodeError(error);
      }),
    );
    const outputs = { status: response.status, headers: { ...response.headers }, body: readBody(response) };
    if (config.fail_on_status && response.status >= 400) {
      // The path and the query may hold secrets.
      throw new NodeError('HTTP_STATUS', `${method} ${new URL(url).host} answered ${response.status}.`, {
        retryable: retryableStatus(response.status),
        details: outputs,
      });
    }
    return { outputs };
  },
});
