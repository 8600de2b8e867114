import { z } from 'zod';
import { graphTypes } from '#src/infra/graph-types.ts';

const text = (max: number) => z.string().min(1).max(max);

/** What begins the state of an authorisation that the console began and completes: its redirect leads there. */
export const consoleState = (tenantId: string): string => `console.${tenantId}.`;

/** The tenant of a state that begins with `consoleState`. */
export const tenantOfConsoleState = (state: string): string | undefined => /^console\.([^.]+)\./.exec(state)?.[1];

/** The query of a provider's redirect. An invalid member counts as missing, since the response is the same. */
export const callbackQuery = z.object({
  code: text(8_192).optional().catch(undefined),
  state: z
    .string()
    .regex(/^(?:console\.[a-z][a-z0-9-]{0,62}\.)?[\w-]{43}$/)
    .optional()
    .catch(undefined),
  iss: text(2_048).optional().catch(undefined),
  error: text(256).optional().catch(undefined),
});

/** The same as the input of the graph: a redirect has either a code or an error. */
export const callbackInput = z.object({
  outcome: z
    .union([
      z.strictObject({
        code: callbackQuery.shape.code.describe('The code that the provider gave, at most 8,192 characters.'),
      }),
      z.strictObject({ error: callbackQuery.shape.error.describe('The error code of a provider that refused.') }),
    ])
    .register(graphTypes, {
      type: 'AuthorizationOutcome',
      description: "What a provider's redirect says of the authorisation: granted, with a code, or not.",
    })
    .describe('What the redirect brought: a code or an error.'),
  state: callbackQuery.shape.state.describe('The state of the link that the authorisation began with.'),
  iss: callbackQuery.shape.iss.describe('The issuer, where the provider names itself; it must be the one expected.'),
});
