/** Made when the console is built: see `src/console/code-types`. */
declare module 'causeway:worker/*' {
  /** The address of the script of the worker, relative to the script that imports it. */
  const href: string;
  export default href;
}

declare module 'causeway:typescript' {
  export { default as ts } from 'typescript';
  /** The declarations of the language by file name. */
  export const libraries: Readonly<Record<string, string>>;
}

declare module 'causeway:typescript/de' {
  /** The compiler's messages by their key, as JSON. */
  export const messages: string;
}

declare module 'causeway:node-kit' {
  /** The text of `packages/node-kit/src/define.ts`. */
  export const nodeKit: string;
}
