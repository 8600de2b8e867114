/** What the panel beside the graph shows; a node is opened by its path instead. */
export type Doing =
  | 'add'
  | 'connect'
  | 'extract'
  | 'find'
  | 'in-out'
  | 'keys'
  | 'publish'
  | 'revisions'
  | 'template'
  | 'try';
