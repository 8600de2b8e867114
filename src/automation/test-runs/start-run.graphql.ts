import { startRun } from '#src/automation/firings/manual-firing.service.ts';
import { requireRun } from '#src/automation/runs/runs.reads.ts';
import { assertAccess } from '#src/graphql/access.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { logAccepted } from '#src/graphql/log-accepted.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { isTest, testRunInput } from './test-runs.inputs.ts';
import { startTestRun } from './test-runs.service.ts';

builder.relayMutationField(
  'startRun',
  mutationInput(testRunInput, (t) => ({ workflowId: t.id({ required: true }) })),
  {
    description:
      'Starts a run by a manual trigger of the workflow. With `draft`, `pins`, `from`, `to` or `reuse` it is a test run, which needs the role `admin`.',
    authScopes: { member: true },
    errors: errorTypes,
    resolve: async (_root, { input: { workflowId: id, ...input } }, context) => {
      const { actor } = inTenant(context);
      const workflowId = readId('Workflow', id);
      const test = isTest(input);
      if (test) assertAccess(context, { admin: true });
      const started = test
        ? await startTestRun(context.automation, actor, workflowId, input)
        : await startRun(context.automation, actor, { ...input, workflowId });
      logAccepted(context, { runId: started.runId });
      return started;
    },
  },
  {
    outputFields: (t) => ({
      run: t.field({
        type: 'Run',
        resolve: ({ runId }, _args, context) => requireRun(context.deps.database, inTenant(context).tenantId, runId),
      }),
    }),
  },
);
