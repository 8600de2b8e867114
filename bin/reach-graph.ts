import { setTimeout as pause } from 'node:timers/promises';
import { CommandError, type CommandIo, type CommandOption, type CommandValues, textOption } from './command.ts';
import { postToServer, readBaseUrl, readToken, serverOptions } from './reach-server.ts';

/** Attempts of a request that the server has no capacity for, and the pause after each. */
const maxTries = 10;
const pauseMs = 1_000;

/** Runs a GraphQL document. Any error in the response ends the command. */
export type Graphql = <Data>(query: string, variables: object) => Promise<Data>;

/** Options of a command that calls the graph with the token of a user. */
export const memberOptions = {
  tenant: { type: 'string', about: 'Tenant; else CAUSEWAY_TENANT.' },
  url: serverOptions.url,
  token: { type: 'string', about: 'Token of a member; else CAUSEWAY_TOKEN, which process lists do not show.' },
} satisfies Readonly<Record<string, CommandOption>>;

/** Options of a command that calls the graph with the token of an operator, in no tenant. */
export const operatorOptions = {
  url: serverOptions.url,
  token: { type: 'string', about: 'Token of an operator; else CAUSEWAY_TOKEN, which process lists do not show.' },
} satisfies Readonly<Record<string, CommandOption>>;

/** Calls the graph of the server, in the tenant, that options and environment name. Operators need no tenant. */
export function reachGraph(values: CommandValues, io: CommandIo, { inTenant = true } = {}): Graphql {
  const tenant = inTenant ? (textOption(values, 'tenant') ?? io.env.CAUSEWAY_TENANT) : undefined;
  const token = readToken(values, io);
  readBaseUrl(values, io);
  if (inTenant && !tenant) throw new CommandError('Name the tenant with --tenant or CAUSEWAY_TENANT.', { exitCode: 2 });
  if (!token) throw new CommandError('Give a token with CAUSEWAY_TOKEN or --token.', { exitCode: 2 });
  return async (query, variables) => {
    for (let tries = 1; ; tries += 1) {
      const { status, body } = await postToServer(values, io, {
        path: '/graphql',
        token,
        ...(tenant !== undefined && { tenant }),
        type: 'application/json',
        body: JSON.stringify({ query, variables }),
        expected: tries < maxTries ? [200, 429, 503] : [200],
        missing: '',
      });
      const { data, errors } = body as { data?: unknown; errors?: GraphError[] };
      if (status !== 200) await pause(pauseMs);
      else if (errors) throw new CommandError(errors.map(explain).join('\n'), { details: { errors } });
      else return data as never;
    }
  };
}

interface GraphError {
  message: string;
  extensions?: { hint?: string; fields?: Record<string, string[]> };
}

const explain = ({ message, extensions: { hint, fields = {} } = {} }: GraphError): string =>
  [
    hint === undefined ? message : `${message} ${hint}`,
    ...Object.entries(fields).flatMap(([path, messages]) => messages.map((each) => `  ${path}: ${each}`)),
  ].join('\n');
