import { afterAll, afterEach } from 'vitest';
import { callNode } from '#src/automation/connectors/calls/call-node.ts';
import type { ApiCall, CredentialUse } from '#src/automation/node-api/api-call.ts';
import type { NodeResult } from '#src/automation/node-api/builtin-node.ts';
import type { NodeManifest } from '#src/automation/node-api/manifest.ts';
import type { NodePorts } from '#src/automation/node-api/ports.ts';
import { egressToReceivers, startReceiver } from '#test/automation/core-nodes/receiver.ts';

interface Seen {
  method: string;
  /** Path and query as received. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export interface Given {
  status?: number;
  type?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

interface Options {
  credential?: { type?: string; sends?: CredentialUse[]; fields: Record<string, string> };
  /** The branches that have an edge in the workflow. */
  edges?: string[];
  signal?: AbortSignal;
  /** The schemas that answers are compared with, and a list that takes the warnings. */
  schemas?: NodeManifest['output_schemas'];
  warnings?: string[];
}

const unused = (): never => {
  throw new Error('A call uses HTTP and credentials alone.');
};

/** Starts a server for all tests of a file. It records its requests, and the returned functions call it. */
export async function startCalls() {
  const seen: Seen[] = [];
  const derived: string[] = [];
  let answer: (request: Seen, url: URL) => Given | 'cut' = () => ({});
  const server = await startReceiver((request, body, response) => {
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body };
    seen.push(one);
    const given = answer(one, new URL(url, server.url));
    if (given === 'cut') {
      response.destroy();
      return;
    }
    const { status = 200, type = 'application/json', headers: more, body: said } = given;
    response.writeHead(status, { 'content-type': type, ...more });
    response.end(typeof said === 'string' ? said : JSON.stringify(said ?? { ok: true }));
  });
  const egress = egressToReceivers(server);
  afterEach(() => {
    seen.length = 0;
    derived.length = 0;
    answer = () => ({});
  });
  afterAll(async () => {
    await egress.close();
    await server.close();
  });
  const ports = ({ credential }: Options): NodePorts => ({
    tenant: { id: unused, actor: unused },
    state: { get: unused, set: unused },
    events: { emit: unused },
    sandbox: { run: unused },
    files: { open: unused, create: unused },
    sockets: { open: unused },
    http: egress,
    credentials: {
      open: async (id) => {
        if (id !== '7' || !credential) throw new Error(`Credential ${id} was asked for.`);
        const { type = 'shop:key', sends, fields } = credential;
        return {
          type,
          sends,
          field: async (name) => fields[name],
          onDerived: (text) => void derived.push(text),
        };
      },
    },
  });
  return {
    url: server.url,
    seen,
    derived,
    answerWith(given: typeof answer): void {
      answer = given;
    },
    async send(
      call: Partial<ApiCall>,
      config: Record<string, unknown> = {},
      options: Options = {},
    ): Promise<NodeResult> {
      const whole = { method: 'GET', base_url: server.url, path: '/items', parameters: [], answers: [], ...call };
      const readSchemas = async () => options.schemas;
      return callNode({ slug: 'shop:call', version: '1.0.0', call: whole, readSchemas }).execute(config, {
        inputs: {},
        scope: { trigger: { payload: null, type: 'manual', handle: null }, nodes: {}, run: { id: 1, started_at: '' } },
        evaluate: unused,
        hasEdge: (branch) => options.edges?.includes(branch) ?? false,
        ports: ports(options),
        log: ({ message }) => void options.warnings?.push(message),
        signal: options.signal ?? new AbortController().signal,
        idempotencyKey: 'run-1/step/1',
      });
    },
    /** The last request that the server received. */
    last(): Seen & { text: string } {
      const one = seen.at(-1);
      if (!one) throw new Error('The server was sent nothing.');
      return { ...one, text: String(one.body) };
    },
  };
}
