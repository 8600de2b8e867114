import type { ExecutionResult } from 'urql';
import type { Session } from '#console/session/session.ts';
import { setServerTime } from '#console/ui/clock.ts';
import type { ConnectionWatch } from './connection.ts';
import { readJson } from './exact-numbers.ts';
import { patientToken } from './patient-token.ts';
import { backoffMs, pause } from './pause.ts';

export interface Endpoint {
  url: string;
  session: Session;
  /** The slug that `x-tenant-id` names; null outside of any tenant. */
  tenant: string | null;
  connection: ConnectionWatch;
}

/** How often a query is tried that the server answers with an outage of its own. */
const maxOutages = 6;

/**
 * Sends an operation. A token that is refused is renewed once. Queries wait for the network, for a server that restarts and once for the
 * rate limit; a mutation may have been done, so its failure is the caller's to see.
 */
export async function send(
  endpoint: Endpoint,
  body: string,
  isQuery: boolean,
  signal: AbortSignal,
): Promise<ExecutionResult> {
  const { session, connection } = endpoint;
  let refused: string | undefined;
  let wasLimited = false;
  let answered: (() => void) | undefined;
  try {
    for (let failures = 0; ;) {
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
      if (response.status === 429 && isQuery && !wasLimited) {
        wasLimited = true;
        await pause(response.retryAfterMs, signal);
        continue;
      }
      return readAnswer(response);
    }
  } finally {
    answered?.();
  }
}

interface Received {
  status: number;
  text: string;
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
    },
    body,
    signal,
    credentials: 'omit',
  });
  const date = Date.parse(response.headers.get('date') ?? '');
  if (!Number.isNaN(date)) setServerTime(date);
  const retryAfter = Number(response.headers.get('retry-after'));
  const seconds = Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : 1;
  return { status: response.status, text: await response.text(), retryAfterMs: seconds * 1_000 };
}

/** The server, or the proxy before it, says that it is away. */
const isOutage = ({ status }: Received): boolean => status === 502 || status === 503 || status === 504;

function readAnswer({ status, text }: Received): ExecutionResult {
  try {
    return readJson(text) as ExecutionResult;
  } catch (cause) {
    throw new Error(`The server answered ${status}, and not as the graph does.`, { cause });
  }
}
