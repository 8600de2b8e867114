import { z } from 'zod';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { CoreNodePorts } from '#src/automation/node-api/ports.ts';
import { inputFault } from '#src/infra/input-messages.ts';

/** What a node answers; the step's record. `branch` is 'default' when absent. */
export interface NodeResult {
  outputs: Record<string, unknown>;
  branch?: string;
  /** Set by core:respond alone: the run's result, unless a later one takes its place. */
  response?: { value: unknown };
}

export interface CoreNodeContext {
  /** Outputs of the predecessors on live edges, by node id. */
  inputs: Record<string, unknown>;
  /** Evaluates a deferred member of the config; within a loop of the node's own, with `item` and `index`. */
  evaluate(member: string, local?: { item: unknown; index: number }): unknown;
  ports: CoreNodePorts;
  signal: AbortSignal;
  /** The same for every attempt of this step. */
  idempotencyKey: string;
}

interface NodeBase {
  slug: string;
  version: string;
  /** Of the config after its expressions have been evaluated. */
  config: z.ZodType;
  /** Members whose expressions the node evaluates itself, through `ctx.evaluate`. */
  deferred: readonly string[];
}

/** Computes (`pure`: its result may be recorded with a later commit) or acts (`effect`: recorded before going on). */
export interface RunnableNode extends NodeBase {
  effect: 'pure' | 'effect';
  /** Takes the evaluated config, unchecked. Throws or rejects with a NodeError. */
  execute(config: unknown, ctx: CoreNodeContext): NodeResult | Promise<NodeResult>;
}

/** Run by the engine itself. */
export interface ControlNode extends NodeBase {
  effect: 'control';
}

export type CoreNode = RunnableNode | ControlNode;

/** Checks an evaluated config. Throws a NodeError naming the members at fault. */
export function readConfig<S extends z.ZodType>(schema: S, config: unknown): z.output<S> {
  const read = schema.safeParse(config, { error: inputFault });
  if (read.success) return read.data;
  const faults = read.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${['config', ...path].join('.')}: ${message}`);
  throw new NodeError('INVALID_CONFIG', faults.join(' '));
}

export function defineNode<S extends z.ZodType>(node: {
  name: string;
  config: S;
  effect: RunnableNode['effect'];
  deferred?: readonly string[];
  execute: (config: z.output<S>, ctx: CoreNodeContext) => NodeResult | Promise<NodeResult>;
}): RunnableNode {
  return {
    slug: `core:${node.name}`,
    version: '1.0.0',
    config: node.config,
    effect: node.effect,
    deferred: node.deferred ?? [],
    execute: (config, ctx) => node.execute(readConfig(node.config, config), ctx),
  };
}

export function defineControl(node: { name: string; config: z.ZodType; deferred?: readonly string[] }): ControlNode {
  const { name, config, deferred = [] } = node;
  return { slug: `core:${name}`, version: '1.0.0', config, effect: 'control', deferred };
}

/** A value that must be there, whatever it is: null is one, absent is none. */
export const given = z.custom<unknown>((value) => value !== undefined, 'A value is required.');
