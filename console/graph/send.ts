import type { ExecutionResult } from 'urql';
import type { Session } from '#console/session/session.ts';
import { setServerTime } from '#console/ui/clock.ts';
import type { ConnectionWatch } from './connection.ts';
import { readJson } from './exact-numbers.ts';
import { patientToken } from './patient-token.ts';
import { backoffMs, pause } from './pause.ts';
import { type Heard, heedReadAfter } from './read-after.ts';

export interface Endpoint extends Heard {
  url: string;
  session: Session;
  /** The slug that `x-tenant-id` names; null outside of any tenant. */
  tenant: string | null;
  connection: ConnectionWatch;
}

/** How often a query is tried that the server, or a proxy before it, answers with something else than a result. */
const maxOutages = 6;
/** How often a query waits for the rate limit. */
const maxLimits = 4;

/**
 * Sends an operation. A token that is refused is renewed once. Queries wait for the network, for a server that restarts and for the rate
 * limit; a mutation may have been done, so its failure is the caller's to see.
 */
export async function send(
  endpoint: Endpoint,
  body: string,
  isQuery: boolean,
  signal: AbortSignal,
): Promise<ExecutionResult> {
  const { session, connection } = endpoint;
  let refused: string | undefined;
  let answered: (() => void) | undefined;
  try {
    for (let failures = 0, limits = 0; ;) {
      const token = isQuery ? await patientToken(session, refused, signal) : await session.accessToken(refused);
      const response = await post(endpoint, token, body, signal).catch((error: unknown) => {
        if (signal.aborted || !isQuery) throw error;
        return null;
      });
      if (response === null || (isQuery && isOutage(response) && failures < maxOutages)) {
        answered ??= connection.unanswered();
        await pause(backoffMs(failures++), signal);
        continue;
      }
      if (response.status === 401 && refused === undefined) {
        refused = token;
        continue;
      }
      if (response.status === 429 && isQuery && limits < maxLimits) {
        await pause(response.retryAfterMs + backoffMs(limits++), signal);
        continue;
      }
      if (response.answer) return response.answer;
      throw new TypeError(`The server answered ${response.status}, and not as the graph does.`);
    }
  } finally {
    answered?.();
  }
}

interface Received {
  status: number;
  answer: ExecutionResult | undefined;
  retryAfterMs: number;
}

async function post(endpoint: Endpoint, token: string, body: string, signal: AbortSignal): Promise<Received> {
  const { url, tenant } = endpoint;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json',
      authorization: `Bearer ${token}`,
      ...(tenant !== null && { 'x-tenant-id': tenant }),
      ...(endpoint.readAfter && { 'x-read-after': endpoint.readAfter }),
    },
    body,
    signal,
    credentials: 'omit',
  });
  heedReadAfter(endpoint, response.headers.get('x-read-after'));
  const date = Date.parse(response.headers.get('date') ?? '');
  if (!Number.isNaN(date)) setServerTime(date);
  const retryAfter = Number(response.headers.get('retry-after'));
  const seconds = Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : 1;
  return { status: response.status, answer: readAnswer(await response.text()), retryAfterMs: seconds * 1_000 };
}

/** The server is away: it says so itself, or a proxy before it answers with a page of its own. */
const isOutage = ({ status, answer }: Received): boolean =>
  status === 502 || status === 503 || status === 504 || answer === undefined;

/** Undefined for what is not JSON. */
function readAnswer(text: string): ExecutionResult | undefined {
  try {
    return readJson(text) as ExecutionResult;
  } catch {
    return undefined;
  }
}
