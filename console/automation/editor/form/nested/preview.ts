import { isObject } from '#console/automation/editor/model/graph.ts';

const longest = 60;

/** Summarises a folded value in a few words: `A-1 · 2`. */
export function preview(value: unknown): string {
  const text = parts(value).join(' · ');
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function parts(value: unknown): string[] {
  if (value === undefined || value === null || value === '') return [];
  const inner = isObject(value) ? Object.values(value) : value;
  return Array.isArray(inner)
    ? inner.slice(0, 8).flatMap(parts)
    : [typeof value === 'string' ? value : JSON.stringify(value)];
}
