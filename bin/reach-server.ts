import { CommandError, type CommandIo, type CommandOption, type CommandValues, textOption } from './command.ts';

const timeoutMs = 120_000;
const maxAnswerLength = 1024 * 1024;

/** Options of a command that calls a running server. */
export const serverOptions = {
  url: {
    type: 'string',
    about: 'URL of the server; CAUSEWAY_URL, else http://localhost:<PORT>, by default port 4000.',
  },
  token: {
    type: 'string',
    about: 'Token with the role operator; else CAUSEWAY_TOKEN, which process lists do not show.',
  },
} satisfies Readonly<Record<string, CommandOption>>;

/** The token that a command uses for a server, if any. */
export const readToken = (values: CommandValues, io: CommandIo): string | undefined =>
  textOption(values, 'token') ?? (io.env.CAUSEWAY_TOKEN || undefined);

export interface ServerAnswer {
  status: number;
  body: unknown;
}

/** Posts to a route of the server that options and environment name. A response with a status other than `expected` ends the command. */
export async function postToServer(
  values: CommandValues,
  io: CommandIo,
  request: {
    path: string;
    token: string;
    /** The tenant of the request, if it has one. */
    tenant?: string;
    type: string;
    body: string | Uint8Array<ArrayBuffer>;
    expected: readonly number[];
    /** Advice after a 404, which says only that something is missing. */
    missing: string;
  },
): Promise<ServerAnswer> {
  const base = readBaseUrl(values, io);
  const { status, body } = await post(new URL(request.path, base), request);
  if (!request.expected.includes(status)) {
    const message = readMessage(body) ?? 'no message';
    const advice = status === 404 ? ` ${request.missing}` : (advices[status] ?? '');
    const text = [`${base} answered ${status}: ${message}${advice}`, ...fieldLines(body)].join('\n');
    throw new CommandError(text, { details: { status, body } });
  }
  return { status, body };
}

/** Advice for a response that consists only of its status. */
const advices: Readonly<Record<number, string>> = {
  401: ' Get a fresh token.',
  403: ' The token needs the role operator.',
};

/** The server that options and environment name. */
export function readBaseUrl(values: CommandValues, io: CommandIo): string {
  const base = textOption(values, 'url') ?? io.env.CAUSEWAY_URL ?? `http://localhost:${io.env['PORT'] ?? 4000}`;
  if (!/^https?:\/\//.test(base) || !URL.canParse(base)) {
    throw new CommandError(`"${base}" is not an http or https address; correct --url or CAUSEWAY_URL.`, {
      exitCode: 2,
    });
  }
  return base;
}

async function post(
  address: URL,
  {
    token,
    tenant,
    type,
    body,
  }: { token: string; tenant?: string; type: string; body: string | Uint8Array<ArrayBuffer> },
): Promise<ServerAnswer> {
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': type,
        accept: 'application/json',
        ...(tenant !== undefined && { 'x-tenant-id': tenant }),
      },
      body,
      // Following a redirect would send the token to another address.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = (await response.text()).slice(0, maxAnswerLength);
    return { status: response.status, body: asJson(text) };
  } catch (error) {
    throw unreachable(address, error);
  }
}

export function unreachable(address: URL, error: unknown): CommandError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
  const reason = cause !== '' ? cause : error instanceof Error ? error.message : 'unknown';
  return new CommandError(`${address.origin} cannot be reached: ${reason}`);
}

export function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text.slice(0, 500) };
  }
}

export const readMessage = (body: unknown): string | undefined =>
  typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string'
    ? body.message
    : undefined;

/** A line for each message of `{errors: {field: [message]}}`, the body of a 422. */
export function fieldLines(body: unknown): string[] {
  const errors = typeof body === 'object' && body !== null && 'errors' in body ? body.errors : undefined;
  if (typeof errors !== 'object' || errors === null) return [];
  return Object.values(errors)
    .flat()
    .filter((line): line is string => typeof line === 'string')
    .map((line) => `  ${line}`);
}
