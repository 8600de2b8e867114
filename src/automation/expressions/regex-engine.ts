import { RE2JS } from 're2js';
import { ExpressionError, tooMuch } from './expression-error.ts';

const limits = {
  source: 500,
  /** Characters of the text times instructions of the pattern: the worst-case cost of one search. */
  work: 64 * 1024 * 1024,
  searches: 20_000,
  /** Milliseconds for all searches of one pattern in one evaluation: `searches` alone is no bound, as each may read the whole text. */
  totalMs: 200,
} as const;

/** Only a few, since each may keep an automaton of 8 MiB. */
const compiled = new Map<string, RE2JS>();
const compiledLimit = 32;

function compile(pattern: RegExp): RE2JS {
  const key = `${pattern.flags}/${pattern.source}`;
  const known = compiled.get(key);
  if (known) return known;
  if (pattern.source.length > limits.source) {
    throw tooMuch(`A regular expression has at most ${limits.source} characters.`);
  }
  try {
    const flags = (pattern.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) | (pattern.multiline ? RE2JS.MULTILINE : 0);
    const made = RE2JS.compile(RE2JS.translateRegExp(pattern.source), flags);
    const [oldest] = compiled.size >= compiledLimit ? compiled.keys() : [];
    if (oldest !== undefined) compiled.delete(oldest);
    compiled.set(key, made);
    return made;
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new ExpressionError(
      'syntax',
      `The regular expression is not RE2 (no backreferences, no look-around): ${reason}`,
    );
  }
}

/** Throws an ExpressionError when RE2 cannot run the pattern. */
export function checkPattern(pattern: RegExp): void {
  compile(pattern);
}

/**
 * Replaces RegExp in jsonata with an engine that is linear in the text, which a backtracking engine is not. jsonata only calls
 * `exec` from `lastIndex`, always with the g flag.
 */
export class LinearRegExp {
  lastIndex = 0;
  readonly source: string;
  private readonly pattern: RE2JS;
  private searches = 0;
  private spentMs = 0;

  constructor(pattern: RegExp) {
    this.source = pattern.source;
    this.pattern = compile(pattern);
  }

  exec(text: unknown): RegExpExecArray | null {
    if (typeof text !== 'string') throw new ExpressionError('failed', 'A regular expression matches strings only.');
    if (this.lastIndex > text.length) return this.miss();
    if (text.length * this.pattern.re2().numberOfInstructions() > limits.work) {
      throw tooMuch('The text is too long for this regular expression.');
    }
    this.searches += 1;
    if (this.searches > limits.searches || this.spentMs > limits.totalMs) {
      throw tooMuch('The regular expression is searched for too often; use a pattern that matches larger parts.');
    }
    const started = performance.now();
    const matcher = this.pattern.matcher(text);
    const found = matcher.find(this.lastIndex);
    this.spentMs += performance.now() - started;
    if (!found) return this.miss();
    const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? undefined);
    this.lastIndex = matcher.end();
    return Object.assign(groups, { index: matcher.start(), input: text }) as unknown as RegExpExecArray;
  }

  private miss(): null {
    this.lastIndex = 0;
    return null;
  }
}
