import type { Client } from 'urql';
import type { DraftSession } from '#console/automation/editor/draft/draft-session.ts';
import { saveAll } from '#console/automation/editor/draft/save-all.ts';
import type { StoredDraft } from '#console/automation/editor/draft/stored-draft.ts';
import { editorWords } from '#console/automation/editor/editor.words.ts';
import { readBlob } from '#console/automation/editor/model/blob.ts';
import { apply, difference } from '#console/automation/editor/model/changes.ts';
import { nodeKey } from '#console/automation/editor/model/graph.ts';
import { isSame } from '#console/automation/editor/model/same.ts';
import { mutate } from '#console/graph/mutate.ts';
import { UpgradeNodes } from './upgrades.documents.ts';
import { upgradeWords as w } from './upgrades.words.ts';

interface Payload {
  draft: StoredDraft | null;
  upgraded: { path: string; to: string }[];
  refused: { path: string; message: string }[];
  remaining: number;
}

export type UpgradeOutcome = Payload | { refusal: string };

/**
 * Lets the server upgrade nodes of the draft: the ones at `paths`, or all whose settings are valid afterwards. What it has written is one step
 * of the history, and the draft that it has saved is the one that this edit goes on from.
 */
export async function upgradeNodes(
  client: Client,
  session: DraftSession,
  { workflowId, paths }: { workflowId: string; paths?: readonly string[] },
): Promise<UpgradeOutcome> {
  await saveAll(session);
  const { version, saving, graph } = session.state();
  if (saving !== 'saved') return { refusal: editorWords.unsavedYet };
  const nodes = paths?.map((path) => ({ path }));
  const { payload, refusal } = await mutate(client, UpgradeNodes, { workflowId, version, ...(nodes && { nodes }) });
  if (refusal) return { refusal: [refusal.message, ...Object.values(refusal.fields)].join(' ') };
  const outcome = payload as unknown as Payload;
  if (!outcome.draft) return outcome;
  const keys = new Set(outcome.upgraded.map(({ path }) => nodeKey(path)));
  const changes = difference(graph, readBlob(outcome.draft.blob)).filter(({ key }) => keys.has(key));
  // A node that was changed meanwhile is left to the merge below, which asks.
  session.perform(w.step(changes.length), (present) =>
    apply(
      present,
      changes.filter(({ key, from }) => isSame(present.get(key), from)),
    ),
  );
  session.receive(outcome.draft);
  return outcome;
}
