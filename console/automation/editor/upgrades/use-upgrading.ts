import { useState, useSyncExternalStore } from 'react';
import { useClient } from 'urql';
import type { DraftSession } from '#console/automation/editor/draft/draft-session.ts';
import { notify } from '#console/ui/notices.ts';
import { upgradeNodes } from './upgrade-nodes.ts';
import { upgradeWords as w } from './upgrades.words.ts';
import { type Upgrade, useUpgrades } from './use-upgrades.ts';

/** The outdated nodes, and the way to upgrade them. */
export interface Upgrading {
  workflowId: string;
  /** By path. */
  upgrades: ReadonlyMap<string, Upgrade>;
  isBusy: boolean;
  /** Nodes that the last upgrade left as they were, and why. */
  refused: readonly { path: string; message: string }[];
  /** Upgrades the nodes at these paths, or all that need nothing else. */
  run: (paths?: readonly string[]) => Promise<void>;
}

export function useUpgrading(
  session: DraftSession,
  { workflowId, saved, done }: { workflowId: string; saved: unknown; done: () => void },
): Upgrading {
  const { graph } = useSyncExternalStore(session.subscribe, session.state);
  const upgrades = useUpgrades(workflowId, saved, graph);
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Upgrading['refused']>([]);
  return {
    workflowId,
    upgrades,
    isBusy,
    refused,
    async run(paths) {
      setBusy(true);
      const outcome = await upgradeNodes(client, session, { workflowId, ...(paths && { paths }) });
      setBusy(false);
      if ('refusal' in outcome) {
        notify({ kind: 'failed', text: outcome.refusal });
        return;
      }
      setRefused(outcome.refused);
      const count = outcome.upgraded.length;
      const rest = outcome.remaining > 0 ? ` ${w.remaining(outcome.remaining)}` : '';
      notify(count > 0 ? { kind: 'done', text: w.done(count) + rest } : { kind: 'failed', text: w.none });
      done();
    },
  };
}
