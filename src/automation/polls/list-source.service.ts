import { openCallPages } from '#src/automation/connectors/calls/all-pages.ts';
import { openSending } from '#src/automation/connectors/calls/call-node.ts';
import { StoredCredentialBroker } from '#src/automation/credentials/credential-broker.service.ts';
import type { CredentialDeps } from '#src/automation/credentials/oauth/token-refresh.service.ts';
import { type JsonPath, withValueAt } from '#src/automation/http-calls/json-path.ts';
import type { PageSource } from '#src/automation/http-calls/page-source.ts';
import { openHttpPages } from '#src/automation/http-calls/requests/request-pages.ts';
import type { ApiCall } from '#src/automation/node-api/api-call.ts';
import { bodyText } from '#src/automation/node-api/body-text.ts';
import type { ReadList } from '#src/automation/node-api/builtin-node.ts';
import { type CredentialRefField, listCredentialFields } from '#src/automation/node-api/credential-fields.rules.ts';
import { checkFieldValues, withDefaults } from '#src/automation/node-api/field-values.rules.ts';
import type { ConfigField, NodeManifest } from '#src/automation/node-api/manifest.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { NodePorts } from '#src/automation/node-api/ports.ts';
import { findNode } from '#src/automation/nodes/nodes.service.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import type { KnownSecrets } from '#src/infra/logs/known-secrets.ts';
import type { PollConfig } from './polls.inputs.ts';
import { type Position, writePosition } from './positions.rules.ts';
import { typedPosition } from './typed-position.rules.ts';

const httpRequest = 'core:http-request';

export type ListDeps = Pick<NodeDeps, 'egress' | 'builtins'> & CredentialDeps;

export interface ListOpening {
  tenantId: string;
  /** Collects every secret that is read, so that it can be redacted. */
  secrets: KnownSecrets;
}

/** Opens the list from a position, or from its start if there is no position. */
export type OpenList = (bound: Position | null, signal: AbortSignal) => Promise<PageSource>;

/** Opens the list of a poll for requests that ask from a position. Throws a NodeError that says what to correct. */
export async function openList(
  deps: ListDeps,
  { node, config: values, watermark }: PollConfig,
  { tenantId, secrets }: ListOpening,
): Promise<OpenList> {
  const operation = await findOperation(deps, node);
  const { fields, credentials } = operation;
  assertMovable(
    watermark.param,
    credentials.map(({ key }) => key),
  );
  const open = async (config: Record<string, unknown>, signal: AbortSignal): Promise<PageSource> => {
    const ctx = {
      ports: openPorts(deps, { tenantId, secrets, config, fields: credentials }),
      signal,
      idempotencyKey: crypto.randomUUID(),
    };
    if ('readList' in operation) return openNodeList(operation.readList, config, ctx);
    if (!operation.call) return openHttpPages(config, ctx);
    const issue = checkFieldValues(fields, config)[0];
    if (issue) throw refuse(`${['config', issue.key, ...issue.path].join('.')}: ${issue.message}`);
    return openCallPages(
      await openSending({ call: operation.call, config: fields }, withDefaults(fields, config), ctx),
    );
  };
  return async (bound, signal) => {
    if (bound === null || watermark.param == null) return open(values, signal);
    const position = typedPosition(fields, watermark.param, writePosition(bound, watermark));
    const source = await open(withValueAt(values, watermark.param, position), signal);
    // A cursor may be the URL of the next request. The credential must not follow it to another server.
    if (isUrl(watermark.param) && source.url && source.url.origin !== readOrigin(values['url']))
      throw new NodeError(
        'PAGING_ORIGIN',
        `The cursor leads to ${source.url.host}, which is not the host of config.url.`,
      );
    return source;
  };
}

type Operation = {
  fields: readonly ConfigField[];
  credentials: readonly CredentialRefField[];
} & (
  | {
      /** The call of a described operation; undefined for core:http-request. */
      call?: ApiCall;
    }
  | { readList: ReadList }
);

async function findOperation(
  { database, builtins }: Pick<ListDeps, 'database' | 'builtins'>,
  { slug, version }: PollConfig['node'],
): Promise<Operation> {
  if (slug === httpRequest) return { fields: [], credentials: builtins.credentialFields(httpRequest) };
  const builtin = builtins.find(slug);
  if (builtin && 'readList' in builtin && builtin.readList)
    return { readList: builtin.readList, fields: [], credentials: builtins.credentialFields(slug) };
  const node = await findNode(database.global, slug, version).catch((error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error;
    throw refuse(`There is no node ${slug} in version ${version}; choose another one.`);
  });
  const { config: fields = [], call } = node.manifest as unknown as NodeManifest;
  if (!call || call.soap)
    throw refuse(
      `${slug} is no operation of a described API that answers JSON; choose one, ${httpRequest} or core:list-mails.`,
    );
  return { call, fields, credentials: listCredentialFields(fields) };
}

const refuse = (message: string): NodeError => new NodeError('INVALID_CONFIG', message);

const firstName = (path: JsonPath): string => (typeof path === 'string' ? path.split('.', 1)[0] : path[0]) ?? '';
const isUrl = (path: JsonPath): boolean => firstName(path) === 'url';
const readOrigin = (url: unknown): string | undefined => URL.parse(String(url))?.origin;

/** The watermark comes from the API, so it must not decide the server or the credential of a request. */
function assertMovable(param: JsonPath | null | undefined, credentials: readonly string[]): void {
  if (param == null || !['base_url', 'host_from', ...credentials].includes(firstName(param))) return;
  throw refuse(`watermark.param: ${firstName(param)} cannot take the watermark.`);
}

/** The list of a built-in node, whose config takes the position of the next page. */
const openNodeList = (
  readList: ReadList,
  config: unknown,
  ctx: { ports: PollPorts; signal: AbortSignal },
): PageSource => ({
  paging: undefined,
  async read() {
    // Nodes that lists are read from use these ports alone.
    const body = await readList(config, ctx as Parameters<ReadList>[1]);
    return { url: '', link: '', body, bytes: new Uint8Array() };
  },
});

type PollPorts = Pick<NodePorts, 'credentials' | 'files' | 'http' | 'sockets'>;

function openPorts(
  deps: Omit<ListDeps, 'builtins'>,
  { tenantId, secrets, config, fields }: ListOpening & { config: unknown; fields: readonly CredentialRefField[] },
): PollPorts {
  const noFiles = () => Promise.reject(new NodeError('NOT_AVAILABLE', 'A poll has no files; let the API answer JSON.'));
  return {
    sockets: { open: (to) => deps.egress.openSocket(to) },
    files: { open: noFiles, create: noFiles },
    http: {
      request: ({ body, ...request }) =>
        deps.egress.request({
          ...request,
          secure: request.secure || secrets.areIn([request.url, request.headers, bodyText(body)]),
          ...(body !== null && { body }),
        }),
    },
    credentials: new StoredCredentialBroker(deps, {
      tenantId,
      fields,
      config,
      onSecret: (text) => secrets.learn(text),
    }),
  };
}
