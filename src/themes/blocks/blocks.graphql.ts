import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, pageByText } from '#src/graphql/paging/connections.ts';
import { listSettings } from './blocks.rules.ts';
import type { PinnedBlock } from './pinned-blocks.rules.ts';

const reads = { member: true, scope: 'theme:read' } as const;

const loadExtension = createFieldLoader(async (context, ids: bigint[], query: object) => {
  const found = await inTenant(context).db.extension.findMany({ ...query, where: { id: { in: ids } } });
  return new Map(found.map((extension) => [extension.id, extension]));
});

const BlockRef = builder.objectRef<PinnedBlock>('Block').implement({
  description: "A block of the tenant's catalogue, as a page editor shows it.",
  fields: (t) => ({
    name: t.exposeString('name', { description: '`ext__<vendor>__<name>__<id>`: what pages name it by.' }),
    title: t.string({ description: 'Its name in the list of blocks.', resolve: ({ block }) => block.title }),
    description: t.string({
      nullable: true,
      description: 'One line in the list of blocks; null where the extension gives none.',
      resolve: ({ block }) => block.description ?? null,
    }),
    enabledOn: t.stringList({
      description: 'Types of pages that it may be placed on.',
      resolve: ({ block }) => block.enabledOn,
    }),
    settings: t.field({
      type: ['JSON'],
      description:
        'In the order of the manifest, each `{key, type, label, ...}` with what its type has: `default`, `placeholder`, `min`, `max`, `step`, `options: [{value, label}]`.',
      resolve: ({ block }) => listSettings(block),
    }),
    javascript: t.boolean({
      description: 'Whether pages with the block load the script.',
      resolve: ({ block }) => block.javascript === true,
    }),
    stylesheet: t.exposeString('stylesheet', {
      nullable: true,
      description: 'The path on our origin of what pages with the block load; null where there is none.',
    }),
    script: t.exposeString('script', {
      nullable: true,
      description: 'The same of a module that defines custom elements; null unless `javascript` is true.',
    }),
    extension: t.prismaField({
      type: 'Extension',
      description: 'The pinned version that it is of.',
      resolve: async (query, { pin }, _args, context, info) =>
        (await loadExtension(context, info, BigInt(pin.extensionId), { ...query })) as never,
    }),
  }),
});

builder.queryField('blocks', (t) =>
  t.connection(
    {
      type: BlockRef,
      description:
        'What pages of a theme may show, by name: the blocks of installed extensions for which the tenant has the theme in range.',
      authScopes: reads,
      args: {
        theme: t.arg.string({ description: '`<vendor>/<name>`', required: true }),
        pageType: t.arg.string({ description: 'Those that may be placed on this type of page.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: async (_root, { theme, pageType, ...page }, context) => {
        const { themes, tenantId } = inTenant(context);
        const found = await themes.catalogue.list(tenantId, { theme, pageType: pageType ?? null });
        return pageByText<PinnedBlock>(
          page,
          ({ name }) => name,
          async ({ take, skip, direction, beyond: { gt, lt } }) => {
            const ordered = direction === 'asc' ? found : found.toReversed();
            const rest = ordered.filter(
              ({ name }) => (gt === undefined || name > gt) && (lt === undefined || name < lt),
            );
            return rest.slice(skip, skip + take);
          },
          async (most) => Math.min(found.length, most),
        );
      },
    },
    defineConnection(BlockRef),
  ),
);
