import { createHash, createHmac } from 'node:crypto';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { offsetEnvelope } from '#rest/apis/offset-envelope.ts';
import { platformApi as product } from '#rest/apis/platform.ts';
import { type BodyReader, json } from '#rest/bodies.ts';
import { objectSchema, one } from '#rest/replies.ts';
import type { RestApi } from '#rest/rest-api.ts';
import { byteRoute, route } from '#rest/route.ts';
import { inTenant } from '#src/graphql/context.ts';
import { type Identify, headerText } from '#src/identity/caller.ts';
import { accessError, AppError } from '#src/infra/errors.ts';
import { createUrlSigner } from '#src/infra/signing/signed-url.ts';

// Two APIs as other APIs would declare them: one with a key, its own tenant header and its own envelope; one without
// credentials, which takes bytes.

const keys: Record<string, { tenant: string; roles: string[] }> = {
  'shop-key': { tenant: 'acme-shop', roles: ['admin'] },
  'reader-key': { tenant: 'acme-shop', roles: ['user'] },
  'other-key': { tenant: 'other-shop', roles: ['admin'] },
};

const identify: Identify = async (headers, tenant) => {
  const key = keys[headerText(headers, 'X-Platform-Api-Key') ?? ''];
  // A missing key, a missing tenant and a key of another tenant are told alike.
  if (!key || key.tenant !== tenant) throw accessError('UNAUTHENTICATED');
  const { roles } = key;
  const viewer = {
    userId: 1n,
    iss: 'key',
    sub: 'key',
    aud: [],
    email: null,
    name: null,
    roles,
    scopes: [],
    expiresAt: 0,
  };
  return { viewer, tenant: { id: key.tenant, orgId: 'acme' } };
};

const stream: BodyReader<Readable> = {
  takes: 'stream',
  read: async (body) => body,
  content: () => ({ '*/*': { schema: { type: 'string', format: 'binary' } } }),
};
const uploadLinks = createUrlSigner(Buffer.alloc(32), 'test-uploads');
/** A signed link to upload `name` by PUT. */
export function uploadUrl(name: string): string {
  const { expires, signature } = uploadLinks.sign(name, { ttlSeconds: 60, now: Date.now() });
  return `/v1/uploads/${name}?expires=${expires}&signature=${signature}`;
}

export const platformApi: RestApi = {
  name: 'platform',
  mounts: [{ prefix: '/v1' }],
  credentials: {
    open: () => identify,
    schemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-Platform-Api-Key' } },
    describe: (scope) => `Needs a key with scope \`${scope}\`.`,
  },
  tenantHeader: { name: 'X-Platform-Tenant', description: 'The tenant of the key.', goesWith: () => true },
  errors: product.errors,
  paging: offsetEnvelope,
  rateBudget: ({ tenant }) => tenant && `tenant/${tenant.id}`,
  openApi: { info: { title: 'Platform', version: '1.0.0' }, scopes: { identified: true } },
  routes: [
    route({
      method: 'GET',
      path: '/runs',
      name: 'listRuns',
      tag: { name: 'Runs', description: 'Executions of workflows, with their steps and logs.' },
      summary: 'Runs.',
      document: `query ($filter: RunFilter, $orderBy: RunOrder, $first: Int, $offset: Int) {
        runs(filter: $filter, orderBy: $orderBy, first: $first, offset: $offset) {
          totalCount edges { node { id: databaseId } }
        }
      }`,
      list: { order: { fields: ['created_at', 'started_at'], byDefault: 'created_at.desc' } },
      query: z.object({ search: z.string().max(20).optional() }),
      variables: ({ query: { search }, page }) => ({ filter: { search }, ...page }),
    }),
    route({
      method: 'POST',
      path: '/workflows',
      name: 'createWorkflow',
      tag: { name: 'Workflows', description: 'Graphs of nodes that triggers run.' },
      summary: 'Makes a workflow.',
      document: `mutation ($input: CreateWorkflowInput!) {
        createWorkflow(input: $input) { ... on CreateWorkflowPayload { workflow { name } } ...Failure }
      }`,
      body: json(z.object({ name: z.string().min(1) })),
      variables: ({ body }) => ({ input: body }),
      reply: one({ status: 201, at: 'workflow' }),
    }),
    byteRoute({
      method: 'GET',
      path: '/exports/{id}',
      name: 'getExport',
      tag: { name: 'Exports', description: 'Files to download.' },
      summary: 'An export.',
      access: { scopes: { admin: true } },
      query: z.object({ header: z.enum(['yes', 'no']).default('yes') }),
      answers: { status: 200, description: 'The rows.', content: { 'text/csv': { schema: { type: 'string' } } } },
      async answer({ params, query }, context) {
        if (params.id !== '1') throw new AppError('NOT_FOUND');
        return {
          type: 'text/csv; charset=utf-8',
          content: `${query.header === 'yes' ? 'tenant\n' : ''}${inTenant(context).tenantId}\n`,
        };
      },
    }),
    byteRoute({
      method: 'PUT',
      path: '/uploads/{name}',
      name: 'putUpload',
      tag: { name: 'Uploads', description: 'Files to send.' },
      summary: 'Takes a file by a signed link.',
      access: { link: ({ name }, query) => uploadLinks.verify(name, query, Date.now()) },
      body: stream,
      answers: {
        status: 201,
        description: 'Stored.',
        content: { 'application/json': { schema: objectSchema({ sha256: {} }) } },
      },
      async answer({ body }) {
        const hash = createHash('sha256');
        for await (const chunk of body) hash.update(chunk as Buffer);
        return { type: 'application/json', content: JSON.stringify({ sha256: hash.digest('hex') }) };
      },
    }),
  ],
};

const raw: BodyReader<Buffer> = { takes: 'bytes', read: (bytes) => bytes, content: () => ({ '*/*': { schema: {} } }) };
const endpoints: Record<string, { secret: string; isEnabled: boolean }> = {
  open: { secret: 'a-secret', isEnabled: true },
  closed: { secret: 'a-secret', isEnabled: false },
};

/** The signature of a sender over a body. */
export const signed = (body: string): string => `v0=${createHmac('sha256', 'a-secret').update(body).digest('hex')}`;

export const exampleApi: RestApi = {
  name: 'example-inbound',
  mounts: [{ prefix: '/example-in' }],
  credentials: null,
  tenantHeader: null,
  errors: product.errors,
  paging: offsetEnvelope,
  rateBudget: () => null,
  openApi: null,
  routes: [
    byteRoute({
      method: 'POST',
      path: '/{endpoint}',
      name: 'receive',
      tag: { name: 'Inbound', description: 'What other systems send.' },
      summary: 'Takes a push.',
      access: { scopes: null },
      body: raw,
      answers: { status: 202, description: 'Taken.' },
      refuses: ['UNAUTHENTICATED', 'GONE'],
      async answer({ params, headers, body }) {
        const endpoint = endpoints[params.endpoint];
        if (!endpoint) throw new AppError('NOT_FOUND');
        if (!endpoint.isEnabled) throw new AppError('GONE');
        if (headers['x-platform-signature'] !== signed(body.toString())) throw new AppError('UNAUTHENTICATED');
        return {};
      },
    }),
  ],
};
