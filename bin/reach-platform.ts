import { setTimeout as pause } from 'node:timers/promises';
import { CommandError, type CommandIo, type CommandOption, type CommandValues, textOption } from './command.ts';
import { asJson, readBaseUrl, fieldLines, readMessage, serverOptions, unreachable } from './reach-server.ts';

const timeoutMs = 60_000;
/** Attempts of a call that the server has no capacity for. */
const maxTries = 10;

/** Options of a command that calls the platform API with an API key. */
export const platformOptions = {
  url: serverOptions.url,
  tenant: { type: 'string', about: 'Tenant of the key; else CAUSEWAY_TENANT.' },
  key: { type: 'string', about: 'API key; else CAUSEWAY_API_KEY, which process lists do not show.' },
} satisfies Readonly<Record<string, CommandOption>>;

interface GraphqlAnswer {
  data?: unknown;
  errors?: { message: string }[];
}

export interface Platform {
  /** Runs a GraphQL document. Any error in the response ends the command. */
  graphql: <Data>(document: string, variables?: object) => Promise<Data>;
  call: <Answer>(method: 'GET' | 'POST', path: string, body?: object) => Promise<Answer>;
  /** The URL of a signed address on this server; the public address may belong to another network. */
  at: (signed: string) => URL;
}

/** Advice for a response that consists only of its status. */
const advices: Readonly<Record<number, string>> = {
  401: ' Check the API key and its tenant; a key that was revoked or has expired is no longer taken.',
  403: ' Give an API key with the scope that this needs; causeway api-key list shows the scopes of each.',
};

/** Calls `/v1` of the server that options and environment name. Any error response ends the command with its message. */
export function reachPlatform(values: CommandValues, io: CommandIo): Platform {
  const base = readBaseUrl(values, io);
  const tenant = textOption(values, 'tenant') ?? io.env.CAUSEWAY_TENANT;
  const key = textOption(values, 'key') ?? io.env.CAUSEWAY_API_KEY;
  if (!tenant) throw new CommandError('Name the tenant with --tenant or CAUSEWAY_TENANT.', { exitCode: 2 });
  if (!key) throw new CommandError('Give an API key with CAUSEWAY_API_KEY or --key.', { exitCode: 2 });
  const send = async (method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> => {
    for (let tries = 1; ; tries += 1) {
      const response = await fetchFrom(new URL(path, base), {
        method,
        headers: { 'x-platform-tenant': tenant, 'x-platform-api-key': key, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const answer = asJson(await response.text());
      if (response.ok) return answer;
      if ((response.status !== 429 && response.status !== 503) || tries === maxTries)
        throw refused(response.status, answer, advices[response.status]);
      await pause(1_000 * (Number(response.headers.get('retry-after')) || 1));
    }
  };
  const call: Platform['call'] = async (method, path, body) => (await send(method, `/v1${path}`, body)) as never;
  const graphql: Platform['graphql'] = async (query, variables = {}) => {
    const { data, errors } = (await send('POST', '/graphql', { query, variables })) as GraphqlAnswer;
    if (errors) throw new CommandError(errors.map(({ message }) => message).join('\n'), { details: { errors } });
    return data as never;
  };
  return { call, graphql, at: (signed) => new URL(signed.slice(signed.indexOf('/v1/io/')), base) };
}

/** A request that follows no redirects, because a redirect would send the key to another address. An outage ends the command. */
export async function fetchFrom(url: URL, init: RequestInit, limitMs = timeoutMs): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(limitMs) });
  } catch (error) {
    throw unreachable(url, error);
  }
}

export function refused(status: number, answer: unknown, advice = ''): CommandError {
  const message = readMessage(answer) ?? 'no message';
  const text = [`The server answered ${status}: ${message}${advice}`, ...fieldLines(answer)].join('\n');
  return new CommandError(text, { details: { status, body: answer } });
}
