import { TokenType } from '@streamparser/json';
import { FileFault } from '#src/imports/formats/records/records.ts';
import { JsonErrors } from './json-errors.ts';
import type { JsonContainer } from './json-paths.ts';

/** Names that a fault shows, and their characters. */
const maxShown = 10;
const maxNameLength = 60;

const kinds: Partial<Record<TokenType, string>> = {
  [TokenType.LEFT_BRACE]: 'object',
  [TokenType.LEFT_BRACKET]: 'list',
  [TokenType.STRING]: 'text',
  [TokenType.NUMBER]: 'number',
  [TokenType.TRUE]: 'boolean',
  [TokenType.FALSE]: 'boolean',
  [TokenType.NULL]: 'null',
};
const described: Record<string, string> = { object: 'an object', list: 'a list', null: 'null' };

/** A container of the record path, as the file has it. */
interface Step {
  container: JsonContainer;
  /** The first names of its members. */
  names: string[];
  /** True once the member that is the next step was found. */
  isFound: boolean;
  /** The index of the item that is being read. */
  item: number;
}

interface Options {
  recordPath: string | null;
  /** Called when the object at this level of the path begins, and when it ends. */
  open: (level: number) => void;
  close: (level: number) => void;
}

/** Follows the record path through the tokens of a file. */
export class JsonTrail {
  readonly #options: Options;
  readonly #steps: Step[];
  readonly #errors = new JsonErrors();
  #depth = 0;
  #matched = 0;
  /** The last text, which is a name if a colon follows it. */
  #text: string | undefined;
  #key: string | undefined;
  /** True from the colon after a key to its value. */
  #isValue = false;
  /** The first fault, and the names of the object that is there instead. */
  #fault: (() => string) | undefined;
  #instead: { depth: number; names: string[] } | undefined;

  constructor(containers: readonly JsonContainer[], options: Options) {
    this.#steps = containers.map((container) => ({ container, names: [], isFound: false, item: -1 }));
    this.#options = options;
  }

  /** How many of the objects and lists on the path are open. */
  get matched(): number {
    return this.#matched;
  }

  /** True while all of them are: what comes now is a record, or in one. */
  get isAtRecords(): boolean {
    return this.#matched === this.#steps.length;
  }

  /** Takes a token that the parser has taken. */
  write(token: TokenType, value: unknown): void {
    const ends = token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET;
    // Within records, only their ends matter.
    if (this.isAtRecords && this.#depth > this.#matched) {
      if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) this.#depth += 1;
      if (ends) this.#depth -= 1;
      return;
    }
    if (token === TokenType.COLON) return this.#takeKey();
    const kind = kinds[token];
    if (kind !== undefined) return this.#takeValue(kind, value);
    this.#errors.takeText(this.#key, this.#text);
    this.#text = undefined;
    if (!ends) return;
    if (this.#instead?.depth === this.#depth) this.#instead = undefined;
    if (this.#depth === this.#matched) this.#leave();
    this.#depth -= 1;
  }

  #takeKey(): void {
    const key = this.#text;
    this.#key = key;
    this.#text = undefined;
    this.#isValue = true;
    if (this.#depth === 1) this.#errors.enterMember(key);
    if (key === undefined) return;
    if (this.#instead?.depth === this.#depth) noteName(this.#instead.names, key);
    const step = this.#innermost();
    if (step && this.#isHere()) noteName(step.names, key);
  }

  #takeValue(kind: string, value: unknown): void {
    if (kind === 'text') this.#text = value as string;
    if (this.#depth === 2) this.#errors.countItem();
    if (this.#isHere()) this.#takeStep(kind);
    this.#isValue = false;
    if (kind === 'object' || kind === 'list') this.#depth += 1;
  }

  /** Takes a value of the innermost container that is open. */
  #takeStep(kind: string): void {
    const step = this.#innermost();
    if (step?.container.kind === 'list') step.item += 1;
    else if (step) {
      if (!this.#isValue || this.#key !== step.container.key) return;
      step.isFound = true;
    }
    this.#enter(kind);
  }

  #innermost(): Step | undefined {
    return this.#steps[this.#matched - 1];
  }

  /** True if a value or name now belongs to the innermost container, and the path continues in it. */
  #isHere(): boolean {
    return this.#depth === this.#matched && !this.isAtRecords;
  }

  /** Checks a value at the place of the next container. */
  #enter(kind: string): void {
    const step = this.#steps[this.#matched] as Step;
    const before = this.#innermost()?.container;
    if (kind === step.container.kind) {
      step.names = [];
      step.isFound = false;
      step.item = -1;
      this.#matched += 1;
      if (kind === 'object') this.#options.open(this.#matched - 1);
      return;
    }
    if (this.#fault || (kind === 'null' && before?.kind === 'object' && before.isOptional)) return;
    const path = this.#shownPath(this.#matched);
    const names: string[] = [];
    if (kind === 'object') this.#instead = { depth: this.#depth + 1, names };
    const is = described[kind] ?? `a ${kind}`;
    const has = (): string => (kind === 'object' ? ` (${listed(names)})` : '');
    const each = kind === 'list' ? ' Write "[]" behind its name for the records in each of its items.' : '';
    this.#fault = () => `${path} is ${is}${has()}, not ${described[step.container.kind]}.${each}`;
  }

  #leave(): void {
    this.#matched -= 1;
    const { container, names, isFound } = this.#steps[this.#matched] as Step;
    if (container.kind !== 'object') return;
    this.#options.close(this.#matched);
    if (isFound || container.isOptional) return;
    const where = this.#shownPath(this.#matched);
    this.#fault ??= () => `${JSON.stringify(container.key)} is not in ${where}, ${listed(names)}.`;
  }

  #shownPath(upTo: number): string {
    let path = '';
    for (const { container, item } of this.#steps.slice(0, upTo))
      if (container.kind === 'list') path += `[${item}]`;
      else path += path === '' ? container.key : `.${container.key}`;
    return path === '' ? 'the root of the file' : path;
  }

  /** Throws FileFault if the path led nowhere; `isEmpty`: no record was read. */
  end(isEmpty: boolean): void {
    if (!this.#fault && !(isEmpty && this.#errors.count > 0)) return;
    const { recordPath } = this.#options;
    const path = recordPath === null ? '' : `The record path ${recordPath} leads nowhere: `;
    const reason = this.#fault ? `${path}${this.#fault()}` : 'The file has errors and no records.';
    const { message } = this.#errors;
    throw new FileFault(`${upperFirst(reason)}${message === undefined ? '' : ` The file says: ${message}`}`);
  }
}

const listed = (names: readonly string[]): string =>
  names.length === 0 ? 'which is empty' : `which has ${names.map((name) => name.slice(0, maxNameLength)).join(', ')}`;

function noteName(names: string[], name: string): void {
  if (names.length < maxShown) names.push(name);
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
