import { TokenType } from '@streamparser/json';
import { FileFault } from '#src/imports/formats/records/records.ts';
import type { JsonContainer } from './json-paths.ts';

/** Follows the record path through the tokens of a file. */
export interface JsonTrail {
  /** Takes a token that the parser has taken. */
  write: (token: TokenType, value: unknown) => void;
  /** How many of the objects and lists on the path are open. */
  matched: () => number;
  /** Throws FileFault where the path led nowhere; `isEmpty`: no record was read. */
  end: (isEmpty: boolean) => void;
}

/** Names that a fault shows, their characters, and those of what the file says of an error. */
const maxShown = 10;
const maxNameLength = 60;
const maxSaidLength = 200;
/** Members of the root in which APIs say what failed. */
const errorMembers = new Set(['error', 'errors', 'message', 'fault']);

const kinds: Partial<Record<TokenType, string>> = {
  [TokenType.LEFT_BRACE]: 'object',
  [TokenType.LEFT_BRACKET]: 'list',
  [TokenType.STRING]: 'text',
  [TokenType.NUMBER]: 'number',
  [TokenType.TRUE]: 'boolean',
  [TokenType.FALSE]: 'boolean',
  [TokenType.NULL]: 'null',
};

export function createJsonTrail(
  containers: readonly JsonContainer[],
  {
    recordPath,
    open,
    close,
  }: { recordPath: string | null; open: (level: number) => void; close: (level: number) => void },
): JsonTrail {
  let depth = 0;
  let matched = 0;
  /** The last text, which is a name where a colon follows it. */
  let text: string | undefined;
  let isName = false;
  // One entry for each container of the path: its member names, whether the next step was found, and the number of items begun.
  const names: string[][] = containers.map(() => []);
  const found = containers.map(() => false);
  const items = containers.map(() => -1);
  let key: string | undefined;
  /** The first fault, and the names of the object that is there instead. */
  let fault: (() => string) | undefined;
  let instead: { depth: number; names: string[] } | undefined;
  let rootMember: string | undefined;
  let said: string | undefined;
  let isMessage = false;
  let errors = 0;

  const shownPath = (upTo: number): string => {
    let path = '';
    for (const [at, container] of containers.slice(0, upTo).entries())
      if (container.kind === 'list') path += `[${items[at]}]`;
      else path += path === '' ? container.key : `.${container.key}`;
    return path === '' ? 'the root of the file' : path;
  };
  const listed = (own: readonly string[]): string =>
    own.length === 0 ? 'which is empty' : `which has ${own.map((name) => name.slice(0, maxNameLength)).join(', ')}`;
  const noteName = (own: string[], name: string): void => {
    if (own.length < maxShown) own.push(name);
  };

  /** Checks a value at the place of the container after those that are open. */
  const enter = (kind: string): void => {
    const wanted = containers[matched] as JsonContainer;
    const before = containers[matched - 1];
    if (kind === wanted.kind) {
      matched += 1;
      names[matched - 1] = [];
      found[matched - 1] = false;
      items[matched - 1] = -1;
      if (wanted.kind === 'object') open(matched - 1);
      return;
    }
    if (fault || (kind === 'null' && before?.kind === 'object' && before.isOptional)) return;
    const path = shownPath(matched);
    const own: string[] = [];
    if (kind === 'object') instead = { depth: depth + 1, names: own };
    const is =
      kind === 'null'
        ? 'null'
        : kind === 'object' || kind === 'boolean'
          ? `a${kind === 'object' ? 'n' : ''} ${kind}`
          : `a ${kind}`;
    const each = kind === 'list' ? ` Write "[]" behind its name for the records in each of its items.` : '';
    fault = () =>
      `${path} is ${is}${kind === 'object' ? ` (${listed(own)})` : ''}, not ${wanted.kind === 'object' ? 'an object' : 'a list'}.${each}`;
  };
  const leave = (): void => {
    const at = matched - 1;
    const container = containers[at] as JsonContainer;
    if (container.kind === 'object') {
      close(at);
      const own = names[at] ?? [];
      if (!found[at] && !container.isOptional) {
        const where = shownPath(at);
        fault ??= () => `${JSON.stringify(container.key)} is not in ${where}, ${listed(own)}.`;
      }
    }
    matched -= 1;
  };
  /** Takes a text of the root's members that say what failed. */
  const hear = (): void => {
    const isBetter = said === undefined || (key === 'message' && !isMessage);
    if (text !== undefined && rootMember !== undefined && isBetter) {
      said = text.slice(0, maxSaidLength);
      isMessage = key === 'message';
    }
    text = undefined;
  };

  return {
    matched: () => matched,
    write(token, value) {
      // Within records, only their ends matter.
      if (matched === containers.length && depth > matched) {
        if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) depth += 1;
        if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) depth -= 1;
        return;
      }
      write(token, value);
    },
    end(isEmpty) {
      const isError = isEmpty && errors > 0;
      if (!fault && !isError) return;
      const path = recordPath === null ? '' : `The record path ${recordPath} leads nowhere: `;
      const reason = fault ? `${path}${fault()}` : 'The file has errors and no records.';
      throw new FileFault(said === undefined ? upperFirst(reason) : `${upperFirst(reason)} The file says: ${said}`);
    },
  };

  function write(token: TokenType, value: unknown): void {
    const innermost = containers[matched - 1];
    const isHere = depth === matched && matched < containers.length;
    if (token === TokenType.COLON) {
      key = text;
      text = undefined;
      isName = true;
      if (depth === 1) rootMember = key !== undefined && errorMembers.has(key) ? key : undefined;
      if (key !== undefined && instead?.depth === depth) noteName(instead.names, key);
      if (key !== undefined && isHere && innermost) noteName(names[matched - 1] as string[], key);
      return;
    }
    const kind = kinds[token];
    if (kind !== undefined) {
      if (token === TokenType.STRING) text = value as string;
      if (depth === 2 && rootMember === 'errors') errors += 1;
      const isItem = innermost?.kind === 'list';
      const isNext = innermost?.kind === 'object' && isName && key === innermost.key;
      if (isHere && (matched === 0 || isItem || isNext)) {
        if (isItem) items[matched - 1] = (items[matched - 1] as number) + 1;
        if (isNext) found[matched - 1] = true;
        enter(kind);
      }
      isName = false;
      if (kind === 'object' || kind === 'list') depth += 1;
      return;
    }
    hear();
    if (token !== TokenType.RIGHT_BRACE && token !== TokenType.RIGHT_BRACKET) return;
    if (instead?.depth === depth) instead = undefined;
    if (depth === matched) leave();
    depth -= 1;
  }
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
