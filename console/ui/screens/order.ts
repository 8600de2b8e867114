/** The list's `orderBy` of the address: a column key, with `-` before it for the largest first. */
export function orderOf(orders: Readonly<Record<string, string>>, value: string | undefined) {
  const key = value?.replace(/^-/, '') ?? '';
  const field = orders[key];
  return field === undefined ? undefined : { field, direction: value?.startsWith('-') ? 'DESC' : 'ASC' };
}

/** The order after a press on a column's head: ascending, descending, the list's own. */
export const nextOrder = (key: string, value: string | undefined): string | undefined =>
  value === key ? `-${key}` : value === `-${key}` ? undefined : key;
