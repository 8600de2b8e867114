import { json } from '#rest/bodies.ts';
import { queryFlag } from '#rest/parameters.ts';
import { byteRoute } from '#rest/route.ts';
import { inTenant } from '#src/graphql/context.ts';
import { renderBlockQuery, renderBlocksBody } from '#src/themes/islands/islands.inputs.ts';
import { type Asset, renderBlock, type RenderedBlock, renderBlocks } from '#src/themes/islands/rendering.service.ts';
import { blocksTag } from './blocks.routes.ts';

const access = { scopes: { member: true, scope: 'theme:read' } } as const;

const text = { type: 'string' };
const listSchema = (properties: Record<string, object>) => ({ type: 'array', items: { type: 'object', properties } });

/** Byte routes, because a block is HTML, and because a page waits for it: the graph's overhead would apply to each block. */
export const islandRoutes = [
  byteRoute({
    method: 'GET',
    path: '/blocks/{name}',
    name: 'renderBlock',
    tag: blocksTag,
    summary: 'A block, rendered by its extension and sanitised; empty, with a reason, where that fails.',
    access,
    query: renderBlockQuery.extend({ editor: queryFlag }),
    refuses: ['NOT_FOUND', 'VALIDATION_FAILED'],
    answers: {
      status: 200,
      description:
        'The HTML. `X-Block-Status` is `rendered` or `empty`, `X-Block-Reason` says why it is empty, `X-Block-Stylesheet` and `X-Block-Script` name what the page loads for it, and are not there where `editor` says that the page editor shows the page.',
      content: { 'text/html': { schema: text } },
    },
    async answer({ params: { name }, query: { page_type: pageType, props, editor: isEdited = false } }, context) {
      const { themes, tenantId } = inTenant(context);
      const block = await renderBlock(themes, tenantId, { name, props, pageType, isEdited });
      return {
        type: 'text/html; charset=utf-8',
        headers: blockHeaders(block),
        content: block.html,
        cached: block.cached,
      };
    },
  }),
  byteRoute({
    method: 'POST',
    path: '/blocks',
    name: 'renderBlocks',
    tag: blocksTag,
    summary: 'The blocks of a page, rendered side by side within one time limit, and what the page loads for them.',
    access,
    body: json(renderBlocksBody),
    refuses: ['VALIDATION_FAILED'],
    example: { body: { page_type: 'product', blocks: [{ name: 'ext__acme__reviews__stars', props: { max: 5 } }] } },
    answers: {
      status: 200,
      description:
        'The blocks in their order; stylesheets and scripts once each, and none where `editor` says that the page editor shows the page.',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              data: listSchema({
                name: text,
                html: text,
                status: { enum: ['rendered', 'empty'] },
                reason: { type: ['string', 'null'] },
              }),
              stylesheets: listSchema({ href: text, integrity: text }),
              scripts: listSchema({ src: text, integrity: text }),
            },
          },
        },
      },
    },
    async answer({ body: { page_type: pageType, blocks, editor: isEdited } }, context) {
      const { themes, tenantId } = inTenant(context);
      const rendered = await renderBlocks(themes, tenantId, { pageType, isEdited, blocks });
      return { type: 'application/json; charset=utf-8', content: JSON.stringify(toPage(rendered)) };
    },
  }),
];

const blockHeaders = ({ status, reason, stylesheet, script }: RenderedBlock): Record<string, string> => ({
  'x-block-status': status,
  ...(reason && { 'x-block-reason': reason }),
  ...(stylesheet && { 'x-block-stylesheet': stylesheet.path }),
  ...(script && { 'x-block-script': script.path }),
  // The content may change with the installation, and with the extension within a minute.
  'cache-control': 'private, no-store',
});

function toPage(blocks: readonly RenderedBlock[]): object {
  return {
    data: blocks.map(({ name, html, status, reason }) => ({ name, html: html.toString('utf8'), status, reason })),
    stylesheets: once(blocks.map(({ stylesheet }) => stylesheet)).map(({ path: href, integrity }) => ({
      href,
      integrity,
    })),
    scripts: once(blocks.map(({ script }) => script)).map(({ path: src, integrity }) => ({ src, integrity })),
  };
}

const once = (assets: readonly (Asset | null)[]): Asset[] => [
  ...new Map(assets.flatMap((asset) => (asset ? [[asset.path, asset] as const] : []))).values(),
];
