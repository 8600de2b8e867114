import { queryFromInfo } from '@pothos/plugin-prisma';
import type { WorkflowTemplate } from '#prisma/client.ts';
import type { TemplateManifest, TemplatePlaceholder } from '#src/automation/node-api/manifest.ts';
import { asSlug } from '#src/automation/node-api/slug.rules.ts';
import { iconUrl, listImages, withImages } from '#src/automation/packages/manifest-images.rules.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { globalQuery, pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { instantiateTemplateInput } from './templates.inputs.ts';
import { templateList } from './templates.reads.ts';
import { instantiateTemplate } from './templates.service.ts';

const readManifest = ({ manifest }: Pick<WorkflowTemplate, 'manifest'>) => manifest as unknown as TemplateManifest;

const PlaceholderKind = defineEnum('TemplatePlaceholderKind', ['credential', 'value'], {
  description: 'What goes in the place of a placeholder.',
  values: { credential: 'The id of a credential.', value: 'Any JSON.' },
});

const PlaceholderRef = builder.objectRef<TemplatePlaceholder>('TemplatePlaceholder').implement({
  description: 'What a template leaves open, to be filled when it is made into a workflow.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'What `$placeholder` in the blob names it by.' }),
    kind: t.expose('kind', { type: PlaceholderKind, description: 'Whether a credential or a value goes there.' }),
    label: t.string({
      description: 'For people; its key where the template has none.',
      resolve: ({ label, key }) => label ?? key,
    }),
    help: t.exposeString('help', { nullable: true, description: 'For people, below the field of the form.' }),
    required: t.boolean({
      description: 'Whether a workflow cannot be made without it.',
      resolve: ({ required }) => required !== false,
    }),
    default: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Used where a value is not given.',
      resolve: (placeholder) => placeholder.default,
    }),
    credentialTypes: t.stringList({
      description: 'Slugs of the credential types it takes; none for a value.',
      resolve: ({ credential_types: types }) => types ?? [],
    }),
  }),
});

const TemplatePermissions = permissionsType('TemplatePermissions', {
  instantiate: 'instantiateTemplate',
});

const TemplateRef = builder.prismaNode('WorkflowTemplate', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id) => ({ id: readId('WorkflowTemplate', id) }),
  select: { id: true },
  description: 'A workflow with open places, out of a node package. Only the latest registered version is shown.',
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    slug: t.exposeString('slug', { description: '`<namespace>:<name>`' }),
    version: t.exposeString('version', { description: 'Of the package that registered it: semver.' }),
    name: t.exposeString('name', { description: 'For people.' }),
    description: t.exposeString('description', { description: 'For people.' }),
    icon: t.string({
      nullable: true,
      description: 'A signed link, good for an hour.',
      select: withImages,
      resolve: (template, _args, { automation }) => iconUrl(template, automation.imageUrls),
    }),
    images: t.field({
      type: ['NodePackageImage'],
      description: 'In the order of the package.',
      select: withImages,
      resolve: (template, _args, { automation }) => listImages(template, automation.imageUrls),
    }),
    placeholders: t.field({
      type: [PlaceholderRef],
      description: 'In the order of a form.',
      select: { manifest: true },
      resolve: (template) => readManifest(template).placeholders ?? [],
    }),
    viewerCan: t.field({ type: TemplatePermissions, resolve: () => permissions }),
    package: t.relation('package'),
    blob: t.field({
      type: 'JSON',
      description: 'A workflow blob in which `{"$placeholder": "<key>"}` stands for what is open.',
      select: { manifest: true },
      resolve: (template) => readManifest(template).blob,
    }),
  }),
});

const TemplateFilterInput = builder.inputType('WorkflowTemplateFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    search: t.string({
      description: 'Part of the slug, the name or the description, in any case; at most 191 characters.',
    }),
    package: t.string({ description: 'Name of the package that brought it.' }),
  }),
});

const TemplateOrderInput = orderInput('WorkflowTemplate', {
  of: 'templates',
  fields: { SLUG: {}, NAME: {}, CREATED_AT: { description: 'By when the latest version was registered.' } },
});

builder.queryFields((t) => ({
  templates: t.connection(
    {
      type: TemplateRef,
      description: 'The templates of all node packages.',
      authScopes: { authenticated: true },
      args: {
        filter: t.arg({ type: TemplateFilterInput }),
        orderBy: t.arg({ type: TemplateOrderInput, description: 'Left out: by slug.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter, orderBy, ...page }, context, info) => {
        const { database } = context.deps;
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'WorkflowTemplate' });
        return pageInOrder(templateList, page, {
          filter: filter ?? {},
          order: orderBy ?? { field: 'SLUG', direction: 'ASC' },
          query: globalQuery(database),
          load: (ids) =>
            database.global.workflowTemplate.findMany({ ...selected, where: { id: { in: ids.map(BigInt) } } }),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(TemplateRef),
  ),
  template: t.prismaField({
    type: TemplateRef,
    description: 'A template in its latest registered version.',
    authScopes: { authenticated: true },
    nullable: true,
    args: { slug: t.arg.string({ description: '`<namespace>:<name>`', required: true }) },
    resolve: (query, _root, { slug }, { deps }) =>
      deps.database.global.workflowTemplate.findFirst({
        ...query,
        where: { slug: asSlug(slug) },
        orderBy: [{ versionOrder: 'desc' }, { version: 'desc' }],
      }),
  }),
}));

builder.relayMutationField(
  'instantiateTemplate',
  mutationInput(instantiateTemplateInput, (t) => ({
    slug: t.string({ description: 'The template: `<namespace>:<name>`.', required: true }),
  })),
  {
    description: 'Makes a workflow from a template. Every required placeholder must be given.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { slug, ...input } }, context) => ({
      workflow: await instantiateTemplate(context.automation, inTenant(context).actor, slug, input),
    }),
  },
  {
    outputFields: (t) => ({
      workflow: t.prismaField({
        type: 'Workflow',
        resolve: (query, { workflow: { id } }, _args, context) => {
          const { db, tenantId } = inTenant(context);
          return db.workflow.findUniqueOrThrow({ ...query, where: { tenantId_id: { tenantId, id } } });
        },
      }),
    }),
  },
);
