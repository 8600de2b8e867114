import { useState } from 'react';
import { common } from '#console/words/common.words.ts';
import { numberText } from '#console/words/values.ts';
import { CopyText } from './copy-text.tsx';

/** Members of a level that are drawn before the reader asks for more. */
const pageSize = 100;
const openLevels = 2;
const shownCharacters = 2_000;

/** A JSON value as a tree that opens level by level, so that megabytes cost no more than what is shown. */
export function JsonTree({
  value,
  name,
  path = '$',
  level = 0,
}: {
  value: unknown;
  name?: string;
  path?: string;
  level?: number;
}) {
  const [isOpen, setOpen] = useState(level < openLevels);
  const [shown, setShown] = useState(pageSize);
  if (typeof value !== 'object' || value === null) return <JsonLeaf value={value} name={name} path={path} />;
  const entries = Object.entries(value);
  const brackets = Array.isArray(value) ? '[]' : '{}';
  return (
    <div className="json" role={level === 0 ? 'tree' : 'treeitem'} aria-expanded={level === 0 ? undefined : isOpen}>
      <button type="button" className="json-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {name !== undefined && <span className="json-name">{name}</span>}
        <span className="json-size">
          {isOpen ? brackets[0] : `${brackets[0]}${numberText(entries.length)}${brackets[1]}`}
        </span>
      </button>
      {isOpen && (
        <div className="json-members" role="group">
          {entries.slice(0, shown).map(([key, member]) => (
            <JsonTree
              key={key}
              value={member}
              name={key}
              path={memberPath(path, key, Array.isArray(value))}
              level={level + 1}
            />
          ))}
          {entries.length > shown && (
            <button type="button" className="bare" onClick={() => setShown(shown + pageSize)}>
              {common.more}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function JsonLeaf({ value, name, path }: { value: unknown; name: string | undefined; path: string }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  const isLong = text.length > shownCharacters;
  return (
    <div className="json json-leaf" role="treeitem" aria-selected="false">
      {name !== undefined && <CopyText text={path} label={name} />}
      <span className={`json-value json-${value === null ? 'null' : typeof value}`}>
        {isLong ? `${text.slice(0, shownCharacters)}…` : text}
      </span>
    </div>
  );
}

const memberPath = (path: string, key: string, isIndex: boolean): string =>
  isIndex ? `${path}[${key}]` : /^[A-Za-z_]\w*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
