import type { JsonOutline, JsonRow } from './json-outline.ts';

/** The row to which a key leads, as in every tree: arrows, Home and End; right opens and left closes. Undefined for other keys. */
export function rowForKey(outline: JsonOutline, row: JsonRow | undefined, key: string): JsonRow | undefined {
  const rows = outline.rows();
  const index = row ? rows.indexOf(row) : -1;
  if (key === 'ArrowDown') return rows[Math.min(index + 1, rows.length - 1)];
  if (key === 'ArrowUp') return rows[Math.max(index - 1, 0)];
  if (key === 'Home') return rows[0];
  if (key === 'End') return rows.at(-1);
  if (!row) return undefined;
  if (key === 'ArrowRight') {
    if (outline.isOpen(row)) return outline.members(row)[0] ?? row;
    outline.setOpen(row, true);
    return row;
  }
  if (key === 'ArrowLeft') {
    if (!outline.isOpen(row)) return row.parent ?? row;
    outline.setOpen(row, false);
    return row;
  }
  if (key === 'Enter' || key === ' ') {
    outline.setOpen(row, !outline.isOpen(row));
    return row;
  }
  return undefined;
}
