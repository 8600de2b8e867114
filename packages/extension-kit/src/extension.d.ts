import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Html } from './html.d.ts';
import type { Block, Manifest, PropsOf } from './manifest.d.ts';

export type { Block, BlockOf, Manifest, PropsOf, Setting, SettingValues } from './manifest.d.ts';

type Blocks<M extends Manifest> = M['blocks'][number];

/** A function for each island that a block names, from the values of its settings to markup. A text is escaped. */
export type Islands<M extends Manifest> = {
  readonly [Name in Blocks<M>['island']]: (
    props: PropsOf<Extract<Blocks<M>, Block & { readonly island: Name }>>,
  ) => Html | string | Promise<Html | string>;
};

export interface ExtensionOptions<M extends Manifest> {
  /** The folder of the extension, where its assets are: `new URL('.', import.meta.url)`. */
  root: string | URL;
  manifest: M;
  islands: Islands<NoInfer<M>>;
  /**
   * The secret that signs the platform's requests, shown when the extension is registered; several for several platforms, or while one is
   * being replaced. Islands refuse all other requests, and every request without a secret.
   */
  secret: string | readonly string[] | undefined;
  /** Receives the errors of islands, which the platform sees as a 500; `console.error` by default. */
  onError?: (error: unknown) => void;
}

export interface Extension {
  /** `sha384-...` of each asset, by its path. */
  readonly integrity: Readonly<Record<string, string>>;
  /** For `createServer` of `node:http`. */
  handle(this: void, request: IncomingMessage, response: ServerResponse): void;
  /** For servers that take a `Request` and return a `Response`. */
  fetch(this: void, request: Request): Promise<Response>;
}

/**
 * Serves a theme extension: `/theme-extensions.json` with the hashes of the assets, the assets, and the islands. The assets are read once,
 * so that the served bytes always match the hashes.
 */
export declare function createExtension<const M extends Manifest>(options: ExtensionOptions<M>): Promise<Extension>;
