import { z } from 'zod';
import type { ConfigFault } from '#src/automation/node-api/builtin-node.ts';
import { defineNode } from './core-node.ts';
import { RowCollector } from './sql/rows.ts';
import { sendStatement } from './sql/send-statement.ts';

const maxLength = 65_536;

const config = z.object({
  credential: z.union([z.string(), z.number()]),
  statement: z
    .string()
    .max(maxLength, `must not be longer than ${maxLength} characters.`)
    .refine((text) => text.trim() !== '', 'is required.')
    .refine((text) => !text.includes('\0'), 'must not contain a null character.'),
  parameters: z.array(z.unknown()).max(1_000).default([]),
  mode: z.enum(['read', 'write']).default('read'),
  max_rows: z.int().min(1).max(100_000).default(1_000),
  on_limit: z.enum(['fail', 'stop']).default('fail'),
  timeout_ms: z.int().min(1).max(600_000).default(30_000),
});

/** Sends one statement to a database. */
export const sqlNode = defineNode({
  name: 'sql',
  config,
  effect: 'effect',
  verbatim: ['statement'],
  uses: ['credentials', 'sockets'],
  // The node limits the time itself, because it knows whether a retry is safe.
  isRepeatable: false,
  async listFaults({ statement }): Promise<ConfigFault[]> {
    if (typeof statement !== 'string' || !statement.includes('{{')) return [];
    const message =
      'A statement holds no expressions, since their values could be read as SQL. Write a placeholder ($1 for Postgres, ? for MySQL) and put the expression into "parameters".';
    return [{ member: 'statement', message }];
  },
  async execute({ credential: id, max_rows: maxRows, on_limit, mode, timeout_ms: timeoutMs, ...asked }, ctx) {
    const collected = new RowCollector({ maxRows, stops: on_limit === 'stop' });
    const affected = await sendStatement(String(id), ctx, {
      statement: asked.statement,
      parameters: asked.parameters.map(toParameter),
      isRead: mode === 'read',
      timeoutMs,
      addRow: (row) => collected.add(row),
    });
    const { rows, isTruncated } = collected;
    return { outputs: { rows, row_count: affected ?? rows.length, truncated: isTruncated } };
  },
});

/** In a list, an expression without a value becomes null. */
const toParameter = (value: unknown): unknown => value ?? null;
