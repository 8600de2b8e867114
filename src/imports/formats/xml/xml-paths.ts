import { FileFault } from '#src/imports/formats/records/records.ts';
import type { ProfileNames } from './xml-names.ts';

/** An element on a path: by its name, and by attributes where others of the name stand beside it. */
export interface XmlStep {
  name: string;
  where: readonly { attribute: string; value: string }[];
  /** Its text in the profile. */
  text: string;
}

export interface XmlRecordStep extends XmlStep {
  /** True if a file may lack it. */
  isOptional: boolean;
}

/** Where a column is, from its record or from an element around that. */
export interface XmlColumn {
  /** How many elements around the record it begins from. */
  up: number;
  steps: readonly XmlStep[];
  /** Null: the text of the last element. */
  attribute: string | null;
}

const name = String.raw`[^\s.[\]@?/='"<>{}]+`;
const where = String.raw`\[@${name}=(?:'[^']*'|"[^"]*")\]`;
const stepPattern = new RegExp(`(${name})((?:${where})*)(\\??)(?=\\.|$)`, 'y');
const wherePattern = new RegExp(String.raw`\[@(${name})=(?:'([^']*)'|"([^"]*)")\]`, 'g');
const attributePattern = new RegExp(`@(${name})$`, 'y');
const parentPattern = /^(?:\.\.\/)*/;

/** Reads `catalogue.article` or `BMECAT.T_NEW_CATALOG.ARTICLE.PRICE[@type='net']`. Throws FileFault for a text that is no path. */
export function parseXmlRecordPath(text: string, names: ProfileNames): XmlRecordStep[] {
  const { steps, attribute } = parse(text, 0, names, recordPathHelp);
  if (attribute !== null) throw new FileFault(`The record path ends with an attribute. ${recordPathHelp}`);
  return steps;
}

/** Reads `name`, `title.en`, `@id`, `price[@type='net'].amount` or `../sku`. Throws FileFault for a text that is no path. */
export function parseXmlColumn(text: string, names: ProfileNames): XmlColumn {
  const [parents = ''] = parentPattern.exec(text) ?? [];
  const { steps, attribute } = parse(text, parents.length, names, columnHelp);
  if (steps.some(({ isOptional }) => isOptional)) throw new FileFault(`"${text}" has a "?". ${columnHelp}`);
  return { up: parents.length / '../'.length, steps, attribute };
}

const recordPathHelp =
  "Name elements from the root on, such as rows.row, rows.row[@type='a'] or, where a file may be without rows, rows.row?";
const columnHelp =
  "Use elements such as title.en, an attribute such as @id, one of several elements such as price[@type='net'].amount, and ../ before it for what is around the record.";

function parse(
  text: string,
  from: number,
  names: ProfileNames,
  help: string,
): { steps: XmlRecordStep[]; attribute: string | null } {
  const steps: XmlRecordStep[] = [];
  let at = from;
  while (at < text.length) {
    attributePattern.lastIndex = stepPattern.lastIndex = at;
    const [, attribute] = attributePattern.exec(text) ?? [];
    if (attribute !== undefined) return { steps, attribute: names.attribute(attribute) };
    const step = stepPattern.exec(text);
    if (!step) break;
    const [all, element = '', conditions = '', optional] = step;
    steps.push({
      name: names.element(element),
      where: [...conditions.matchAll(wherePattern)].map(([, key = '', one, other]) => ({
        attribute: names.attribute(key),
        value: one ?? other ?? '',
      })),
      text: element + conditions,
      isOptional: optional === '?',
    });
    at += all.length;
    if (at === text.length) return { steps, attribute: null };
    at += 1;
  }
  throw new FileFault(`"${text}" cannot be read as a path from "${text.slice(at)}" on. ${help}`);
}

/** True if the step accepts an element with these attributes. */
export function takes(step: XmlStep, name: string, attributes: Readonly<Record<string, string>>): boolean {
  if (step.name !== name) return false;
  for (const { attribute, value } of step.where) if (attributes[attribute] !== value) return false;
  return true;
}
