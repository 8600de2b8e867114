import { type ApiProcess, startApiProcess } from './api-process.ts';
import { benchOrg } from './bench-workflow.ts';
import type { LoadRequest } from './load.ts';
import { type Server, startServer } from './peer.ts';
import type { ThrowawayPostgres } from './postgres.ts';
import { openShop } from './shop.ts';

/** A tenant that has installed extensions of one site. */
export interface BlockShop {
  readonly api: ApiProcess;
  readonly site: Server;
  readonly keyHeaders: Record<string, string>;
  /** Its block, on a page of a product. */
  blockRequest: (extension: string, heading: string) => LoadRequest;
  /** The island alone, from the site. */
  islandRequest: (extension: string, heading: string) => LoadRequest;
  stop(): Promise<void>;
}

export const blockName = (extension: string): string => `ext__acme__${extension}__stars`;

const encodeProps = (heading: string): string => encodeURIComponent(JSON.stringify({ heading }));

/** Starts the product's API beside a site, and installs its extensions. */
export async function openBlockShop(
  postgres: ThrowawayPostgres,
  options: {
    extensions: readonly string[];
    /** Size of an island. */
    bytes: number;
    /** The delay of the site's response. */
    delayMs: number;
    nodeFlags?: readonly string[];
  },
): Promise<BlockShop> {
  const databaseUrl = await postgres.createDatabase('blocks');
  const shop = await openShop(databaseUrl);
  const { bytes, delayMs, nodeFlags = [] } = options;
  const site = await startServer(new URL('./extension-site-process.ts', import.meta.url), {
    BYTES: String(bytes),
    DELAY_MS: String(delayMs),
  });
  const egressAllow = `127.0.0.1:${site.port}`;
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10, nodeFlags, egressAllow });
  const stop = async (): Promise<void> => {
    await api.stop();
    await site.stop();
    await shop.client.end();
  };
  try {
    const headers = await api.headersFor(shop.tenantId, ['admin', 'operator']);
    const run = (field: string, input: object, selected: string) => mutate(api, headers, { field, input, selected });
    await run('registerTheme', { theme: 'acme/starter', version: '2.1.0', title: 'Starter' }, 'theme { id }');
    await run('installTheme', { theme: 'acme/starter', version: '2.1.0' }, 'themeInstallation { id }');
    for (const name of options.extensions) {
      const url = `http://127.0.0.1:${site.port}/${name}`;
      const { extension } = await run('registerExtension', { url }, 'extension { id }');
      await run('installExtension', { extensionId: extension?.id }, 'installation { id }');
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    api,
    site,
    keyHeaders: shop.keyHeaders,
    blockRequest: (extension, heading) => ({
      method: 'GET',
      path: `/theme/blocks/${blockName(extension)}?page_type=product&props=${encodeProps(heading)}`,
      headers: shop.keyHeaders,
    }),
    islandRequest: (extension, heading) => ({
      method: 'GET',
      path: `/${extension}/theme-extensions/islands/Stars?props=${encodeProps(heading)}`,
    }),
    stop,
  };
}

type Payload = Record<string, { id: string } | undefined>;

async function mutate(
  { port }: ApiProcess,
  headers: Record<string, string>,
  { field, input, selected }: { field: string; input: object; selected: string },
): Promise<Payload> {
  const name = `${field.charAt(0).toUpperCase()}${field.slice(1)}`;
  const query = `mutation ($input: ${name}Input!) { ${field}(input: $input) {
    ... on ${name}Payload { ${selected} } ... on Error { message } ... on ValidationError { fields { path messages } }
  } }`;
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { input } }),
  });
  const { data, errors } = (await response.json()) as { data?: Record<string, Payload>; errors?: unknown };
  const payload = data?.[field];
  if (!payload || 'message' in payload) throw new Error(`${field} failed: ${JSON.stringify(errors ?? payload)}`);
  return payload;
}
