import { useState } from 'react';
import { useQuery } from 'urql';
import { Button } from '#console/ui/button.tsx';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { UpgradeDifference } from './upgrade-difference.tsx';
import { PreviewUpgrade } from './upgrades.documents.ts';
import { upgradeWords as w } from './upgrades.words.ts';
import type { Upgrade } from './use-upgrades.ts';
import type { Upgrading } from './use-upgrading.ts';

interface Props {
  upgrade: Upgrade;
  upgrading: Upgrading;
  canEdit: boolean;
  removeNode: () => void;
}

/** Says that a node is outdated, shows what the newest version changes, and upgrades it. */
export function UpgradeNotice({ upgrade, upgrading, canEdit, removeNode }: Props) {
  const [isShown, setShown] = useState(false);
  const { path, version, current, newest } = upgrade;
  if (newest === null) {
    return (
      <div className="refusal">
        <p>{w.isGoneForGood(version)}</p>
        <Button isDisabled={!canEdit} onPress={removeNode}>
          {w.removeNode}
        </Button>
      </div>
    );
  }
  return (
    <div className="editor-upgrade-notice">
      <p>{current === null ? w.isGone(version, newest) : w.isOutdated(current, newest)}</p>
      <div className="panel-actions">
        {current !== null && !isShown && <Button onPress={() => setShown(true)}>{w.show}</Button>}
        {(isShown || current === null) && (
          <Button
            kind="main"
            isDisabled={!canEdit}
            isBusy={upgrading.isBusy}
            onPress={() => void upgrading.run([path])}
          >
            {w.upgrade(newest)}
          </Button>
        )}
        {current === null && (
          <Button isDisabled={!canEdit} onPress={removeNode}>
            {w.removeNode}
          </Button>
        )}
      </div>
      {(isShown || current === null) && <Preview upgrade={upgrade} workflowId={upgrading.workflowId} />}
    </div>
  );
}

function Preview({ upgrade: { offset, path }, workflowId }: { upgrade: Upgrade; workflowId: string }) {
  const [{ data, error }, read] = useQuery({
    query: PreviewUpgrade,
    variables: { workflowId, offset },
    requestPolicy: 'network-only',
  });
  const retry = () => read({ requestPolicy: 'network-only' });
  if (error) return <LoadFailed error={error} retry={retry} />;
  const preview = data?.nodeUpgrades?.edges.map(({ node }) => node).find((node) => node.path === path);
  return preview ? <UpgradeDifference {...{ preview, retry }} /> : <Skeleton rows={3} />;
}
