import { FileFault } from '#src/imports/formats/records/records.ts';
import { takes, type XmlRecordStep } from './xml-paths.ts';

/** Follows the record path through a file. */
export interface XmlTrail {
  /** How many open elements are on the path, from the root on. */
  matched: () => number;
  /** Takes an element by its name as compared and as written; answers whether it is a record. */
  open: (name: string, written: string, attributes: Readonly<Record<string, string>>) => boolean;
  close: () => void;
  text: (text: string) => void;
  /** Throws FileFault if the path leads nowhere. A file in which the element of the last step but one is empty has no records, which is no fault. */
  end: () => void;
}

/** Names that a fault shows, and their characters. */
const maxShown = 10;
const maxShownLength = 100;

/** Follows the path or, if it is null, the children of any root. `isByNamespace`: names are compared with their namespaces. */
export function createXmlTrail({
  path,
  depthOfRecords,
  isByNamespace,
}: {
  path: readonly XmlRecordStep[] | null;
  depthOfRecords: number;
  isByNamespace: boolean;
}): XmlTrail {
  let depth = 0;
  let matched = 0;
  /** The most steps of the path that were open at the same time. */
  let deepest = 0;
  /** The elements that were found instead of the next step. */
  const others = new Set<string>();
  let said = '';

  const note = (
    { name, written, attributes }: { name: string; written: string; attributes: Readonly<Record<string, string>> },
    step: XmlRecordStep,
  ): void => {
    if (others.size >= maxShown) return;
    const known = step.where
      .map(({ attribute }) => attribute)
      .filter((attribute) => attributes[attribute] !== undefined);
    const shown = written + known.map((attribute) => `[@${attribute}='${attributes[attribute]}']`).join('');
    const [, uri] = /^\{(.*)\}/.exec(name) ?? [];
    const namespace = isByNamespace ? (uri === undefined ? ' of no namespace' : ` of ${uri}`) : '';
    others.add(`<${shown}>${namespace}`.slice(0, maxShownLength));
  };
  return {
    matched: () => matched,
    open(name, written, attributes) {
      depth += 1;
      if (matched !== depth - 1 || depth > depthOfRecords) return false;
      const step = path?.[depth - 1];
      if (!step || takes(step, name, attributes)) {
        matched = depth;
        if (depth > deepest) {
          deepest = depth;
          others.clear();
          said = '';
        }
        return depth === depthOfRecords;
      }
      if (depth - 1 === deepest) note({ name, written, attributes }, step);
      return false;
    },
    close() {
      if (matched === depth) matched -= 1;
      depth -= 1;
    },
    text(text) {
      if (matched !== depth || depth !== deepest || deepest === depthOfRecords || said !== '') return;
      said = text.trim().slice(0, maxShownLength);
    },
    end() {
      const missing = path?.[deepest];
      const isEmpty = others.size === 0 && said === '';
      if (!path || !missing || missing.isOptional || (isEmpty && deepest === path.length - 1)) return;
      throw leadsNowhere(path, { at: deepest, others: [...others], said });
    },
  };
}

function leadsNowhere(
  path: readonly XmlRecordStep[],
  { at, others, said }: { at: number; others: readonly string[]; said: string },
): FileFault {
  const step = (path[at] as XmlRecordStep).text;
  const names = others.join(', ');
  const found =
    at === 0
      ? `the root of the file is ${names}, not <${step}>.`
      : `<${path[at - 1]?.text}> has no <${step}>; ${names === '' ? (said === '' ? 'it is empty' : `it has the text "${said}"`) : `it has ${names}`}.`;
  const local = (name: string): string => name.replace(/^[^:]*:/, '').toLowerCase();
  const alike = others
    .flatMap((name) => /^<([^<>]*)>$/.exec(name)?.[1] ?? [])
    .find((name) => local(name) === local(step));
  const isCase = alike?.toLowerCase() === step.toLowerCase();
  const hint =
    alike === undefined || alike === step
      ? ''
      : isCase
        ? ` Write ${alike}: names differ in case.`
        : ` Write ${alike} as the file does, or name its namespace in the profile's namespaces.`;
  return new FileFault(`The record path ${path.map(({ text }) => text).join('.')} leads nowhere: ${found}${hint}`);
}
