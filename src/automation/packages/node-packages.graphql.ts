import { builder } from '#src/graphql/builder.ts';
import { enumOf } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { takes } from '#src/graphql/mutation-input.ts';
import type { PackageBuild, PackageBuildError } from './bundler/package-build.ts';
import { type PackageMember, registerNodePackage, type RegisteredPackage } from './node-packages.service.ts';

const MemberRef = builder.objectRef<PackageMember>('NodePackageMember').implement({
  fields: (t) => ({
    slug: t.exposeString('slug'),
    version: t.exposeString('version'),
    name: t.exposeString('name'),
  }),
});

const FileRef = builder.objectRef<RegisteredPackage['images'][number]>('NodePackageFile').implement({
  fields: (t) => ({
    path: t.exposeString('path', { description: 'In the package.' }),
    contentType: t.exposeString('contentType'),
    size: t.exposeInt('size', { description: 'Bytes.' }),
  }),
});

const BuildErrorRef = builder.objectRef<PackageBuildError>('NodePackageBuildError').implement({
  fields: (t) => ({
    slug: t.exposeString('slug', { description: 'The node or credential type whose code does not bundle.' }),
    message: t.exposeString('message'),
    file: t.exposeString('file', { nullable: true }),
    line: t.exposeInt('line', { nullable: true }),
  }),
});

const BuildStatus = enumOf('NodePackageBuildStatus', ['ready', 'failed']);

const BuildRef = builder.objectRef<PackageBuild>('NodePackageBuild').implement({
  fields: (t) => ({
    status: t.expose('status', { type: BuildStatus }),
    errors: t.field({ type: [BuildErrorRef], resolve: ({ errors }) => errors }),
  }),
});

const RegisteredRef = builder.objectRef<RegisteredPackage>('RegisteredNodePackage').implement({
  description: 'What a package brought into the catalogue.',
  fields: (t) => ({
    name: t.exposeString('name'),
    version: t.exposeString('version'),
    label: t.exposeString('label'),
    nodes: t.field({ type: [MemberRef], resolve: ({ nodes }) => nodes }),
    credentialTypes: t.field({ type: [MemberRef], resolve: ({ credentialTypes }) => credentialTypes }),
    templates: t.field({ type: [MemberRef], resolve: ({ templates }) => templates }),
    images: t.field({ type: [FileRef], resolve: ({ images }) => images }),
    build: t.field({ type: BuildRef, resolve: ({ build }) => build }),
  }),
});

builder.relayMutationField(
  'uploadNodePackage',
  {
    inputFields: (t) => ({
      orgId: t.string({ required: true }),
      archive: t.field({ type: 'Base64', required: true, description: 'An npm-pack archive: gzipped tar.' }),
    }),
  },
  {
    extensions: takes(null, 'orgId', 'archive'),
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
