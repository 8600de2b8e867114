/** The parts of a manifest that screens read; the server has checked it against `theme-extensions/v1`. */
export interface Manifest {
  description?: string;
  target: { theme: string; version: string };
  blocks: readonly Block[];
}

export interface Block {
  id: string;
  title: string;
  description?: string;
  enabledOn: readonly string[];
  settings?: Readonly<Record<string, Setting>>;
  javascript?: boolean;
}

export type Setting = { label: string } & (
  | { type: 'text'; default?: string; placeholder?: string }
  | { type: 'number'; default?: number; min?: number; max?: number }
  | { type: 'radios'; options: Readonly<Record<string, string>>; default?: string }
  | { type: 'checkbox'; default?: boolean }
  | { type: 'color'; default?: string }
  | { type: 'range'; min: number; max: number; default?: number; step?: number }
);

/** A version of an extension with what its screens show of its manifest. */
export interface Version {
  id: string;
  version: string;
  manifest: unknown;
  assets: readonly Asset[];
}

export interface Asset {
  path: string;
  size: number;
  integrity: string;
  elements: readonly string[];
}

/** The graph has a manifest as JSON. */
export const manifestOf = ({ manifest }: Pick<Version, 'manifest'>): Manifest => manifest as Manifest;
