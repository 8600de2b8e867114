import type { Tag } from 'sax';
import { setOwn } from '#src/automation/expressions/json-value.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { strictXml } from '#src/infra/xml/strict-xml.ts';
import { formatLimits, tooLarge } from './formats.ts';

/** An element that is open. */
interface Open {
  name: string;
  /** The names from the root on. */
  path: string;
  /** Attributes and elements in it, in their order; repeated ones are lists. */
  members: Record<string, unknown>;
  /** The start of its text in the document's text: the offset in characters, and the index of the first piece. */
  from: number;
  firstPiece: number;
  /** True when it has text of its own other than white space. */
  hasText: boolean;
  /** How many of its members are elements that only break lines. */
  breaks: number;
  elements: number;
  /** The range from its first CDATA text to its last, in which white space is kept. */
  cdata: { begin: number; end: number } | undefined;
}

const maxRepeated = 2 * formatLimits.text;
const lineBreak = /^(?:[^:]*:)?br$/i;
const isSpace = (text: string, at: number): boolean => ' \t\r\n'.includes(text.charAt(at));

/** The text without surrounding white space, except within `kept`. A loop, because /\s+$/ takes quadratic time in a run of spaces. */
function trimmed(text: string, kept: { begin: number; end: number } = { begin: text.length, end: 0 }): string {
  let begin = 0;
  let end = text.length;
  while (begin < Math.min(end, kept.begin) && isSpace(text, begin)) begin += 1;
  while (end > Math.max(begin, kept.end) && isSpace(text, end - 1)) end -= 1;
  return text.slice(begin, end);
}

const fault = (reason: string): NodeError => new NodeError('UNREADABLE', reason);

/**
 * Elements become members, repeated ones lists, attributes `@name`. An element with text beside others has it as `#text`: all text in it,
 * including that of inner elements, in the order of the document, with line breaks for `<br/>`. Every value is text. `lists` names elements
 * that are lists even if they occur once, by name or by path from the root.
 */
export function parseXml(text: string, { lists = [] }: { lists?: readonly string[] } = {}): unknown {
  const listed = new Set(lists);
  const root: Record<string, unknown> = {};
  const open: Open[] = [];
  // Kept in pieces: V8 would copy a long growing text for each part taken of it.
  const pieces: string[] = [];
  let length = 0;
  const add = (piece: string): void => {
    pieces.push(piece);
    length += piece.length;
  };
  /** Characters of the texts of elements with inner elements: the same text is repeated at each level. */
  let repeated = 0;

  const parser = strictXml({ lastRead: () => `line ${parser.line + 1}`, fault });
  parser.onopentag = ({ name, attributes }: Tag) => {
    if (open.length >= formatLimits.depth) throw fault(`The XML nests more than ${formatLimits.depth} elements.`);
    const around = open.at(-1);
    const members: Record<string, unknown> = {};
    for (const [attribute, value] of Object.entries(attributes)) setOwn(members, `@${attribute}`, trimmed(value));
    if (around) around.elements += 1;
    if (lineBreak.test(name)) add('\n');
    const path = around ? `${around.path}.${name}` : name;
    open.push({
      name,
      path,
      members,
      from: length,
      firstPiece: pieces.length,
      hasText: false,
      breaks: 0,
      elements: 0,
      cdata: undefined,
    });
  };
  // oxlint-disable-next-line prefer-add-event-listener -- sax calls handler properties; its parser has no addEventListener.
  parser.ontext = (added) => {
    const element = open.at(-1);
    if (element && trimmed(added) !== '') element.hasText = true;
    add(added);
  };
  parser.oncdata = (added) => {
    const element = open.at(-1);
    if (element) {
      element.hasText = true;
      element.cdata = { begin: element.cdata?.begin ?? length, end: length + added.length };
    }
    add(added);
  };
  parser.onclosetag = () => {
    const element = open.pop() as Open;
    const around = open.at(-1);
    const value = toValue(element, pieces);
    if (element.elements > 0 && (element.hasText || element.breaks > 0)) repeated += length - element.from;
    if (repeated > maxRepeated)
      throw tooLarge(`The XML has more than ${maxRepeated} characters of text beside elements.`);
    // Its line break is part of the text of the outer element.
    if (around && value === '' && lineBreak.test(element.name)) around.breaks += 1;
    const { name } = element;
    const members = around?.members ?? root;
    const isList = listed.has(name) || listed.has(element.path);
    const before = Object.hasOwn(members, name) ? members[name] : undefined;
    if (before === undefined) setOwn(members, name, isList ? [value] : value);
    else if (Array.isArray(before)) before.push(value);
    else setOwn(members, name, [before, value]);
  };
  parser.write(text).close();
  if (Object.keys(root).length === 0) throw fault('The text is empty: XML has a root element.');
  return root;
}

/** Text alone, or an object if the element has attributes or inner elements. */
function toValue(
  { members, from, firstPiece, hasText, breaks, elements, cdata }: Open,
  pieces: readonly string[],
): unknown {
  if (!hasText && breaks === 0) return Object.keys(members).length > 0 ? members : '';
  const own = pieces.slice(firstPiece).join('');
  const content = trimmed(own, cdata && { begin: cdata.begin - from, end: cdata.end - from });
  const isText = elements === breaks;
  const kept = isText ? Object.entries(members).filter(([name]) => name.startsWith('@')) : Object.entries(members);
  if (kept.length === 0) return content;
  const value: Record<string, unknown> = {};
  for (const [name, member] of kept) setOwn(value, name, member);
  setOwn(value, '#text', content);
  return value;
}
