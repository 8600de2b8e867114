import { createHash } from 'node:crypto';
import { createPersistedDocuments } from '#src/graphql/persisted-documents.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { connect, ofOperation, type RawClient } from '#test/setup/live.ts';

/** The response over a transport: HTTP's status, `socket` for the other; the complete body. */
export interface FaceAnswer {
  status: number | 'socket';
  data?: Record<string, unknown> | null;
  errors?: { message: string; path?: unknown[]; extensions?: Record<string, unknown> }[];
}

export interface Asked {
  query: string;
  variables?: object;
  operationName?: string;
}

/** A way to send a document to the graph. `sha256` sends its hash alone. */
export type Face = 'http' | 'http by hash' | 'socket' | 'socket by hash';
export const faces: Face[] = ['http', 'http by hash', 'socket', 'socket by hash'];

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const createPersisted = (texts: string[], only = false) =>
  createPersistedDocuments(new Map(texts.map((text) => [sha256(text), text])), { only });

/** Speaks to one app over every face, over one socket. */
export async function openFaces(api: TestApp, caller: Caller = {}) {
  const token = await api.token(caller);
  const socket = await connect(api, { bearer: token });
  let count = 0;

  async function post(body: unknown, headers: Record<string, string> = {}): Promise<FaceAnswer> {
    const response = await api.app.inject({
      method: 'POST',
      url: '/graphql',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        'x-tenant-id': 'acme-shop',
        ...headers,
      },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.statusCode, ...response.json<object>() };
  }

  async function ask(face: Face, { query, ...rest }: Asked): Promise<FaceAnswer> {
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(query) } };
    if (face === 'http') return post({ query, ...rest });
    if (face === 'http by hash') return post({ ...rest, extensions });
    const payload = face === 'socket' ? { query, ...rest } : { query: '', ...rest, extensions };
    return overSocket(socket, `ask-${(count += 1)}`, payload);
  }

  return { ask, post, socket, close: () => socket.socket.close() };
}

async function overSocket(socket: RawClient, id: string, payload: object): Promise<FaceAnswer> {
  socket.send({ id, type: 'subscribe', payload });
  const [first] = await socket.until((messages) => {
    const own = ofOperation(messages, id);
    return own.some(({ type }) => type === 'complete' || type === 'error') && own;
  });
  const answer = first?.type === 'error' ? { errors: first.payload as never } : (first?.payload as object);
  return { status: 'socket', ...answer };
}
