import { z } from 'zod';
import { headerValueRule, isHeaderName, isHeaderValue } from '#src/automation/http-calls/header-text.ts';
import { paging } from '#src/automation/http-calls/paging-forms.ts';
import { defaultMaxRedirects } from '#src/automation/http-calls/send-request.ts';
import { withoutUser } from '#src/automation/http-calls/without-user.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { OpenCredential } from '#src/automation/node-api/ports.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const headers = z.record(z.string(), scalar.nullish()).superRefine((given, check) => {
  for (const [name, value] of Object.entries(given)) {
    if (value == null || (isHeaderName(name) && isHeaderValue(String(value)))) continue;
    const isName = !isHeaderName(name);
    check.addIssue({
      code: 'custom',
      path: isName ? [] : [name],
      message: isName
        ? `has a header whose name cannot be sent: ${JSON.stringify(name.slice(0, 64))}. Use letters, digits and hyphens.`
        : headerValueRule,
    });
  }
});

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
const pagedMethods: readonly string[] = ['GET', 'POST'];

export const httpConfig = z
  .object({
    method: z.string().toUpperCase().pipe(z.enum(methods)).default('GET'),
    url: z
      .url({
        protocol: /^https?$/,
        error: 'must be an absolute http or https URL, such as https://api.example.com/orders.',
      })
      .refine(withoutUser, 'must not hold a user name or password; use a credential or a header.'),
    headers: headers.nullish(),
    query: z.record(z.string().max(256), z.union([scalar, z.array(scalar)]).nullish()).nullish(),
    body: z.unknown().optional(),
    body_type: z.enum(['json', 'form', 'multipart']).nullish(),
    /** The form of `body` in the outputs: `content`, a `file`, or `auto` for a file only if the content is neither text nor a form. */
    answer: z.enum(['content', 'file', 'auto']).default('content'),
    timeout_ms: z.int().min(1).max(300_000).default(15_000),
    max_redirects: z.int().min(0).max(10).nullish(),
    credential: z.union([z.int().min(1), z.string().regex(/^\d{1,19}$/)], 'must be the id of a credential.').nullish(),
    host_from: z.string().max(64).nullish(),
    paging: paging.nullish(),
    fail_on_status: z.boolean().default(true),
  })
  .superRefine(({ paging: pages, method, fail_on_status: fails, answer }, check) => {
    if (!pages) return;
    const refuse = (path: string, message: string) => check.addIssue({ code: 'custom', path: [path], message });
    if (!pagedMethods.includes(method))
      refuse('method', 'must be GET or POST, as the request is repeated for each page.');
    if (answer !== 'content') refuse('answer', 'must be content with paging, which reads lists.');
    if (!fails) refuse('fail_on_status', 'must be true with paging: a page that is missing would not be noticed.');
  });

export type HttpConfig = z.output<typeof httpConfig>;

/** Keeps the beginning of the URL as given: a parsed URL has its host in lower case, in which a secret would not be recognised. */
export function buildUrl({ url, query }: Pick<HttpConfig, 'url' | 'query'>): string {
  const target = new URL(url);
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== null && each !== undefined) target.searchParams.append(name, String(each));
    }
  }
  return url.split(/[?#]/, 1)[0] + target.search;
}

/** The URL with scheme, host and port of a member of the credential, because a provider may return its API's host with the token. */
export async function withCredentialHost(
  url: string,
  member: string,
  credential: OpenCredential | undefined,
): Promise<string> {
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

export function buildHeaders({ headers }: HttpConfig): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value !== null && value !== undefined) sent[name.toLowerCase()] = String(value);
  }
  return sent;
}

export const maxRedirects = ({ max_redirects: given, method }: HttpConfig): number =>
  given ?? defaultMaxRedirects(method);
