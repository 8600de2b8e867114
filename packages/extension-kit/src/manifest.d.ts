/** The manifest of a theme extension, `theme-extensions.json`. The platform publishes its schema at `/api/v1/schemas/theme-extensions/v1`. */
export interface Manifest {
  readonly $schema?: string;
  readonly kind: 'theme-extension';
  /** The maker of the extension. Custom elements are named `<vendor>-*`. */
  readonly vendor: string;
  readonly name: string;
  /** Semantic version. A registered version never changes. */
  readonly version: string;
  readonly title: string;
  /** private by default: only the shop that registered it may install it. */
  readonly type?: 'public' | 'private';
  readonly description?: string;
  readonly icon?: string;
  /** `<vendor>/<name>` of a theme, and a semver range of its versions. */
  readonly target: { readonly theme: string; readonly version: string };
  readonly blocks: readonly Block[];
  readonly assets?: { readonly stylesheet?: string; readonly javascript?: string };
}

export interface Block {
  readonly id: string;
  /** Name of the island that renders it. */
  readonly island: string;
  readonly title: string;
  readonly description?: string;
  /** Types of pages. */
  readonly enabledOn: readonly string[];
  readonly settings?: Readonly<Record<string, Setting>>;
  /** True if pages with the block load `assets.javascript`. */
  readonly javascript?: boolean;
}

interface Common {
  readonly label: string;
}

export type Setting = Common &
  (
    | { readonly type: 'text'; readonly default?: string; readonly placeholder?: string }
    | { readonly type: 'number'; readonly default?: number; readonly min?: number; readonly max?: number }
    | { readonly type: 'radios'; readonly options: Readonly<Record<string, string>>; readonly default?: string }
    | { readonly type: 'checkbox'; readonly default?: boolean }
    | { readonly type: 'color'; readonly default?: string }
    | {
        readonly type: 'range';
        readonly min: number;
        readonly max: number;
        readonly default?: number;
        readonly step?: number;
      }
  );

type ValueOf<S> = S extends { readonly type: 'radios'; readonly options: infer Options }
  ? keyof Options & string
  : S extends { readonly type: 'number' | 'range' }
    ? number
    : S extends { readonly type: 'checkbox' }
      ? boolean
      : string;

type Defaulted<Settings> = {
  [Key in keyof Settings]: Settings[Key] extends { readonly default: string | number | boolean } ? Key : never;
}[keyof Settings];

/** Gives the members of an intersection as one object, which reads better in an editor. */
type Flat<T> = { readonly [Key in keyof T]: T[Key] };

/** The props that settings become. Only those with a default are always present. */
export type SettingValues<Settings> = Flat<
  { [Key in Defaulted<Settings>]: ValueOf<Settings[Key]> } & {
    [Key in Exclude<keyof Settings, Defaulted<Settings>>]?: ValueOf<Settings[Key]>;
  }
>;

/** The props that the island of a block receives. */
export type PropsOf<B> = B extends { readonly settings: infer Settings }
  ? SettingValues<Settings>
  : Readonly<Record<string, never>>;

/** The block of a manifest with this id. */
export type BlockOf<M extends Manifest, Id extends M['blocks'][number]['id']> = Extract<
  M['blocks'][number],
  { readonly id: Id }
>;
