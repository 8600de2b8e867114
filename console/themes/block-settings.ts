import type { Block, Setting } from './manifest.ts';

/** A value for each setting of a block that has one. */
export type Props = Readonly<Record<string, string | number | boolean>>;

/** The settings of a block in the order of its manifest. */
export const settingsOf = ({ settings = {} }: Block): [string, Setting][] => Object.entries(settings);

/** The values that a block has where a page sets none. */
export const defaultsOf = (block: Block): Props =>
  Object.fromEntries(
    settingsOf(block).flatMap(([key, setting]) => (setting.default === undefined ? [] : [[key, setting.default]])),
  );

/** The props with another value; an emptied one is left out, so that the block falls back to its default. */
export function withValue(props: Props, key: string, value: Props[string] | undefined): Props {
  const { [key]: _, ...others } = props;
  return value === undefined ? others : { ...others, [key]: value };
}

/** A number as it was typed: undefined where nothing was, and the text itself where it is none, which the server refuses by name. */
export function readNumber(text: string): number | string | undefined {
  if (text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

/** A colour as a colour picker takes it: with six digits. Black where there is none. */
export function pickerColour(value: string | undefined): string {
  if (value === undefined || !/^#(?:[\da-f]{3}|[\da-f]{6})$/i.test(value)) return '#000000';
  return value.length === 7 ? value : value.replaceAll(/[\da-f]/gi, '$&$&');
}
