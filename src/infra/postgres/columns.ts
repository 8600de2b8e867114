/** The rows' values as one array for each key, in the order of the keys: what `unnest` takes. An absent value becomes NULL. */
export const columnsOf = <Row, Key extends keyof Row>(rows: readonly Row[], ...keys: Key[]): Row[Key][][] =>
  keys.map((key) => rows.map((row) => row[key]));
