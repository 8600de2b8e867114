/** How many of the rows may be rejected, by a number (`100`) or a share (`2.5%`); null where any number may. */
export function mostRejected(limit: string | null, rows: number): number | null {
  if (limit === null) return null;
  return limit.endsWith('%') ? Math.floor((rows * Number(limit.slice(0, -1))) / 100) : Number(limit);
}
