import { z } from 'zod';
import { anything } from '#rest/bodies.ts';
import type { Reply } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { webhookSignatureAuth } from './webhook-signature.bytes.ts';

interface Fired {
  run_id: number | null;
  dead_letter_id: number | null;
  status: string;
  finished: boolean;
  result: unknown;
  error: string | null;
  warning: string | null;
}

/** The run's result when the trigger waits for it; otherwise the run or the dead letter that the firing created. */
const fired: Reply = {
  status: 202,
  httpStatus: (found) => firedStatus(found as Fired),
  body(found) {
    const { run_id, dead_letter_id, status, result, error, warning } = found as Fired;
    if (firedStatus(found as Fired) === 200) return result;
    if (firedStatus(found as Fired) === 502) return { message: error ?? `The run has ${status}.`, run_id, status };
    return run_id === null
      ? { run_id, dead_letter_id, status }
      : { run_id, status, ...(warning !== null && { warning }) };
  },
  schema: () => ({
    type: 'object',
    properties: {
      run_id: { type: ['integer', 'null'], description: 'Null when the firing was kept as a dead letter.' },
      dead_letter_id: { type: 'integer' },
      status: { type: 'string' },
      warning: { type: 'string', description: 'Where the body does not fit the message that the trigger expects.' },
    },
    required: ['run_id', 'status'],
  }),
  others: {
    200: { description: "The run's result, where the trigger waits for it.", schema: {} },
    502: {
      description: 'The run that the trigger waited for did not succeed.',
      schema: {
        type: 'object',
        properties: { message: { type: 'string' }, run_id: { type: 'integer' }, status: { type: 'string' } },
        required: ['message', 'run_id', 'status'],
      },
    },
  },
};

function firedStatus({ finished, status }: Fired): number {
  if (!finished) return 202;
  return status === 'succeeded' ? 200 : 502;
}

const anyQuery = z.record(z.string(), z.unknown());

/** Headers of the request that the workflow must not see. */
const withheld = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** Node has already converted header names to lower case. */
const passedOn = (headers: Record<string, string | string[] | undefined>): object =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !withheld.has(name)));

export const webhookRoutes = [
  route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    path: '/webhooks/{handle}',
    name: 'fireWebhook',
    tag: { name: 'Webhooks', description: 'Where other systems fire webhook triggers.' },
    summary: 'Fires a webhook trigger; the request becomes trigger.payload: body, query, headers and method.',
    document: `mutation ($input: FireWebhookInput!) {
        fireWebhook(input: $input) {
          ... on FireWebhookPayload {
            run_id: runId dead_letter_id: deadLetterId status finished result error warning
          }
          ...Failure
        }
      }`,
    query: anyQuery,
    body: anything,
    signatureAuth: webhookSignatureAuth,
    variables: ({ params, method, headers, query, body, idempotencyKey }) => ({
      input: { handle: params.handle, payload: { body, query, headers: passedOn(headers), method }, idempotencyKey },
    }),
    reply: fired,
  }),
];
