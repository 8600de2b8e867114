import {
  type ASTVisitor,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  parse,
  type ParseOptions,
  type SelectionNode,
  type SelectionSetNode,
  Source,
  TokenKind,
  type ValidationContext,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { badRequest } from '#src/infra/errors.ts';

/** The limits of a document; fragments count each time they are spread. Brackets are those of fields, arguments, objects and lists. */
export const documentLimits = { tokens: 3_000, brackets: 150, depth: 12, aliases: 30, directives: 20 } as const;
/** Operations in one HTTP request. */
export const batchLimit = 5;

type Size = Record<'depth' | 'aliases' | 'directives', number>;

/** Refuses documents that are too large to parse, validate or execute, on every transport. */
export const useDocumentLimits = (): Plugin => ({
  onRequestParse: () => ({
    onRequestParseDone({ requestParserResult: parsed }) {
      if (Array.isArray(parsed) && parsed.length > batchLimit)
        throw badRequest(`A request may hold at most ${batchLimit} operations.`);
    },
  }),
  onParse({ setParseFn }) {
    setParseFn(parseBounded);
  },
  onValidate({ addValidationRule }) {
    addValidationRule(sizeRule);
  },
});

const opening: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** The parser recurses for each bracket, and the call stack is too small for as many as there may be tokens. */
function assertShallow(source: string | Source): void {
  const body = typeof source === 'string' ? source : source.body;
  if (!mayNest(body)) return;
  const lexer = new Lexer(typeof source === 'string' ? new Source(source) : source);
  let open = 0;
  let tokens = 0;
  for (let { kind } = lexer.advance(); kind !== TokenKind.EOF; { kind } = lexer.advance()) {
    tokens += 1;
    if (opening.has(kind)) open += 1;
    if (closing.has(kind)) open -= 1;
    if (open > documentLimits.brackets) throw tooLarge('brackets');
    if (tokens > documentLimits.tokens) throw tooLarge('tokens');
  }
}

/** True if there are enough brackets to nest too deep: nearly no document has. */
function mayNest(body: string): boolean {
  let count = 0;
  for (const bracket of ['{', '[', '(']) {
    for (let at = body.indexOf(bracket); at >= 0; at = body.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > documentLimits.brackets) return true;
    }
  }
  return false;
}

function parseBounded(source: string | Source, options?: ParseOptions): DocumentNode {
  try {
    assertShallow(source);
    return parse(source, { ...options, maxTokens: documentLimits.tokens });
  } catch (error) {
    // graphql-js throws the same class as for a syntax error, without a code.
    if (error instanceof GraphQLError && error.message.includes('Parsing aborted')) throw tooLarge('tokens');
    throw error;
  }
}

function sizeRule(context: ValidationContext): ASTVisitor {
  const measureSize = createMeasure((name) => context.getFragment(name));
  return {
    OperationDefinition(operation) {
      const size = measureSize(operation.selectionSet);
      size.directives += operation.directives?.length ?? 0;
      for (const limit of ['depth', 'aliases', 'directives'] as const) {
        if (size[limit] > documentLimits[limit]) context.reportError(tooLarge(limit, operation));
      }
    },
  };
}

/** Measures selections. Each fragment is measured once, however often it is spread; cycles are reported by another rule. */
function createMeasure(fragment: (name: string) => FragmentDefinitionNode | null | undefined) {
  const known = new Map<string, Size>();

  function ofFragment(name: string): Size {
    const found = known.get(name);
    if (found) return found;
    known.set(name, { depth: 0, aliases: 0, directives: 0 });
    const definition = fragment(name);
    const size = measureSize(definition?.selectionSet);
    size.directives += definition?.directives?.length ?? 0;
    known.set(name, size);
    return size;
  }

  function ofSelection(selection: SelectionNode): Size {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return ofFragment(selection.name.value);
    const inner = measureSize(selection.selectionSet);
    if (selection.kind === Kind.INLINE_FRAGMENT) return inner;
    return { ...inner, depth: inner.depth + 1, aliases: inner.aliases + (selection.alias ? 1 : 0) };
  }

  function measureSize(set: SelectionSetNode | undefined): Size {
    const total = { depth: 0, aliases: 0, directives: 0 };
    for (const selection of set?.selections ?? []) {
      // graphql-js has its own rule for the depth of introspection.
      if (selection.kind === Kind.FIELD && selection.name.value === '__schema') continue;
      const { depth, aliases, directives } = ofSelection(selection);
      total.depth = Math.max(total.depth, depth);
      total.aliases += aliases;
      total.directives += directives + (selection.directives?.length ?? 0);
    }
    return total;
  }

  return measureSize;
}

const units = {
  tokens: 'tokens',
  brackets: 'brackets open at once',
  depth: 'levels of fields',
  aliases: 'aliases',
  directives: 'directives',
};

const tooLarge = (limit: keyof typeof units, operation?: OperationDefinitionNode): GraphQLError =>
  badRequest(`The document is too large: it may have at most ${documentLimits[limit]} ${units[limit]}.`, operation);
