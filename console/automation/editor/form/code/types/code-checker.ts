import type ts from 'typescript';
import { fixedScope, nodeKitFile } from './fixed-scope.ts';
import type { Code, Offers, TypeAt, TypeFault } from './protocol.ts';
import { readFault } from './read-fault.ts';

interface Given {
  ts: typeof ts;
  libraries: Readonly<Record<string, string>>;
  /** The declarations of node-kit. */
  nodeKit: string;
}

const codeFile = '/code.ts';
const fixedFile = '/fixed.d.ts';
/** The declarations that are made from the sample. */
export const scopeFile = '/scope.d.ts';
const libraryFolder = '/lib/';
const library = 'lib.es2025.d.ts';

/** The code is the body of this function. A result that is no object fails the step. */
const opening = 'async function __code(): Promise<Outputs> {\n';
const ending = '\n}';

const maxFaults = 50;
const maxTypeCharacters = 600;

/** Checks the types of code with one instance of the compiler. Positions are those of the author's text. */
export class CodeChecker {
  readonly #ts: Given['ts'];
  readonly #files: Map<string, { text: string; version: number }>;
  readonly #service: ts.LanguageService;

  constructor({ ts, libraries, nodeKit }: Given) {
    this.#ts = ts;
    const fixed: [string, string][] = [
      ...Object.entries(libraries).map(([name, text]): [string, string] => [libraryFolder + name, text]),
      [nodeKitFile, nodeKit],
      [fixedFile, fixedScope],
    ];
    this.#files = new Map(fixed.map(([name, text]) => [name, { text, version: 0 }]));
    const files = this.#files;
    const options: ts.CompilerOptions = {
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      moduleDetection: ts.ModuleDetectionKind.Legacy,
      // Without it, an empty list would accept no items. Its own faults are left out, because authors need not write types.
      noImplicitAny: true,
      strict: false,
      strictNullChecks: true,
      skipLibCheck: true,
      types: [],
      noEmit: true,
    };
    this.#service = ts.createLanguageService({
      getCompilationSettings: () => options,
      getScriptFileNames: () => [fixedFile, scopeFile, codeFile],
      getScriptVersion: (name) => String(files.get(name)?.version ?? 0),
      getScriptSnapshot: (name) => {
        const file = files.get(name);
        return file && ts.ScriptSnapshot.fromString(file.text);
      },
      getCurrentDirectory: () => '/',
      getDefaultLibFileName: () => libraryFolder + library,
      fileExists: (name) => files.has(name),
      readFile: (name) => files.get(name)?.text,
    });
  }

  /** The faults in the types; none while the text does not parse, because that is reported by the server. */
  faults(code: Code): TypeFault[] {
    this.#write(code);
    if (this.#service.getSyntacticDiagnostics(codeFile).length > 0) return [];
    const program = this.#service.getProgram();
    if (!program) return [];
    const found: TypeFault[] = [];
    for (const diagnostic of this.#service.getSemanticDiagnostics(codeFile)) {
      const text = readFault(this.#ts, program, diagnostic, scopeFile);
      const from = (diagnostic.start ?? 0) - opening.length;
      const to = Math.min(from + (diagnostic.length ?? 0), code.text.length);
      if (text !== undefined && from >= 0 && from < to && found.length < maxFaults) found.push({ from, to, text });
    }
    return found;
  }

  offers(code: Code, at: number): Offers {
    this.#write(code);
    const found = this.#service.getCompletionsAtPosition(codeFile, at + opening.length, {
      includeCompletionsWithInsertText: true,
    });
    if (!found) return { areMembers: false, offered: [] };
    const areMembers = found.isMemberCompletion;
    const offered = found.entries.filter(
      ({ name, sortText }) => areMembers || (sortText < globalsAndKeywords && !ofWrapper.has(name)),
    );
    return {
      areMembers,
      offered: offered.map(({ name, insertText, replacementSpan: span }) => ({
        name,
        ...(insertText !== undefined &&
          span && { replaces: { ...this.#range(span.start, span.length), insert: insertText } }),
      })),
    };
  }

  offeredType(code: Code, at: number, name: string): string {
    this.#write(code);
    const found = this.#service.getCompletionEntryDetails(
      codeFile,
      at + opening.length,
      name,
      undefined,
      undefined,
      undefined,
      undefined,
    );
    return this.#shorten(found?.displayParts);
  }

  typeAt(code: Code, at: number): TypeAt | undefined {
    this.#write(code);
    const found = this.#service.getQuickInfoAtPosition(codeFile, at + opening.length);
    if (!found?.displayParts) return undefined;
    return { ...this.#range(found.textSpan.start, found.textSpan.length), text: this.#shorten(found.displayParts) };
  }

  #range(start: number, length: number) {
    const from = start - opening.length;
    return { from, to: from + length };
  }

  #shorten(parts: readonly ts.SymbolDisplayPart[] = []): string {
    const text = this.#ts.displayPartsToString([...parts]);
    return text.length > maxTypeCharacters ? `${text.slice(0, maxTypeCharacters)}…` : text;
  }

  #write({ text, scope }: Code): void {
    this.#put(codeFile, opening + text + ending);
    this.#put(scopeFile, scope);
  }

  #put(name: string, text: string): void {
    const before = this.#files.get(name);
    if (before?.text === text) return;
    this.#files.set(name, { text, version: (before?.version ?? 0) + 1 });
  }
}

/** The compiler sorts what the code itself declares before this. */
const globalsAndKeywords = '15';

/** Names that only the function around the code has. */
const ofWrapper: ReadonlySet<string> = new Set(['__code', 'arguments']);
