/** Made of the files in `docs/` when the console is built: see `src/console/docs/docs-plugin.ts`. */
declare module 'causeway:docs' {
  /** Titles by name. */
  export const titles: Readonly<Record<string, string>>;
  export const pages: Readonly<Record<string, () => Promise<{ page: import('./tree.ts').Page }>>>;
  /** The index of full-text search, as JSON. */
  export const loadIndex: () => Promise<{ index: string }>;
}
