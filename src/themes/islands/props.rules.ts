import { type FieldErrors, ValidationError } from '#src/infra/errors.ts';
import type { Block, Setting } from '#src/themes/manifest/manifest.ts';

type Prop = string | number | boolean;

/** The props of an island: a value for each setting that has one, in the order of the manifest. */
export type Props = Record<string, Prop>;

/** The props for a block's settings, with their defaults; unknown keys are dropped. ValidationError at `props.<key>`. */
export function fitProps({ settings = {} }: Block, given: Readonly<Record<string, unknown>>): Props {
  const props: Props = {};
  const faults: FieldErrors = {};
  for (const [key, setting] of Object.entries(settings)) {
    const value = Object.hasOwn(given, key) ? given[key] : setting.default;
    if (value === undefined) continue;
    const fault = findFault(setting, value);
    if (fault === null) props[key] = value as Prop;
    else faults[`props.${key}`] = [`The field props.${key} ${fault}`];
  }
  if (Object.keys(faults).length > 0) throw new ValidationError(faults);
  return props;
}

/** The requirement that a value does not meet; null if it fits its setting. */
function findFault(setting: Setting, value: unknown): string | null {
  if (setting.type === 'number') return numberFault(setting, value);
  if (setting.type === 'range') {
    // A default may lie between two steps.
    return numberFault(setting, value) ?? (value === setting.default ? null : stepFault(setting, value as number));
  }
  if (setting.type === 'checkbox') return typeof value === 'boolean' ? null : 'must be true or false.';
  if (typeof value !== 'string') return 'must be a text.';
  if (setting.type === 'color' && !/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(value)) {
    return 'must be a colour: # and 3 or 6 hexadecimal digits.';
  }
  if (setting.type === 'radios' && !Object.hasOwn(setting.options, value)) {
    return `must be one of ${Object.keys(setting.options).slice(0, 20).join(', ')}.`;
  }
  return null;
}

function numberFault(
  { min = -Infinity, max = Infinity }: { min?: number; max?: number },
  value: unknown,
): string | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number.';
  if (value < min) return `must not be less than ${min}.`;
  return value > max ? `must not be more than ${max}.` : null;
}

/**
 * A range without a step takes every number. With a step, a deviation is tolerated up to 2**-24, as in browsers: sums of 0.1 deviate
 * slightly from its multiples.
 */
function stepFault({ min, step }: { min: number; step?: number }, value: number): string | null {
  if (step === undefined) return null;
  const beyond = (value - min) % step;
  const rounding = 4 * Number.EPSILON * Math.max(Math.abs(value), Math.abs(min));
  const isBetween = Math.min(beyond, step - beyond) > Math.max(step * 2 ** -24, rounding);
  return isBetween ? `must be a whole number of steps of ${step} from ${min}.` : null;
}
