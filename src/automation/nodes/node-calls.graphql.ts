import type { NodeLogLine } from '#src/automation/node-api/node-runtime.ts';
import { builder } from '#src/graphql/builder.ts';
import type { Context } from '#src/graphql/context.ts';
import { LogLevelEnum } from '#src/graphql/enums.ts';
import { ErrorInterface, errorTypes } from '#src/graphql/error-types.ts';
import { takes } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { resolveNodeConfigInput, testNodeInput } from './node-calls.inputs.ts';
import { resolveNodeConfig } from './node-config.service.ts';
import { type NodeCaller, NodeThrewError, testNode } from './node-test.service.ts';

const LogLineRef = builder.objectRef<NodeLogLine>('NodeLogLine').implement({
  fields: (t) => ({ level: t.expose('level', { type: LogLevelEnum }), message: t.exposeString('message') }),
});

const FailureRef = builder.objectRef<NodeThrewError['error']>('NodeFailure').implement({
  description: 'What the code of a node threw.',
  fields: (t) => ({ message: t.exposeString('message'), code: t.exposeString('code') }),
});

builder.objectType(NodeThrewError, {
  name: 'NodeThrewError',
  description: 'The node ran and failed by its own doing.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    error: t.field({ type: FailureRef, resolve: ({ error }) => error }),
    logs: t.field({ type: [LogLineRef], resolve: ({ logs }) => logs }),
  }),
});

// A node can be tried out without a tenant.
const callerOf = ({ tenant, principal }: Context): NodeCaller => ({
  tenantId: tenant?.id ?? null,
  userId: principal.userId,
});

const isAdmin = ({ viewer }: Context): boolean => viewer?.roles.includes('admin') === true;

builder.relayMutationField(
  'testNode',
  {
    inputFields: (t) => ({
      slug: t.string({ required: true }),
      version: t.string({ required: true, description: 'An exact version or `latest`.' }),
      config: t.field({ type: 'JSON' }),
      inputs: t.field({ type: 'JSON', description: 'Simulated inputs, merged over the config.' }),
      timeoutMs: t.int({ description: 'At least 1,000; cut to 30,000.' }),
      workflowId: t.id({ description: "Grants reading that workflow's declared state namespaces." }),
    }),
  },
  {
    extensions: takes(testNodeInput, 'slug', 'version', 'workflowId'),
    authScopes: { tester: true },
    errors: { types: [NodeThrewError, ...errorTypes.types] },
    resolve: (_root, { input: { workflowId, ...call } }, context) =>
      testNode(context.automation, callerOf(context), {
        ...call,
        workflowId: workflowId ? readId('Workflow', workflowId) : undefined,
        mayUseCredentials: isAdmin(context),
      }),
  },
  {
    outputFields: (t) => ({
      outputs: t.field({ type: 'JSON', resolve: ({ outputs }) => outputs }),
      branch: t.exposeString('branch'),
      logs: t.field({ type: [LogLineRef], resolve: ({ logs }) => logs }),
    }),
  },
);

builder.relayMutationField(
  'resolveNodeConfig',
  {
    inputFields: (t) => ({
      slug: t.string({ required: true }),
      version: t.string({ required: true, description: 'An exact version or `latest`.' }),
      target: t.string({ required: true, description: '`outputs`, `*` or the key of a config field.' }),
      config: t.field({ type: 'JSON', description: 'What the form holds so far.' }),
      locale: t.string(),
      search: t.string({ description: 'Narrows the options of one field.' }),
    }),
  },
  {
    extensions: takes(resolveNodeConfigInput, 'slug', 'version'),
    authScopes: { tester: true },
    errors: errorTypes,
    resolve: (_root, { input }, context) =>
      resolveNodeConfig(context.automation, callerOf(context), { ...input, mayUseCredentials: isAdmin(context) }),
  },
  {
    outputFields: (t) => ({
      fields: t.field({ type: 'JSON', description: '`[{key, type, ...}]`', resolve: ({ fields }) => fields }),
      outputs: t.field({ type: 'JSON', description: '`[{name, ...}]`', resolve: ({ outputs }) => outputs }),
    }),
  },
);
