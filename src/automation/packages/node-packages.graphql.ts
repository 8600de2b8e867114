import { builder } from '#src/graphql/builder.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import type { PackageBuild, PackageBuildError } from './bundler/package-build.ts';
import { type PackageMember, registerNodePackage, type RegisteredPackage } from './node-packages.service.ts';

declare module '#src/graphql/builder.ts' {
  interface GraphObjects {
    RegisteredNodePackage: RegisteredPackage;
  }
}

const MemberRef = builder.objectRef<PackageMember>('NodePackageMember').implement({
  description: 'A node, credential type, template or message of a package.',
  fields: (t) => ({
    slug: t.exposeString('slug', { description: '`<namespace>:<name>`' }),
    version: t.exposeString('version', { description: 'Semver.' }),
    name: t.exposeString('name', { description: 'For people.' }),
  }),
});

const FileRef = builder.objectRef<RegisteredPackage['images'][number]>('NodePackageFile').implement({
  description: 'An image file of a package.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'In the package.' }),
    contentType: t.exposeString('contentType', { description: 'Its media type.' }),
    size: t.exposeInt('size', { description: 'Bytes.' }),
  }),
});

const BuildErrorRef = builder.objectRef<PackageBuildError>('NodePackageBuildError').implement({
  description: 'Why the code of a node or credential type does not bundle.',
  fields: (t) => ({
    slug: t.exposeString('slug', { description: 'The node or credential type whose code does not bundle.' }),
    message: t.exposeString('message', { description: 'What the bundler says.' }),
    file: t.exposeString('file', {
      nullable: true,
      description: 'The file in the package; null where the bundler names none.',
    }),
    line: t.exposeInt('line', { nullable: true, description: 'From 1; null where the bundler names none.' }),
  }),
});

const BuildStatus = defineEnum('NodePackageBuildStatus', ['ready', 'failed'], {
  description: 'Whether all code of a package was bundled.',
});

const BuildRef = builder.objectRef<PackageBuild>('NodePackageBuild').implement({
  description: 'How the bundling of the code of a package went.',
  fields: (t) => ({
    status: t.expose('status', { type: BuildStatus }),
    errors: t.field({ type: [BuildErrorRef], description: 'Empty unless it failed.', resolve: ({ errors }) => errors }),
  }),
});

const RegisteredRef = builder.objectType('RegisteredNodePackage', {
  description: 'What a package brought into the catalogue.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'As npm names it.' }),
    version: t.exposeString('version', { description: 'Semver.' }),
    label: t.exposeString('label', { description: 'Its name for people.' }),
    nodes: t.field({ type: [MemberRef], description: 'The nodes it brought.', resolve: ({ nodes }) => nodes }),
    credentialTypes: t.field({
      type: [MemberRef],
      description: 'The credential types it brought.',
      resolve: ({ credentialTypes }) => credentialTypes,
    }),
    templates: t.field({
      type: [MemberRef],
      description: 'The workflow templates it brought.',
      resolve: ({ templates }) => templates,
    }),
    messages: t.field({
      type: [MemberRef],
      description: 'The messages that its systems send, which webhook triggers receive.',
      resolve: ({ messages }) => messages,
    }),
    images: t.field({ type: [FileRef], description: 'The images it brought.', resolve: ({ images }) => images }),
    build: t.field({
      type: BuildRef,
      description: 'How the bundling of its code went; what failed to bundle is registered, but cannot run.',
      resolve: ({ build }) => build,
    }),
  }),
});

builder.relayMutationField(
  'uploadNodePackage',
  {
    inputFields: (t) => ({
      orgId: t.string({
        description: 'The slug of the organisation that publishes it, and owns its namespaces.',
        required: true,
      }),
      archive: t.field({ type: 'Base64', required: true, description: 'An npm-pack archive: gzipped tar.' }),
    }),
  },
  {
    description: 'Registers a package of nodes, credential types and templates for every tenant.',
    authScopes: { operator: true },
    errors: errorTypes,
    resolve: async (_root, { input }, { deps }) => ({ registered: await registerNodePackage(deps, input) }),
  },
  {
    outputFields: (t) => ({
      nodePackage: t.field({ type: RegisteredRef, resolve: ({ registered }) => registered }),
      created: t.boolean({
        description: 'False when the same bytes were registered before.',
        resolve: ({ registered }) => registered.created,
      }),
    }),
  },
);
