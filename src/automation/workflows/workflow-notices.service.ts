import type { Actor } from '#src/infra/deps.ts';
import type { Channel } from '#src/infra/live/pubsub-topic.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

/** What a notice can say of a workflow. */
export const workflowNoticeKinds = [
  'draft_saved',
  'draft_discarded',
  'published',
  'changed',
  'bundle',
  'editors',
  'deleted',
] as const;

/**
 * [tenant, workflow, kind, who, number, when in epoch ms]; the number is the version of the draft, of `published` the revision. Nobody is named
 * for what the system did.
 */
export type WorkflowNotice = [
  tenantId: string,
  workflowId: number,
  kind: (typeof workflowNoticeKinds)[number],
  by: string | null,
  number: number | null,
  at: number,
];

export const workflowsChannel: Channel<WorkflowNotice> = {
  name: 'causeway_workflows',
  parse(raw) {
    if (!Array.isArray(raw)) return undefined;
    const [tenantId, id, kind] = raw as unknown[];
    const isKnown =
      typeof tenantId === 'string' && Number.isSafeInteger(id) && workflowNoticeKinds.includes(kind as never);
    return isKnown ? (raw as WorkflowNotice) : undefined;
  },
  keys: ([tenantId, id]) => [`${tenantId}/${id}`],
};

/** Notifies of a change once the transaction has committed. */
export function notifyWorkflow(
  tx: Tx,
  tenantId: string,
  workflowId: bigint | number,
  kind: WorkflowNotice[2],
  { by, number }: { by?: Pick<Actor, 'email' | 'sub'>; number?: number } = {},
): void {
  const notice: WorkflowNotice = [
    tenantId,
    Number(workflowId),
    kind,
    by?.email ?? by?.sub ?? null,
    number ?? null,
    Date.now(),
  ];
  tx.notify(workflowsChannel.name, [notice]);
}
