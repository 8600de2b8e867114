import { builder } from '#src/graphql/builder.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { readId } from '#src/infra/inputs.ts';
import type { AssetChange, BlockChange } from './review.rules.ts';
import { type ExtensionReview, reviewExtension } from './reviews.service.ts';

const ChangeEnum = defineEnum('ExtensionChangeKind', ['added', 'removed', 'changed'], {
  description: 'What a version does to a part of the version before it.',
});

const SettingChangeRef = builder.objectRef<BlockChange['settings'][number]>('SettingChange').implement({
  description: 'A setting of a block that differs between two versions.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Its key in the block.' }),
    change: t.expose('change', { type: ChangeEnum, description: 'What happens to it.' }),
  }),
});

const BlockChangeRef = builder.objectRef<BlockChange>('BlockChange').implement({
  description: 'A block that differs between two versions.',
  fields: (t) => ({
    blockId: t.exposeString('id', { description: 'Its id in the manifest.' }),
    change: t.expose('change', { type: ChangeEnum, description: 'What happens to it.' }),
    members: t.exposeStringList('members', { description: 'Of a changed one: what differs beside its settings.' }),
    settings: t.field({
      type: [SettingChangeRef],
      description: 'The settings that differ.',
      resolve: ({ settings }) => settings,
    }),
  }),
});

const AssetChangeRef = builder.objectRef<AssetChange>('AssetChange').implement({
  description: 'A file that differs between two versions.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'As the manifest declares it.' }),
    change: t.expose('change', { type: ChangeEnum, description: 'What happens to it.' }),
    sizeBefore: t.exposeInt('sizeBefore', { nullable: true, description: 'Bytes before; null of an added one.' }),
    size: t.exposeInt('size', { nullable: true, description: 'Bytes now; null of a removed one.' }),
  }),
});

const ReviewRef = builder.objectRef<ExtensionReview>('ExtensionReview').implement({
  description: 'What a version of an extension changes, for the operator who decides whether to publish it.',
  fields: (t) => ({
    // Read here, because the tenant that an operator's request may name does not see every version.
    extension: t.prismaField({
      type: 'Extension',
      description: 'The version.',
      resolve: (query, { extension: { id } }, _args, { deps }) =>
        deps.database.global.extension.findUniqueOrThrow({ ...query, where: { id } }),
    }),
    previous: t.prismaField({
      type: 'Extension',
      nullable: true,
      description: 'The version it is compared with; null where everything is new.',
      resolve: (query, { previous }, _args, { deps }) =>
        previous && deps.database.global.extension.findUniqueOrThrow({ ...query, where: { id: previous.id } }),
    }),
    members: t.exposeStringList('members', {
      description: 'What differs in the manifest beside its blocks and its version: `title`, `target`, ...',
    }),
    blocks: t.field({
      type: [BlockChangeRef],
      description: 'The blocks that differ.',
      resolve: ({ blocks }) => blocks,
    }),
    assets: t.field({ type: [AssetChangeRef], description: 'The files that differ.', resolve: ({ assets }) => assets }),
    elementsAdded: t.exposeStringList('elementsAdded', {
      description: 'Custom elements that its module defines by name and the other did not.',
    }),
    elementsRemoved: t.exposeStringList('elementsRemoved', {
      description: 'Custom elements that the other defined by name and this one does not.',
    }),
  }),
});

builder.queryField('extensionReview', (t) =>
  t.field({
    type: ReviewRef,
    nullable: true,
    description: 'What a version changes; null where no extension has this id.',
    authScopes: { operator: true },
    args: {
      id: t.arg.id({ required: true, description: 'The version.' }),
      against: t.arg.id({
        description: 'Another version of the same extension. Left out: the last that was published before it came.',
      }),
    },
    resolve: (_root, { id, against }, { deps }) =>
      reviewExtension(deps, readId('Extension', id), against == null ? null : readId('Extension', against)),
  }),
);
