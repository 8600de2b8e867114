import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { BlockStatusEnum } from '#src/graphql/enums.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { blockProps } from './islands.inputs.ts';
import { renderBlock, type RenderedBlock } from './rendering.service.ts';

const RenderedBlockRef = builder.objectRef<RenderedBlock>('RenderedBlock').implement({
  description: 'A block as a page shows it.',
  fields: (t) => ({
    html: t.string({
      description: 'Sanitised; empty where the block is.',
      resolve: ({ html }) => html.toString('utf8'),
    }),
    status: t.expose('status', { type: BlockStatusEnum, description: 'Whether there is anything to show.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description:
        'Why it is empty: `version_mismatch`, `timeout`, `too_large`, `bad_status`, `redirect`, `unreachable` or `not_html`. Null where it is not.',
    }),
    stylesheet: t.string({
      nullable: true,
      description:
        'The path on our origin of what the page loads for it; null where there is none, and in the page editor.',
      resolve: ({ stylesheet }) => stylesheet?.path ?? null,
    }),
    script: t.string({
      nullable: true,
      description: 'The same of a module that defines its custom elements.',
      resolve: ({ script }) => script?.path ?? null,
    }),
  }),
});

builder.queryField('renderBlock', (t) =>
  t.field({
    type: RenderedBlockRef,
    description:
      'Has a block rendered by its extension, for a page of a type. What goes wrong there leaves the block empty; it never fails the page.',
    authScopes: { member: true, scope: 'theme:read' },
    args: {
      name: t.arg.string({ description: "Its name in the tenant's catalogue.", required: true }),
      props: t.arg({ type: 'JSON', description: 'A value for each setting; left out ones have their default.' }),
      pageType: t.arg.string({ description: 'One of those that the block may be placed on.', required: true }),
      editor: t.arg.boolean({
        description: 'Whether the page editor shows the page: the block then has no stylesheet and no script.',
      }),
    },
    resolve: (_root, { name, props: given, pageType, editor }, context) => {
      const { themes, tenantId } = inTenant(context);
      const props = parseInput(blockProps, given, 'props');
      return renderBlock(themes, tenantId, { name, props, pageType, isEdited: editor === true });
    },
  }),
);
