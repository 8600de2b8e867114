import type { Extension } from '#prisma/client.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { connectionOf } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, pageByText } from '#src/graphql/paging/connections.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { settingsOf } from './blocks.rules.ts';
import type { PinnedBlock } from './pinned-blocks.rules.ts';

const reads = { member: true, scope: 'theme:read' } as const;

interface ListedBlock extends PinnedBlock {
  /** Read once for all blocks of a page. */
  extension: () => Promise<Extension>;
}

const BlockRef = builder.objectRef<ListedBlock>('Block').implement({
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
      resolve: ({ block }) => settingsOf(block),
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
    extension: t.field({
      type: 'Extension',
      description: 'The pinned version that it is of.',
      resolve: ({ extension }) => extension(),
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
        const { db, themes, tenantId } = inTenant(context);
        const found = await themes.catalogue.list(tenantId, { theme, pageType: pageType ?? null });
        const ids = [...new Set(found.map(({ pin }) => BigInt(pin.extensionId)))];
        let extensions: Promise<Extension[]> | undefined;
        const extensionOf = async ({ pin }: PinnedBlock) => {
          extensions ??= db.extension.findMany({ where: { id: { in: ids } } });
          const extension = (await extensions).find(({ id }) => id === BigInt(pin.extensionId));
          if (!extension) throw new NotFoundError();
          return extension;
        };
        const blocks = found.map((block) => ({ ...block, extension: () => extensionOf(block) }));
        return pageByText<ListedBlock>(
          page,
          ({ name }) => name,
          async ({ take, skip, direction, beyond: { gt, lt } }) => {
            const ordered = direction === 'asc' ? blocks : blocks.toReversed();
            const rest = ordered.filter(
              ({ name }) => (gt === undefined || name > gt) && (lt === undefined || name < lt),
            );
            return rest.slice(skip, skip + take);
          },
          async (most) => Math.min(blocks.length, most),
        );
      },
    },
    connectionOf(BlockRef),
  ),
);
