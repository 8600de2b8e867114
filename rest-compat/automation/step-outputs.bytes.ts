import { byteRoute } from '#rest/route.ts';
import { requireOutputText } from '#src/automation/runs/steps/step-outputs.reads.ts';

export const stepOutputRoutes = [
  byteRoute({
    method: 'GET',
    // `outputLinks` signs this path.
    path: '/step-outputs/{tenant}/{step}',
    name: 'getStepOutputs',
    tag: { name: 'Runs', description: 'What links of the graph lead to.' },
    summary: 'The outputs of a step, by the signed link of `Step.outputUrl`.',
    access: { link: ({ tenant, step }, query, { automation }) => automation.outputLinks.verify(tenant, step, query) },
    refuses: ['NOT_FOUND'],
    answers: { status: 200, description: 'The outputs.', content: { 'application/json': { schema: {} } } },
    async answer({ params: { tenant, step } }, { deps }) {
      const key = Buffer.from(step, 'base64url').toString();
      return {
        type: 'application/json; charset=utf-8',
        headers: { 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' },
        content: await requireOutputText(deps.database, tenant, key),
      };
    },
  }),
];
