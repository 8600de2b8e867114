/** What the panel beside the graph shows; a node is opened by its path instead. */
export type Doing =
  | 'add'
  | 'connect'
  | 'extract'
  | 'find'
  | 'in-out'
  | 'keys'
  | 'publish'
  | 'published'
  | 'remove-trigger'
  | 'revisions'
  | 'template'
  | 'trigger'
  | 'try';

/** The members of the address that say which panel is open, each without a value. */
export const nothingShown = Object.fromEntries(
  ['node', 'do', 'from', 'to', 'template', 'part', 'at'].map((name) => [name, undefined]),
);
