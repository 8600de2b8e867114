import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Manifest } from '#src/themes/manifest/manifest.ts';
import type { TestApp } from '#test/setup/app.ts';
import { type ExtensionSite, serveExtension } from '#test/themes/extension-site.ts';
import { run } from '#test/themes/theme-calls.ts';

/** An island of a test: HTML, or whatever else it answers. */
type Answer = string | ((request: IncomingMessage, response: ServerResponse) => void);

export interface Placed {
  site: ExtensionSite;
  /** The name of its block `stars`; `list` is the other. */
  name: string;
  list: string;
  extensionId: string;
  installationId: string;
  /** The URLs by which the island Stars was asked for. */
  asked: string[];
  /** Makes the island Stars answer this; HTML is sent with the pinned version. */
  answer: (answer: Answer) => void;
}

/** An extension that acme-shop has installed, whose island Stars says so. */
export async function place(api: TestApp, given: Partial<Manifest> = {}): Promise<Placed> {
  const site = await serveExtension(api, given);
  const { extension } = await run(api, 'registerExtension', { url: site.url });
  await run(api, 'publishExtension', { id: extension?.id });
  const { installation } = await run(api, 'installExtension', { extensionId: extension?.id });
  const { vendor, name, version } = site.manifest;
  const asked: string[] = [];
  const sendHtml = (html: string) => (_request: IncomingMessage, response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'x-extension-version': version }).end(html);
  let present: Exclude<Answer, string> = sendHtml('<p>Stars</p>');
  site.answers['/theme-extensions/islands/Stars'] = (request, response) => {
    asked.push(request.url ?? '');
    present(request, response);
  };
  site.answers['/theme-extensions/islands/List'] = sendHtml('<ul><li>List</li></ul>');
  return {
    site,
    name: `ext__${vendor}__${name}__stars`,
    list: `ext__${vendor}__${name}__list`,
    extensionId: extension?.id ?? '',
    installationId: installation?.id ?? '',
    asked,
    answer: (answer) => {
      present = typeof answer === 'string' ? sendHtml(answer) : answer;
    },
  };
}

/** The response of a theme server's request for a block. */
export interface Shown {
  status: number;
  html: string;
  block: unknown;
  reason: unknown;
  headers: Record<string, unknown>;
  errors?: Record<string, string[]>;
}

/** Asks for a block as a theme server does, of the page type `product` and as a user of acme-shop unless told otherwise. */
export async function show(
  api: TestApp,
  name: string,
  {
    props,
    pageType = 'product',
    headers,
  }: { props?: unknown; pageType?: string; headers?: Record<string, string> } = {},
): Promise<Shown> {
  const query = new URLSearchParams({ page_type: pageType });
  if (props !== undefined) query.set('props', typeof props === 'string' ? props : JSON.stringify(props));
  const response = await api.app.inject({
    url: `/theme/blocks/${encodeURIComponent(name)}?${query}`,
    headers: headers ?? (await asUser(api)),
  });
  const { 'x-block-status': block, 'x-block-reason': reason } = response.headers;
  const refused = response.statusCode >= 400 ? response.json<{ errors?: Shown['errors'] }>() : {};
  return {
    status: response.statusCode,
    html: response.body,
    block,
    reason,
    headers: response.headers,
    ...(refused.errors && { errors: refused.errors }),
  };
}

export const asUser = async (api: TestApp, tenant = 'acme-shop'): Promise<Record<string, string>> => ({
  authorization: `Bearer ${await api.token({ roles: ['user'] })}`,
  'x-tenant-id': tenant,
});
