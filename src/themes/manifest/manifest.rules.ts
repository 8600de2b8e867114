import semver from 'semver';
import { compileSchema } from '#src/infra/json-schema/compile-schema.ts';
import type { Block, Manifest, Setting } from './manifest.ts';
import { themeExtensionsV1Schema } from './theme-extensions.v1.schema.ts';

/** A fault of a manifest: its place, as the steps of a JSON pointer, and what to do, as the end of a sentence. */
export interface Fault {
  at: readonly (string | number)[];
  message: string;
}

export type ManifestCheck = { manifest: Manifest; faults: [] } | { manifest: null; faults: Fault[] };

const fitsSchema = compileSchema<Manifest>(themeExtensionsV1Schema);

/**
 * Checks a manifest against the published schema and, if it fits, against the rules that a schema cannot express. A running extension adds
 * `integrity`; a file written by an author has none.
 */
export function checkManifest(document: unknown, { integrity }: { integrity: 'required' | 'optional' }): ManifestCheck {
  const checked = fitsSchema(document);
  if (!checked.ok) {
    const faults = checked.issues.map(({ pointer, member, message, isMissing }) => ({
      at: [...parsePointer(pointer), ...(member === undefined ? [] : [member])],
      message: isMissing ? 'is missing' : message,
    }));
    return { manifest: null, faults };
  }
  const manifest = checked.value;
  const faults = [...rules, ...(integrity === 'required' ? [assetsHaveHashes] : [])].flatMap((rule) => rule(manifest));
  return faults.length === 0 ? { manifest, faults: [] } : { manifest: null, faults: faults.slice(0, maxFaults) };
}

const maxFaults = 50;

/** The JSON pointer of a fault; '' is the whole manifest. */
export const toPointer = ({ at }: Fault): string =>
  at.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** A fault as a sentence that names its JSON pointer: `/blocks/0/id repeats that of /blocks/1.` */
export const formatFault = (fault: Fault): string => `${toPointer(fault) || 'The manifest'} ${fault.message}.`;

const parsePointer = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

type Rule = (manifest: Manifest) => Fault[];

const blockIdsAreUnique: Rule = ({ blocks }) => {
  const firsts = new Map<string, number>();
  return blocks.flatMap(({ id }, index) => {
    const first = firsts.get(id);
    if (first !== undefined) return [{ at: ['blocks', index, 'id'], message: `repeats that of /blocks/${first}` }];
    firsts.set(id, index);
    return [];
  });
};

/** It is evaluated for every installation, and a range of 8,000 characters takes 30 ms. */
const maxRange = 500;

const rangeIsSemver: Rule = ({ target: { version } }) => {
  const at = ['target', 'version'];
  if (version.length > maxRange) return [{ at, message: `must have ${maxRange} characters or fewer` }];
  return semver.validRange(version) === null ? [{ at, message: 'must be a semver range, for example "^2.1.0"' }] : [];
};

const scriptIsThere: Rule = ({ blocks, assets }) =>
  assets?.javascript === undefined
    ? blocks.flatMap(({ javascript }, index) =>
        javascript === true
          ? [
              {
                at: ['blocks', index, 'javascript'],
                message: 'needs assets.javascript; declare it or set this to false',
              },
            ]
          : [],
      )
    : [];

/** A path such as `//example.com/a.css` or `/../a.css` would refer to a file that is not the extension's own. */
const pathsArePlain: Rule = ({ assets = {} }) =>
  Object.entries<string>({ ...assets }).flatMap(([kind, path]) =>
    path
      .slice(1)
      .split('/')
      .some((segment) => segment === '' || segment === '.' || segment === '..')
      ? [{ at: ['assets', kind], message: 'must not have empty segments, `.` or `..`' }]
      : [],
  );

const settingsAgreeWithThemselves: Rule = ({ blocks }) =>
  blocks.flatMap(({ settings = {} }: Block, index) =>
    Object.entries(settings).flatMap(([key, setting]) =>
      settingFaults(setting).map(({ at, message }) => ({ at: ['blocks', index, 'settings', key, ...at], message })),
    ),
  );

function settingFaults(setting: Setting): Fault[] {
  if (setting.type === 'radios') {
    const isOption = setting.default === undefined || Object.hasOwn(setting.options, setting.default);
    return isOption ? [] : [{ at: ['default'], message: 'must be a key of options' }];
  }
  if (setting.type !== 'number' && setting.type !== 'range') return [];
  const { min = -Infinity, max = Infinity, default: initial } = setting;
  const isRange = setting.type === 'range' ? min < max : min <= max;
  if (!isRange) return [{ at: ['min'], message: `must be less than max, which is ${max}` }];
  if (initial === undefined || (initial >= min && initial <= max)) return [];
  return [{ at: ['default'], message: `must be within ${describeBounds(setting)}` }];
}

const describeBounds = ({ min, max }: { min?: number; max?: number }): string =>
  [min !== undefined && `min, ${min}`, max !== undefined && `max, ${max}`].filter(Boolean).join(', and ');

const assetsHaveHashes: Rule = ({ assets = {}, integrity = {} }) =>
  Object.values(assets).flatMap((path) => {
    const hash = integrity[path];
    if (hash === undefined) return [{ at: ['integrity', path], message: 'is missing; add the hash of the asset' }];
    const isSha384 = Buffer.from(hash.slice('sha384-'.length), 'base64').length === 48;
    return isSha384 ? [] : [{ at: ['integrity', path], message: 'must be a SHA-384, 48 bytes in base64' }];
  });

const rules: readonly Rule[] = [
  blockIdsAreUnique,
  rangeIsSemver,
  scriptIsThere,
  pathsArePlain,
  settingsAgreeWithThemselves,
];
