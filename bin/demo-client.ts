import { createClient } from 'graphql-ws';
import { CommandError } from './command.ts';

/** Talks to a running Causeway like any client: GraphQL over HTTP, and graphql-ws for subscriptions. */
export interface DemoClient {
  query<Data>(document: string, variables?: Record<string, unknown>): Promise<Data>;
  /** Yields every result of a subscription until it completes. */
  subscribe<Data>(document: string, variables: Record<string, unknown>): AsyncGenerator<Data>;
  /** Returns the body; throws a CommandError unless the status is 2xx. */
  post(path: string, body: unknown): Promise<unknown>;
}

const timeoutMs = 10_000;

export function createDemoClient(options: { url: string; token: string; tenant: string }): DemoClient {
  const headers = {
    authorization: `Bearer ${options.token}`,
    'x-tenant-id': options.tenant,
    'content-type': 'application/json',
  };

  async function post(path: string, body: unknown): Promise<unknown> {
    const address = new URL(path, options.url);
    const response = await fetch(address, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch(() => {
      throw new CommandError(`Nothing answers at ${options.url}. Run npm start first, in another terminal.`);
    });
    const text = await response.text();
    if (!response.ok) throw new CommandError(`${address.pathname} answered ${response.status}: ${text.slice(0, 500)}`);
    return JSON.parse(text);
  }

  return {
    post,
    async query<Data>(query: string, variables: Record<string, unknown> = {}): Promise<Data> {
      return dataOf((await post('/graphql', { query, variables })) as Answer<Data>);
    },
    async *subscribe<Data>(query: string, variables: Record<string, unknown>): AsyncGenerator<Data> {
      const client = createClient({
        url: new URL('/graphql', options.url).href.replace(/^http/, 'ws'),
        connectionParams: headers,
        retryAttempts: 3,
      });
      try {
        for await (const answer of client.iterate<Data>({ query, variables })) yield dataOf(answer as Answer<Data>);
      } catch (error) {
        // A refused operation throws its list of errors, a refused connection a close event.
        if (Array.isArray(error)) throw new CommandError(`Causeway answered: ${(error as Error[])[0]?.message}`);
        if (error instanceof CommandError) throw error;
        throw new CommandError(`The connection to ${options.url} was lost while watching the run.`);
      } finally {
        await client.dispose();
      }
    },
  };
}

interface Answer<Data> {
  data?: Data | null;
  errors?: readonly { message: string }[];
}

function dataOf<Data>({ data, errors }: Answer<Data>): Data {
  const [error] = errors ?? [];
  if (error) throw new CommandError(`Causeway answered: ${error.message}`);
  if (!data) throw new CommandError('Causeway answered without data.');
  return data;
}
