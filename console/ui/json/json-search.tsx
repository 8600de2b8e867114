import { useDeferredValue, useMemo, useState } from 'react';
import { common } from '#console/words/common.words.ts';
import { numberText } from '#console/words/values.ts';
import type { JsonOutline, JsonRow } from './json-outline.ts';

interface Props {
  outline: JsonOutline;
  choose: (row: JsonRow) => void;
  redraw: () => void;
}

/** Searches names and values; Enter goes to the next match, Shift+Enter to the one before. */
export function JsonSearch({ outline, choose, redraw }: Props) {
  const [search, setSearch] = useState('');
  const [index, setIndex] = useState(-1);
  // The key that was typed is drawn before 2 MB are searched for it.
  const wanted = useDeferredValue(search.trim());
  const matches = useMemo(() => outline.find(wanted), [outline, wanted]);
  const go = (step: number) => {
    if (matches.length === 0) return;
    const next = (Math.max(index, step < 0 ? 0 : -1) + step + matches.length) % matches.length;
    setIndex(next);
    choose(outline.reveal(matches[next] as number));
  };
  return (
    <div className="json-tools">
      <input
        type="search"
        className="input"
        placeholder={common.search}
        aria-label={common.search}
        value={search}
        onChange={(event) => {
          setSearch(event.target.value);
          setIndex(-1);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          go(event.shiftKey ? -1 : 1);
        }}
      />
      {wanted !== '' && (
        <>
          <span className="quiet" role="status">
            {matches.length === 0
              ? common.noMatch
              : common.matches(numberText(Math.max(index + 1, 0)), numberText(matches.length))}
          </span>
          <button type="button" className="bare" aria-label={common.previous} onClick={() => go(-1)}>
            ↑
          </button>
          <button type="button" className="bare" aria-label={common.next} onClick={() => go(1)}>
            ↓
          </button>
        </>
      )}
      <span className="json-levels">
        <button
          type="button"
          className="bare"
          onClick={() => {
            outline.openAll();
            redraw();
          }}
        >
          {common.expandAll}
        </button>
        <button
          type="button"
          className="bare"
          onClick={() => {
            outline.closeAll();
            redraw();
          }}
        >
          {common.collapseAll}
        </button>
      </span>
    </div>
  );
}
