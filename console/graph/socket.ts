import { type Client, createClient } from 'graphql-ws';
import { keepDigits } from './exact-numbers.ts';
import { patientToken } from './patient-token.ts';
import { backoffMs, pause } from './pause.ts';
import type { Endpoint } from './send.ts';

const pingMs = 12_000;
const pongMs = 5_000;
/** A screen that follows another within this time uses the same socket. */
const lingerMs = 5_000;

/** The socket of live documents. It opens with the first, comes back for ever, and says in `connection` how it is. */
export function openSocket({ url, session, tenant, connection }: Endpoint): Client {
  const address = new URL(url);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  let token: string | null = null;
  let failures = 0;
  let isOpen = false;
  let pongTimer: ReturnType<typeof setTimeout> | undefined;
  const client = createClient({
    // The address is asked for before each connection, so this waits while nobody is signed in.
    url: async () => {
      await patientToken(session);
      return address.href;
    },
    connectionParams: async () => {
      token = await session.accessToken();
      return { authorization: `Bearer ${token}`, ...(tenant !== null && { 'x-tenant-id': tenant }) };
    },
    lazy: true,
    lazyCloseTimeout: lingerMs,
    keepAlive: pingMs,
    connectionAckWaitTimeout: 10_000,
    shouldRetry: () => true,
    retryAttempts: Infinity,
    retryWait: (retries) => pause(backoffMs(retries)),
    jsonMessageReviver: keepDigits,
    on: {
      connecting: () => connection.socketIs(failures === 0 ? 'connecting' : 'lost'),
      connected: () => {
        failures = 0;
        isOpen = true;
        connection.socketIs('open');
      },
      // A connection that is dead without having been closed answers no ping.
      ping: (received) => {
        if (!received) pongTimer = setTimeout(() => client.terminate(), pongMs);
      },
      pong: (received) => {
        if (received) clearTimeout(pongTimer);
      },
      closed: (event) => {
        clearTimeout(pongTimer);
        failures = isOpen ? 0 : failures + 1;
        isOpen = false;
        if ((event as CloseEvent).code === 1_000) connection.socketIs('none');
        else connection.socketIs(failures === 0 ? 'connecting' : 'lost');
      },
    },
  });
  const stop = session.subscribe(() => {
    if (!isOpen) return;
    // The server ends a socket with its token, so it moves to the new one before that; nobody looks on after signing out.
    session.accessToken().then(
      (current) => {
        if (current !== token) client.terminate();
      },
      () => client.terminate(),
    );
  });
  return {
    ...client,
    dispose: () => {
      stop();
      return client.dispose();
    },
  };
}
