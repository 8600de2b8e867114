import { ExpressionError } from './expression-error.ts';
import type { ExpressionScope } from './scope.ts';
import { type CompiledTemplate, compileTemplate } from './template.ts';

const noSecrets = 'The expression reads its item; secrets are not in its scope.';

/** The result of an expression for an item, or the reason why it has none. */
type ItemResult = { value: unknown } | { reason: string };

/** Expressions over one `item` after the other, with nothing else in scope. */
export interface ItemExpressions {
  /** Why the text is not such an expression; undefined if it is. */
  findFault: (source: string) => string | undefined;
  /** Each item gets the limits of one evaluation, so that its result does not depend on its neighbours. */
  compile: (source: string) => (item: object) => Promise<ItemResult>;
}

const compile = (expression: string): CompiledTemplate =>
  compileTemplate({ expression }, { deferred: ['expression'] }).deferred('expression');

const itemScope = (item: object): ExpressionScope => ({
  item,
  trigger: { payload: null, type: 'import', handle: null },
  nodes: {},
  run: { id: 0, started_at: '' },
  secrets: () => {
    throw new ExpressionError('failed', noSecrets);
  },
});

export const itemExpressions: ItemExpressions = {
  findFault(source) {
    try {
      return compile(source).secrets.length > 0 ? noSecrets : undefined;
    } catch (error) {
      if (error instanceof ExpressionError) return error.reason;
      throw error;
    }
  },
  compile(source) {
    const template = compile(source);
    return (item) => evaluateItem(template, item);
  },
};

async function evaluateItem(template: CompiledTemplate, item: object): Promise<ItemResult> {
  try {
    return { value: await template.evaluate(itemScope(item)) };
  } catch (error) {
    if (error instanceof ExpressionError) return { reason: error.reason };
    throw error;
  }
}
