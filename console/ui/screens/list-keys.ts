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
