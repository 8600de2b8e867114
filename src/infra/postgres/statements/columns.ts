/**
 * The rows' values as one array for each key, in the order of the keys: the input of `unnest`. An absent value becomes NULL. They are
 * written in Postgres's array syntax: `pg`, which quotes each element and scans it twice for escapes, takes four times as long.
 */
export const toColumns = <Row>(rows: readonly Row[], ...keys: (keyof Row)[]): unknown[] =>
  keys.map((key) => toColumn(rows, key));

function toColumn<Row>(rows: readonly Row[], key: keyof Row): unknown {
  const elements: string[] = [];
  let before: unknown;
  let element: string | undefined = 'NULL';
  for (const row of rows) {
    const value = row[key];
    // Rows that are written together often share a tenant, a kind or a state.
    if (value !== before) {
      element = toElement(value);
      // Dates, bytes and objects are left to `pg`.
      if (element === undefined) return rows.map((each) => each[key]);
      before = value;
    }
    elements.push(element);
  }
  return `{${elements.join(',')}}`;
}

const escaped = /["\\]/g;

/** A value as an element of a Postgres array, if it is a string, a number, a boolean or absent. */
function toElement(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return `"${value.replace(escaped, '\\$&')}"`;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'undefined':
      return 'NULL';
    default:
      return value === null ? 'NULL' : undefined;
  }
}

/**
 * The rows of the arrays in the parameters from `$1` on, as a table expression; `types` names each column with its type. Unnested in a
 * select list, because Postgres materialises each function in FROM: with 18 of them a statement took 80 to 130 µs longer.
 */
export const rowsOfArrays = (types: Readonly<Record<string, string>>): string =>
  `(SELECT ${Object.entries(types)
    .map(([name, type], place) => `unnest($${place + 1}::${type}[]) AS ${name}`)
    .join(', ')})`;
