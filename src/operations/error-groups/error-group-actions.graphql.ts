import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { readUuid } from '#src/infra/inputs.ts';
import { ErrorGroupRef } from './error-groups.graphql.ts';
import { assignInput, muteInput } from './error-groups.inputs.ts';
import { type ErrorGroupRow, findErrorGroup } from './error-groups.reads.ts';
import { assignErrorGroup, muteErrorGroup, reopenErrorGroup, resolveErrorGroup } from './error-groups.service.ts';

async function requireGroup(context: Context, id: string): Promise<ErrorGroupRow> {
  const { deps, tenantId } = inTenant(context);
  const group = await findErrorGroup(deps.database, tenantId, id);
  if (!group) throw new NotFoundError();
  return group;
}

const outputFields = {
  outputFields: (t: PothosSchemaTypes.ObjectFieldBuilder<(typeof builder)['$inferSchemaTypes'], { id: string }>) => ({
    errorGroup: t.field({
      type: ErrorGroupRef,
      resolve: ({ id }, _args, context) => requireGroup(context, id),
    }),
  }),
};

function statusMutation(
  name: string,
  description: string,
  change: (deps: Deps, actor: Actor, id: string) => Promise<void>,
): void {
  builder.relayMutationField(
    name,
    { inputFields: idField },
    {
      description,
      authScopes: { member: true },
      errors: errorTypes,
      resolve: async (_root, { input }, context) => {
        const id = readUuid('ErrorGroup', input.id);
        await change(context.deps, inTenant(context).actor, id);
        return { id };
      },
    },
    outputFields,
  );
}

statusMutation('resolveErrorGroup', 'Marks a group as repaired. The next failure opens it.', resolveErrorGroup);
statusMutation('reopenErrorGroup', 'Takes back that a group was muted or resolved.', reopenErrorGroup);

builder.relayMutationField(
  'muteErrorGroup',
  mutationInput(muteInput, idField),
  {
    description: 'Hides a group until it recurs: until the next failure, or the first one after an instant.',
    authScopes: { member: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id: given, ...mute } }, context) => {
      const id = readUuid('ErrorGroup', given);
      await muteErrorGroup(context.deps, inTenant(context).actor, id, mute);
      return { id };
    },
  },
  outputFields,
);

builder.relayMutationField(
  'assignErrorGroup',
  mutationInput(assignInput, idField),
  {
    description: 'Says who looks after a group.',
    authScopes: { member: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id: given, ...assignment } }, context) => {
      const id = readUuid('ErrorGroup', given);
      await assignErrorGroup(context.deps, inTenant(context).actor, id, assignment);
      return { id };
    },
  },
  outputFields,
);
