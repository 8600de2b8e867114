/** Nodes in columns of ten; from each, edges lead to two of the next column. 500 nodes have 980 edges; more than that no revision may have. */
export const wideGraph = (nodes: number): unknown => {
  const rows = 10;
  const id = (column: number, row: number): string => `step-${column * rows + (row % rows)}`;
  const columns = Math.ceil(nodes / rows);
  const places = Array.from({ length: columns * rows }, (_, n) => ({ column: Math.floor(n / rows), row: n % rows }));
  return {
    version: 'v1',
    nodes: places.map(({ column, row }) => ({
      id: id(column, row),
      node: 'core:set',
      version: '1.0.0',
      config: { values: { order: '{{ trigger.payload.number }}', row } },
      position: { x: column * 248, y: row * 84 },
    })),
    edges: places
      .filter(({ column }) => column < columns - 1)
      .flatMap(({ column, row }) =>
        [row, row + 1].map((next) => ({
          from: { node: id(column, row), branch: 'default' },
          to: id(column + 1, next),
        })),
      ),
  };
};
