import type { ResultOf } from '#console/graph/graphql.ts';
import { Button } from '#console/ui/button.tsx';
import { common } from '#console/words/common.words.ts';
import type { UpgradePreview } from './upgrades.documents.ts';
import { upgradeWords as w } from './upgrades.words.ts';

type Preview = ResultOf<typeof UpgradePreview>;

const text = (value: unknown): string => (value === undefined || value === null ? w.nothing : JSON.stringify(value));

/** What a newer version changes of a node: its fields, outputs and branches, and the settings that its package carries over. */
export function UpgradeDifference({ preview, retry }: { preview: Preview; retry: () => void }) {
  const { state, issues, migration } = preview;
  const faults = migration && !migration.error ? migration.issues : issues;
  return (
    <div className="editor-upgrade">
      <ul>
        {notes(preview).map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
      {migration && migration.changes.length > 0 ? (
        <table className="editor-upgrade-changes">
          <caption>{w.settings}</caption>
          <tbody>
            {migration.changes.map(({ path, from, to }) => (
              <tr key={path}>
                <th scope="row">{path}</th>
                <td>
                  <del>{text(from)}</del> <ins>{text(to)}</ins>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <p>{w.noChange}</p>
      )}
      {migration?.error && (
        <div className="refusal">
          {w.migrationFailed(migration.error.message)} <Button onPress={retry}>{common.tryAgain}</Button>
        </div>
      )}
      {state === 'READY' ? <p>{w.isReady}</p> : state === 'INVALID' && <p className="refusal">{w.isInvalid}</p>}
      {state !== 'READY' && faults.map(({ message }) => <p key={message}>{message}</p>)}
    </div>
  );
}

/** The differences of the manifests as sentences. */
function notes({ diff }: Preview): string[] {
  if (!diff) return [];
  const { fields, outputs, branches, required } = diff;
  const labels = (list: readonly { label: string }[]) => list.map(({ label }) => label);
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
  const changed = new Set(fields.changed.map(({ path }) => path.split('.')[0] ?? path));
  const sentences: [(names: string) => string, readonly string[]][] = [
    [w.added, labels(fields.added)],
    [w.removed, labels(fields.removed)],
    [w.changed, [...changed]],
    [w.needed, required],
    [w.outputsAdded, names(outputs.added)],
    [w.outputsRemoved, names(outputs.removed)],
    [w.branchesAdded, branches.added],
    [w.branchesRemoved, branches.removed],
  ];
  return sentences.flatMap(([sentence, found]) => (found.length > 0 ? [sentence(found.join(', '))] : []));
}
