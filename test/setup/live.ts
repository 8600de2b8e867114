import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type RawData, WebSocket } from 'ws';
import type { TestApp, TokenClaims } from './app.ts';

export interface Message {
  type: string;
  id?: string;
  payload?: {
    data?: Record<string, Record<string, unknown>>;
    errors?: { message: string; extensions?: { code?: string } }[];
    extensions?: { readAfter?: string };
  };
}

/** A graphql-transport-ws client without manners of its own: it sends what it is told and keeps what comes. */
export interface RawClient {
  socket: WebSocket;
  messages: Message[];
  send(message: unknown): void;
  /** Waits until `found` answers something of all messages so far; fails after a minute, showing them. */
  until<T>(found: (messages: Message[]) => T | undefined | false): Promise<T>;
  /** Resolves with code and reason once the socket is closed. */
  closed: Promise<{ code: number; reason: string }>;
}

/** Starts listening where it does not yet; answers the GraphQL socket's URL. */
export async function socketUrl({ app }: TestApp): Promise<string> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' });
  return `ws://127.0.0.1:${(app.server.address() as AddressInfo).port}/graphql`;
}

/** `origin` is sent by browsers only. */
export async function openSocket(url: string, origin?: string): Promise<RawClient> {
  const socket = new WebSocket(url, 'graphql-transport-ws', { ...(origin !== undefined && { origin }) });
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data: RawData) => {
    messages.push(JSON.parse((data as Buffer).toString('utf8')) as Message);
    for (const check of waiting) check();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  await once(socket, 'open');
  return {
    socket,
    messages,
    closed,
    send: (message) => socket.send(JSON.stringify(message)),
    until: (found) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const answer = found(messages);
          if (answer === undefined || answer === false) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve(answer);
        };
        const timer = setTimeout(() => {
          waiting.delete(check);
          reject(new Error(`Waited in vain. So far: ${JSON.stringify(messages)}`));
        }, 60_000);
        waiting.add(check);
        check();
      }),
  };
}

/** A socket that is acknowledged; a member of acme-shop unless the claims or the tenant say otherwise. */
export async function connect(
  app: TestApp,
  claims: TokenClaims & { tenant?: string; bearer?: string } = {},
): Promise<RawClient> {
  const { tenant = 'acme-shop', bearer, ...given } = claims;
  const client = await openSocket(await socketUrl(app));
  const authorization = `Bearer ${bearer ?? (await app.token(given))}`;
  client.send({ type: 'connection_init', payload: { authorization, 'x-tenant-id': tenant } });
  await client.until((messages) => messages.some(({ type }) => type === 'connection_ack'));
  return client;
}

export const subscribe = (client: RawClient, id: string, query: string, variables: object = {}): void =>
  client.send({ id, type: 'subscribe', payload: { query, variables } });

/** The messages of one operation. */
export const ofOperation = (messages: Message[], id: string): Message[] =>
  messages.filter((message) => message.id === id);
