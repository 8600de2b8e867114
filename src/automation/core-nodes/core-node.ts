import { z } from 'zod';
import { type ControlNode, defineBuiltinNode, type RunnableNode } from '#src/automation/node-api/builtin-node.ts';
import type { NodePorts } from '#src/automation/node-api/ports.ts';

type Definition<S extends z.ZodType, Uses extends keyof NodePorts> = Parameters<typeof defineBuiltinNode<S, Uses>>[0];

const version = '1.0.0';

/** A node of package `core`. */
export const defineNode = <S extends z.ZodType, Uses extends keyof NodePorts = never>({
  name,
  ...node
}: Omit<Definition<S, Uses>, 'slug' | 'version'> & { name: string }): RunnableNode =>
  defineBuiltinNode<S, Uses>({ ...node, slug: `core:${name}`, version });

export function defineControl(node: { name: string; config: z.ZodType; deferred?: readonly string[] }): ControlNode {
  const { name, config, deferred = [] } = node;
  return { slug: `core:${name}`, version, config, effect: 'control', deferred, verbatim: [] };
}

/** A value that is required and may be null. */
export const given = z.custom<unknown>((value) => value !== undefined, 'is required.');

/** The expression of a condition. One that is empty, as an editor leaves a field, would silently be false for everything. */
export const condition = z.custom<unknown>(
  (value) => value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === ''),
  'is required.',
);
