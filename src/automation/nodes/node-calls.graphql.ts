import type { NodeLogLine } from '#src/automation/node-api/node-runtime.ts';
import { builder } from '#src/graphql/builder.ts';
import type { Context } from '#src/graphql/context.ts';
import { LogLevelEnum } from '#src/graphql/enums.ts';
import { ErrorInterface, errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { resolveNodeConfigInput, testNodeInput } from './node-calls.inputs.ts';
import { resolveNodeConfig } from './node-config.service.ts';
import { type NodeCaller, NodeThrewError, testNode } from './node-test.service.ts';

const LogLineRef = builder.objectRef<NodeLogLine>('NodeLogLine').implement({
  description: 'A line that a node logged in a test.',
  fields: (t) => ({
    level: t.expose('level', { type: LogLevelEnum }),
    message: t.exposeString('message', { description: 'What the node logged, with secrets redacted.' }),
  }),
});

declare module '#src/graphql/builder.ts' {
  interface GraphObjects {
    NodeFailure: NodeThrewError['error'];
  }
}

builder.objectType('NodeFailure', {
  description: 'What the code of a node threw.',
  fields: (t) => ({
    message: t.exposeString('message', { description: 'With secrets redacted.' }),
    code: t.exposeString('code', {
      description:
        'What the node threw as its code, or NODE_THREW, TIMEOUT, OUT_OF_MEMORY, INVALID_RESULT or OUTPUT_TOO_LARGE.',
    }),
  }),
});

builder.objectType(NodeThrewError, {
  name: 'NodeThrewError',
  description: 'The node ran and failed by its own doing.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    error: t.field({ type: 'NodeFailure', description: 'What it threw.', resolve: ({ error }) => error }),
    logs: t.field({ type: [LogLineRef], description: 'What it logged before, in order.', resolve: ({ logs }) => logs }),
  }),
});

// A node can be tried out without a tenant.
const toNodeCaller = ({ tenant, principal }: Context): NodeCaller => ({
  tenantId: tenant?.id ?? null,
  userId: principal.userId,
});

const isAdmin = ({ viewer }: Context): boolean => viewer?.roles.includes('admin') === true;

builder.relayMutationField(
  'testNode',
  mutationInput(testNodeInput, (t) => ({
    slug: t.string({ description: '`<namespace>:<name>`', required: true }),
    version: t.string({ required: true, description: 'An exact version or `latest`.' }),
    workflowId: t.id({ description: "Grants reading that workflow's declared state namespaces." }),
  })),
  {
    description:
      'Runs one node outside a workflow, with its real effects. Only admins may test nodes that use credentials or secrets.',
    authScopes: { tester: true },
    errors: { types: [NodeThrewError, ...errorTypes.types] },
    resolve: (_root, { input: { workflowId, ...call } }, context) =>
      testNode(context.automation, toNodeCaller(context), {
        ...call,
        workflowId: workflowId ? readId('Workflow', workflowId) : undefined,
        mayUseCredentials: isAdmin(context),
      }),
  },
  {
    outputFields: (t) => ({
      outputs: t.field({
        type: 'JSON',
        description: 'What the node returned, with secrets redacted.',
        resolve: ({ outputs }) => outputs,
      }),
      branch: t.exposeString('branch', { description: 'The branch it took, `default` where the node chose none.' }),
      logs: t.field({ type: [LogLineRef], description: 'What it logged, in order.', resolve: ({ logs }) => logs }),
    }),
  },
);

builder.relayMutationField(
  'resolveNodeConfig',
  mutationInput(resolveNodeConfigInput, (t) => ({
    slug: t.string({ description: '`<namespace>:<name>`', required: true }),
    version: t.string({ required: true, description: 'An exact version or `latest`.' }),
  })),
  {
    description: 'Asks a node for the fields or outputs that depend on what its form holds so far.',
    authScopes: { tester: true },
    errors: errorTypes,
    resolve: (_root, { input }, context) =>
      resolveNodeConfig(context.automation, toNodeCaller(context), { ...input, mayUseCredentials: isAdmin(context) }),
  },
  {
    outputFields: (t) => ({
      fields: t.field({ type: 'JSON', description: '`[{key, type, ...}]`', resolve: ({ fields }) => fields }),
      outputs: t.field({ type: 'JSON', description: '`[{name, ...}]`', resolve: ({ outputs }) => outputs }),
    }),
  },
);
