/** A manifest that fits `theme-extensions/v1`. */
export interface Manifest {
  $schema?: string;
  kind: 'theme-extension';
  vendor: string;
  name: string;
  version: string;
  title: string;
  /** Absent: private. */
  type?: 'public' | 'private';
  description?: string;
  icon?: string;
  target: { theme: string; version: string };
  blocks: Block[];
  assets?: Assets;
  /** By path of the asset; a running extension adds it. */
  integrity?: Integrity;
}

export interface Assets {
  stylesheet?: string;
  javascript?: string;
}

/** `sha384-...` by path. */
export type Integrity = Record<string, string>;

export interface Block {
  id: string;
  island: string;
  title: string;
  description?: string;
  enabledOn: string[];
  settings?: Record<string, Setting>;
  /** Absent: false. */
  javascript?: boolean;
}

interface Common {
  label: string;
}

export type Setting = Common &
  (
    | { type: 'text'; default?: string; placeholder?: string }
    | { type: 'number'; default?: number; min?: number; max?: number }
    | { type: 'radios'; options: Record<string, string>; default?: string }
    | { type: 'checkbox'; default?: boolean }
    | { type: 'color'; default?: string }
    | { type: 'range'; min: number; max: number; default?: number; step?: number }
  );
