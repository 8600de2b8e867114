import { CommandError } from '#bin/command.ts';

/** Talks to a running Causeway as a shop does: GraphQL over HTTP. */
export interface DemoClient {
  query<Data>(document: string, variables?: Record<string, unknown>): Promise<Data>;
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
      throw new CommandError(
        `Nothing answers at ${options.url}. Run npm start first, in another terminal; give its PORT to this command too, or --url.`,
      );
    });
    const text = await response.text();
    if (!response.ok) throw new CommandError(`${address.pathname} answered ${response.status}: ${text.slice(0, 500)}`);
    return JSON.parse(text);
  }

  return {
    async query<Data>(query: string, variables: Record<string, unknown> = {}): Promise<Data> {
      return requireData((await post('/graphql', { query, variables })) as Answer<Data>);
    },
  };
}

interface Answer<Data> {
  data?: Data | null;
  errors?: readonly { message: string }[];
}

function requireData<Data>({ data, errors }: Answer<Data>): Data {
  const [error] = errors ?? [];
  if (error) throw new CommandError(`Causeway answered: ${error.message}`);
  if (!data) throw new CommandError('Causeway answered without data.');
  return data;
}
