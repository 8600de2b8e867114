import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider that keeps sessions and says little of them, with an API that takes its tokens. */
export interface PlainProvider {
  host: string;
  url: string;
  /** A config for `core:oauth2`. */
  config: Record<string, string>;
  /** The token requests so far, as their forms with the header of their client. */
  asked: Record<string, string>[];
  /** Members of the next token answers beside the token itself. */
  says: Record<string, unknown>;
  /** Ends the session of every token given so far. */
  endSessions: () => void;
  /** True if the API refuses every token. */
  isClosed: boolean;
  /** The requests that reached the API, with the token they carried. */
  calls: { method: string; url: string; token: string; body: string }[];
  close: () => Promise<void>;
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part as string;
  return body;
}

export async function startPlainProvider(): Promise<PlainProvider> {
  let [given, ended] = [0, 0];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      response.setHeader('content-type', 'application/json');
      if (request.url === '/token') {
        given += 1;
        provider.asked.push({
          ...Object.fromEntries(new URLSearchParams(body)),
          by: request.headers.authorization ?? '',
        });
        const token = `plain-access-canary-${given}`;
        return response.end(JSON.stringify({ access_token: token, token_type: 'Bearer', ...provider.says }));
      }
      const [, token = '', number = '0'] =
        /^Bearer (plain-access-canary-(\d+))$/.exec(request.headers.authorization ?? '') ?? [];
      provider.calls.push({ method: request.method ?? '', url: request.url ?? '', token, body });
      if (provider.isClosed || Number(number) <= ended) response.statusCode = 401;
      return response.end(JSON.stringify({ number: Number(number) }));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}`;
  const provider: PlainProvider = {
    host,
    url,
    config: {
      authorize_url: `${url}/authorize`,
      token_url: `${url}/token`,
      client_id: 'shop',
      client_secret: 'plain-client-secret-canary',
    },
    asked: [],
    says: { refresh_token: 'plain-refresh-canary' },
    endSessions: () => {
      ended = given;
    },
    isClosed: false,
    calls: [],
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return provider;
}
