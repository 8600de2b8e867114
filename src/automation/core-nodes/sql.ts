import { z } from 'zod';
import type { ConfigFault } from '#src/automation/node-api/builtin-node.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { defineNode } from './core-node.ts';
import { openRowFile } from './sql/row-file.ts';
import { RowCollector } from './sql/rows.ts';
import { sendStatement } from './sql/send-statement.ts';

const maxLength = 65_536;
/** Limits of `max_rows` for rows in the outputs: the highest, and the default. */
const maxListedRows = 100_000;
const usualRows = 1_000;

const config = z.object({
  credential: z.union([z.string(), z.number()]),
  statement: z
    .string()
    .max(maxLength, `must not be longer than ${maxLength} characters.`)
    .refine((text) => text.trim() !== '', 'is required.')
    .refine((text) => !text.includes('\0'), 'must not contain a null character.'),
  parameters: z.array(z.unknown()).max(1_000).default([]),
  mode: z.enum(['read', 'write']).default('read'),
  answer: z.enum(['rows', 'csv', 'ndjson']).default('rows'),
  file_name: z.string().max(255).optional(),
  max_rows: z.int().min(1).optional(),
  on_limit: z.enum(['fail', 'stop']).default('fail'),
  timeout_ms: z.int().min(1).max(600_000).default(30_000),
});

/** Sends one statement to a database. */
export const sqlNode = defineNode({
  name: 'sql',
  config,
  effect: 'effect',
  verbatim: ['statement'],
  uses: ['credentials', 'files', 'sockets'],
  // The node limits the time itself, because it knows whether a retry is safe.
  isRepeatable: false,
  async listFaults({ statement }): Promise<ConfigFault[]> {
    if (typeof statement !== 'string' || !statement.includes('{{')) return [];
    const message =
      'A statement holds no expressions, since their values could be read as SQL. Write a placeholder ($1 for Postgres, ? for MySQL) and put the expression into "parameters".';
    return [{ member: 'statement', message }];
  },
  async execute({ credential: id, answer, file_name: name, max_rows: maxRows, ...config }, ctx) {
    const asked = {
      statement: config.statement,
      parameters: config.parameters.map(toParameter),
      isRead: config.mode === 'read',
      timeoutMs: config.timeout_ms,
    };
    const stops = config.on_limit === 'stop';
    if (answer === 'rows') {
      if (maxRows !== undefined && maxRows > maxListedRows)
        throw new NodeError(
          'INVALID_CONFIG',
          `config.max_rows: Use at most ${maxListedRows}, or put the rows into a file.`,
        );
      const collected = new RowCollector({ maxRows: maxRows ?? usualRows, stops });
      const affected = await sendStatement(String(id), ctx, { ...asked, addRow: (row) => collected.add(row) });
      const { rows, isTruncated } = collected;
      return { outputs: { rows, row_count: affected ?? rows.length, truncated: isTruncated } };
    }
    const file = openRowFile(ctx.ports.files, {
      format: answer,
      name: name ?? (answer === 'csv' ? 'rows.csv' : 'rows.ndjson'),
      maxRows: maxRows ?? Number.POSITIVE_INFINITY,
      stops,
      signal: ctx.signal,
    });
    try {
      const affected = await sendStatement(String(id), ctx, { ...asked, addRow: file.add, isStreamed: true });
      const reference = await file.end();
      return { outputs: { file: reference, row_count: affected ?? file.count, truncated: file.isTruncated } };
    } catch (error) {
      file.discard();
      throw error;
    }
  },
});

/** In a list, an expression without a value becomes null. */
const toParameter = (value: unknown): unknown => value ?? null;
