import { enumWord } from '#console/words/enums.ts';
import { numberText } from '#console/words/values.ts';
import { themeWords as w } from './themes.words.ts';
import { type Change, type ChangeGroup, type ChangeKind, countChanges } from './version-difference.ts';

const signs: Readonly<Record<ChangeKind, string>> = { ADDED: '+', REMOVED: '−', CHANGED: '~' };

/** What a version changes, part by part: each place with its value before and after. */
export function DifferenceList({ groups }: { groups: readonly ChangeGroup[] }) {
  if (groups.length === 0) return <p className="quiet">{w.noChanges}</p>;
  const { ADDED, REMOVED, CHANGED } = countChanges(groups);
  return (
    <>
      <p className="quiet">{w.counts(numberText(ADDED), numberText(REMOVED), numberText(CHANGED))}</p>
      {groups.map((group) => (
        <div key={`${group.part}/${group.block ?? ''}`} className="difference">
          <h3>
            {titleOf(group)}
            {group.part === 'block' && group.kind !== 'CHANGED' && (
              <span className={`difference-${group.kind.toLowerCase()}`}>
                {' '}
                {group.kind === 'ADDED' ? w.newBlock : w.goneBlock}
              </span>
            )}
          </h3>
          <ul className="difference-changes">
            {group.changes.map((change) => (
              <ChangeLine key={change.path} change={change} />
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}

function titleOf({ part, block = '' }: ChangeGroup): string {
  if (part === 'block') return w.partBlock(block);
  return { manifest: w.partManifest, files: w.partFiles, elements: w.partElements }[part];
}

function ChangeLine({ change: { path, kind, before, after } }: { change: Change }) {
  return (
    <li className={`difference-change difference-${kind.toLowerCase()}`}>
      <span className="difference-sign" role="img" aria-label={enumWord(kind)}>
        {signs[kind]}
      </span>
      <code className="difference-path">{path}</code>
      <span className="difference-values">
        {before !== undefined && (
          <del aria-label={w.before}>
            <code>{valueText(before)}</code>
          </del>
        )}
        {after !== undefined && (
          <ins aria-label={w.after}>
            <code>{valueText(after)}</code>
          </ins>
        )}
      </span>
    </li>
  );
}

/** A text as it is, anything else as JSON with room to break lines. */
const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 1).replaceAll(/\s+/g, ' ');
