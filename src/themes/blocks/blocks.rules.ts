import type { Block, Manifest, Setting } from '#src/themes/manifest/manifest.ts';

/** The parts of a block's name in the catalogue. */
export interface BlockName {
  vendor: string;
  name: string;
  id: string;
}

/** `ext__<vendor>__<name>__<id>`: no part contains two underscores. */
export const blockName = ({ vendor, name, id }: BlockName): string => `ext__${vendor}__${name}__${id}`;

export function readBlockName(text: string): BlockName | null {
  const [prefix, vendor, name, id, ...more] = text.split('__');
  if (prefix !== 'ext' || !vendor || !name || !id || more.length > 0) return null;
  return { vendor, name, id };
}

/** The path of an asset on our own origin; its content never changes. */
export const assetPath = ({ vendor, name, version }: Pick<Manifest, 'vendor' | 'name' | 'version'>, path: string) =>
  `/_ext/${vendor}/${name}/${encodeURIComponent(version)}${path}`;

/** A setting for an editor: `{key, type, label}` and the members of its type; options in the order of the manifest. */
export type EditorSetting = Record<string, unknown> & { key: string; type: Setting['type']; label: string };

/** The settings of a block in the order of its manifest. */
export const listSettings = ({ settings = {} }: Block): EditorSetting[] =>
  Object.entries(settings).map(([key, setting]) => {
    if (setting.type !== 'radios') return { key, ...setting };
    const options = Object.entries(setting.options).map(([value, label]) => ({ value, label }));
    return { key, ...setting, options };
  });
