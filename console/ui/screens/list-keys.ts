const pageRows = 20;

/** The row that a key moves to; undefined for other keys. `active` is -1 before the first move. */
export function moveBy(key: string, active: number, count: number): number | undefined {
  const target = {
    ArrowDown: active + 1,
    j: active + 1,
    ArrowUp: active - 1,
    k: active - 1,
    PageDown: active + pageRows,
    PageUp: active - pageRows,
    Home: 0,
    End: count - 1,
  }[key];
  return target === undefined || count === 0 ? undefined : Math.min(count - 1, Math.max(0, target));
}

/** The row under the cursor. Its id finds it where rows were added or removed above it. */
export interface Cursor {
  id: string;
  index: number;
}

/** Where the cursor is now; where its row is no longer, on the one that took its place. -1 without a cursor. */
export function placeOf(cursor: Cursor | undefined, rows: readonly { id: string }[]): number {
  if (!cursor) return -1;
  if (rows[cursor.index]?.id === cursor.id) return cursor.index;
  const moved = rows.findIndex(({ id }) => id === cursor.id);
  return moved >= 0 ? moved : Math.min(cursor.index, rows.length - 1);
}
