import { hasAccess } from '#src/graphql/access.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { BlockStatusEnum } from '#src/graphql/enums.ts';
import { parseInput, readId } from '#src/infra/inputs.ts';
import { versionsSeenBy } from '#src/themes/extensions/extensions.reads.ts';
import { blockProps } from '#src/themes/islands/islands.inputs.ts';
import { type BlockPreview, previewBlock } from './previews.service.ts';

const PreviewRef = builder.objectRef<BlockPreview>('BlockPreview').implement({
  description: 'A block of a version as it would look, whether or not the version is installed anywhere.',
  fields: (t) => ({
    html: t.exposeString('html', { description: 'Sanitised; empty where the block is.' }),
    status: t.expose('status', { type: BlockStatusEnum, description: 'Whether there is anything to show.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it is empty, as `RenderedBlock.reason`.' }),
    why: t.exposeString('why', { nullable: true, description: 'What exactly went wrong, for the author.' }),
    stylesheet: t.exposeString('stylesheet', {
      nullable: true,
      description: 'The text of the stylesheet that pages with the block load. Show it in a frame of its own alone.',
    }),
  }),
});

builder.queryField('previewBlock', (t) =>
  t.field({
    type: PreviewRef,
    nullable: true,
    description:
      'Has a block of a version rendered by its extension, published or not: by operators, its owner and those who may install it. Null where there is no such block.',
    authScopes: { operator: true, member: true },
    args: {
      extensionId: t.arg.id({ required: true, description: 'The version.' }),
      block: t.arg.string({ required: true, description: 'The id of the block in its manifest.' }),
      props: t.arg({ type: 'JSON', description: 'A value for each setting; left out ones have their default.' }),
    },
    resolve: async (_root, { extensionId, block, props }, context) => {
      const where = { id: readId('Extension', extensionId) };
      const seenBy = hasAccess(context, { operator: true }) ? null : inTenant(context).tenantId;
      const version = await versionsSeenBy(context.deps, seenBy).extension.findUnique({
        where,
        include: { assets: true },
      });
      if (!version) return null;
      return previewBlock(context.themes, version, { block, props: parseInput(blockProps, props, 'props') });
    },
  }),
);
