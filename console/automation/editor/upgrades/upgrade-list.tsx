import { idOf } from '#console/automation/editor/model/graph.ts';
import { Button } from '#console/ui/button.tsx';
import { upgradeWords as w } from './upgrades.words.ts';
import type { Upgrading } from './use-upgrading.ts';

interface Props {
  upgrading: Upgrading;
  canEdit: boolean;
  open: (path: string) => void;
}

/** The outdated nodes below the problems; each line leads to its node, and one button upgrades them all. */
export function UpgradeList({ upgrading, canEdit, open }: Props) {
  const upgrades = [...upgrading.upgrades.values()];
  const refused = upgrading.refused.filter(({ path }) => upgrading.upgrades.has(path));
  const later = upgrades.filter(({ newest }) => newest !== null);
  return (
    <>
      <ul>
        {upgrades.map(({ path, version, current, newest }) => (
          <li key={path}>
            <button type="button" className="bare editor-jump" onClick={() => open(path)}>
              {idOf(path)}
            </button>{' '}
            {newest === null
              ? w.isGoneForGood(version)
              : current === null
                ? w.isGone(version, newest)
                : w.isOutdated(current, newest)}
          </li>
        ))}
      </ul>
      {later.length > 0 && (
        <Button isDisabled={!canEdit} isBusy={upgrading.isBusy} onPress={() => void upgrading.run()}>
          {w.upgradeAll(later.length)}
        </Button>
      )}
      {refused.length > 0 && (
        <div className="refusal" role="alert">
          <p>{w.refused}</p>
          <ul>
            {refused.map(({ path, message }) => (
              <li key={path}>
                <button type="button" className="bare editor-jump" onClick={() => open(path)}>
                  {idOf(path)}
                </button>{' '}
                {message}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
