import { coreCredentialTests } from '#src/automation/core-nodes/credential-tests.ts';
import type { NodeResult } from '#src/automation/node-api/builtin-node.ts';
import type { CredentialTest } from '#src/automation/node-api/builtin-package.ts';
import type { NodePorts } from '#src/automation/node-api/ports.ts';
import { parseAllowList } from '#src/infra/egress/allow-list.ts';
import { createEgress, type Egress } from '#src/infra/egress/egress.ts';
import { run } from '#test/automation/core-nodes/context.ts';

export const certificates = new URL('../../../fixtures/tls/', import.meta.url).pathname;
/** The name in the certificate of the tests. */
export const serverName = 'erp.example';

export interface SqlTester {
  egress: Egress;
  /** Runs the statement, with other fields of the credential or config where they are given. */
  sql(
    statement: string,
    config?: object,
    credential?: Record<string, string>,
    more?: { signal?: AbortSignal; payload?: unknown },
  ): Promise<NodeResult>;
  /** Runs the connection test of the credential, with other fields where they are given. */
  logIn(credential?: Record<string, string>): Promise<string>;
}

/** Stands in for the files of a run: reads the content, and keeps its size and its beginning. */
const measureFile: NodePorts['files']['create'] = async ({ name = '', type = '' }, content) => {
  let size = 0;
  let start = '';
  for await (const bytes of content as AsyncIterable<Buffer | string>) {
    size += bytes.length;
    if (start.length < 100) start += String(bytes).slice(0, 100);
  }
  return { file: start, name, type, size, sha256: '' };
};

/** Runs `core:sql` against a server on loopback, which its credential names as the certificate does. */
export function sqlTester(
  type: string,
  { address, port }: { address: string; port: number },
  login: Record<string, string>,
): SqlTester {
  const egress = createEgress({
    allow: parseAllowList(`${address}:${port}`),
    resolve: () => Promise.resolve([address]),
    connectTimeoutMs: 5_000,
  });
  const openPorts = (credential: Record<string, string>) => {
    const fields: Record<string, string> = { host: serverName, port: String(port), ...login, ...credential };
    return {
      credentials: { open: async () => ({ type, field: async (name: string) => fields[name] }) },
      sockets: { open: (to: Parameters<Egress['openSocket']>[0]) => egress.openSocket(to) },
      http: egress,
      files: { open: () => Promise.reject(new Error('not used')), create: measureFile },
    };
  };
  return {
    egress,
    logIn: (credential = {}) =>
      (coreCredentialTests[type] as CredentialTest)({
        ports: openPorts(credential),
        signal: new AbortController().signal,
      }),
    sql(statement, config = {}, credential = {}, { signal, payload } = {}) {
      return run(
        'core:sql',
        { credential: 1, statement, ...config },
        { ports: openPorts(credential), payload, ...(signal && { ctx: { signal } }) },
      );
    },
  };
}

/** What a statement failed with. */
export const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  );
