import { z } from 'zod';
import { valueAt } from '#src/automation/http-calls/json-path.ts';
import { toPage } from '#src/automation/http-calls/next-place.ts';
import type { PageSource } from '#src/automation/http-calls/page-source.ts';
import { callPaging, type Paging } from '#src/automation/http-calls/paging-forms.ts';
import { readPages } from '#src/automation/http-calls/read-pages.ts';
import type { ApiCall, CallPaging } from '#src/automation/node-api/api-call.ts';
import { type NodeContext, type NodeResult, readConfig } from '#src/automation/node-api/builtin-node.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { takeBranch } from './answers.ts';
import { sendCall, type Sending } from './send-call.ts';
import { readOption, readValue, type Values } from './values.ts';

const limits = z.object({
  max_items: z.int().min(1).max(100_000).optional(),
  max_pages: z.int().min(1).max(1_000).optional(),
});

export const wantsAllPages = (call: ApiCall, values: Values): boolean =>
  call.paging !== undefined && readOption(call, values, 'all_pages') === true;

/**
 * Reads all pages of a list, up to the limits in the config. `onFirst` is called with the first page. Without limits in the config, those of
 * core:http-request apply, and the step fails beyond them. An error answer to the first page continues along its branch. An error answer to a
 * later page fails the step, because part of the list would be missing.
 */
export async function readAllPages(
  sending: Sending,
  form: CallPaging,
  { hasEdge, onFirst }: { hasEdge: NodeContext['hasEdge']; onFirst: (page: NodeResult) => Promise<void> },
): Promise<NodeResult> {
  const { call, values } = sending;
  const given = readConfig(limits, {
    max_items: readOption(call, values, 'max_items'),
    max_pages: readOption(call, values, 'max_pages'),
  });
  const paging = callPaging.parse({ ...form, ...findStart(form, call, values), ...given, on_limit: 'stop' });
  let first: NodeResult = { outputs: {} };
  let last = {};
  let isEnded = false;
  try {
    const { items, ...read } = await readPages(paging, new URL(sending.url), async (place, number) => {
      const { answer, outputs } = await sendCall(sending, { place, number });
      const branch = takeBranch(call, answer, outputs, number === 1 ? hasEdge : () => false);
      if (number === 1) {
        first = { outputs, branch };
        await onFirst(first);
      }
      isEnded = number === 1 && answer.status >= 300;
      last = outputs;
      return toPage(answer, outputs.body);
    });
    const isLimited = given.max_items !== undefined || given.max_pages !== undefined;
    if (!read.complete && !isLimited) throw tooLong(paging);
    return { ...first, outputs: { ...last, body: items, ...read } };
  } catch (error) {
    // The first answer is not a page (an error or a redirect), so the node takes the branch of that answer.
    if (isEnded && first.branch !== undefined && error instanceof NodeError) return first;
    throw error;
  }
}

/** Reads the list of a call page by page. */
export function openCallPages(sending: Sending): PageSource {
  const { call, values } = sending;
  return {
    paging: call.paging && callPaging.parse({ ...call.paging, ...findStart(call.paging, call, values) }),
    url: new URL(sending.url),
    async read(place, number) {
      const { answer, outputs } = await sendCall(sending, { place, number });
      takeBranch(call, answer, outputs, () => false);
      return toPage(answer, outputs.body);
    },
  };
}

const tooLong = ({ max_items: items, max_pages: pages, max_bytes: bytes }: Paging): NodeError =>
  new NodeError(
    'PAGING_LIMIT',
    `The list has more than ${items} items, ${pages} pages or ${bytes} bytes. Narrow the request, or set max_items or max_pages to take what fits.`,
  );

/** Returns the first offset or page number if the config sets the paging parameter itself. */
function findStart(form: CallPaging, { parameters, body }: ApiCall, values: Values): { start?: number } {
  if (form.by !== 'offset' && form.by !== 'page') return {};
  const own = parameters.find(({ name, in: place }) => place === 'query' && name === form.param);
  const start = form.in === 'body' ? readMember(values, body, form.param) : own && readValue(values, own.field);
  return typeof start === 'number' && Number.isInteger(start) && start >= 0 ? { start } : {};
}

function readMember(values: Values, body: ApiCall['body'], path: string): unknown {
  const found = body && valueAt(readValue(values, body.field), path);
  return found && 'value' in found ? found.value : undefined;
}
