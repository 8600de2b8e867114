import { z } from 'zod';
import { valueAt } from '#src/automation/http-calls/json-path.ts';
import { type Place, toPage } from '#src/automation/http-calls/next-place.ts';
import { pagePosition } from '#src/automation/http-calls/page-position.ts';
import type { PageSource } from '#src/automation/http-calls/page-source.ts';
import { readPageAt } from '#src/automation/http-calls/page-turn.ts';
import { callPaging, type Paging } from '#src/automation/http-calls/paging-forms.ts';
import { readPages } from '#src/automation/http-calls/read-pages.ts';
import type { ApiCall, CallPaging } from '#src/automation/node-api/api-call.ts';
import { type NodeContext, type NodeResult, readConfig } from '#src/automation/node-api/builtin-node.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { successBranch, takeBranch } from './answers.ts';
import { sendCall, type Sending } from './send-call.ts';
import { invalid, readOption, readValue, type Values } from './values.ts';

const limits = z.object({
  max_items: z.int().min(1).max(100_000).optional(),
  max_pages: z.int().min(1).max(1_000).optional(),
  page_position: pagePosition.optional(),
});

/** True if the config asks for all pages, or for the page at a position, instead of the answer to a single request. */
export const wantsPages = (call: ApiCall, values: Values): boolean =>
  call.paging !== undefined &&
  (readOption(call, values, 'all_pages') === true || readOption(call, values, 'page_position') !== undefined);

/**
 * Reads the page at the position in the config, or else all pages of a list, up to the limits in the config. `onFirst` is called with the
 * first page. Without limits in the config, those of core:http-request apply, and the step fails beyond them. An error answer to the first
 * request continues along its branch. An error answer to a later page fails the step, because part of the list would be missing.
 */
export async function readCallPages(
  sending: Sending,
  form: CallPaging,
  { hasEdge, onFirst }: { hasEdge: NodeContext['hasEdge']; onFirst: (page: NodeResult) => Promise<void> },
): Promise<NodeResult> {
  const { call, values } = sending;
  await assertPagesSelected(call);
  const { page_position: position, ...given } = readConfig(limits, {
    max_items: readOption(call, values, 'max_items'),
    max_pages: readOption(call, values, 'max_pages'),
    page_position: readOption(call, values, 'page_position'),
  });
  if (position && (readOption(call, values, 'all_pages') === true || given.max_items || given.max_pages))
    throw invalid('page_position', 'reads one page, so leave all_pages, max_items and max_pages empty.');
  const paging = callPaging.parse({ ...form, ...findStart(form, call, values), ...given, on_limit: 'stop' });
  let first: NodeResult = { outputs: {} };
  let last = {};
  let isEnded = false;
  const own = new URL(sending.url);
  const readPage = async (place: Place, number = 1) => {
    const { answer, outputs } = await sendCall(sending, { place, number });
    const branch = takeBranch(call, answer, outputs, number === 1 ? hasEdge : () => false);
    if (number === 1) {
      first = { outputs, branch };
      await onFirst(first);
    }
    isEnded = number === 1 && (answer.status >= 300 || branch !== successBranch(call, answer.status));
    last = outputs;
    return toPage(answer, outputs.body);
  };
  try {
    if (position) {
      const { items, next } = await readPageAt(paging, own, position, readPage);
      return { ...first, outputs: { ...last, body: items, next } };
    }
    const { items, ...read } = await readPages(paging, own, readPage);
    const isLimited = given.max_items !== undefined || given.max_pages !== undefined;
    if (!read.complete && !isLimited) throw tooLong(paging);
    return { ...first, outputs: { ...last, body: items, ...read } };
  } catch (error) {
    // The first answer is not a page (an error, also one of GraphQL, or a redirect), so the node takes the branch of that answer.
    if (isEnded && first.branch !== undefined && error instanceof NodeError) return first;
    throw error;
  }
}

/** Throws a NodeError if the selection set in the config lacks what is needed to read further pages. */
async function assertPagesSelected(call: ApiCall): Promise<void> {
  if (call.selection !== undefined) (await import('./selection.ts')).assertPagesSelected(call);
}

/** Reads the list of a call page by page. */
export async function openCallPages(sending: Sending): Promise<PageSource> {
  const { call, values } = sending;
  await assertPagesSelected(call);
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
