import type { z } from 'zod';
import type { ExpressionScope } from '#src/automation/expressions/scope.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { NodeLogLine } from '#src/automation/node-api/node-runtime.ts';
import type { NodePorts } from '#src/automation/node-api/ports.ts';
import { inputFault } from '#src/infra/input-messages.ts';

/** The result of a node, which is recorded with its step. `branch` is 'default' when absent. */
export interface NodeResult {
  outputs: Record<string, unknown>;
  branch?: string;
  /** Set only by core:respond: the run's result, unless a later step sets another. */
  response?: { value: unknown };
}

export interface NodeContext<Uses extends keyof NodePorts = keyof NodePorts> {
  /** Outputs of the predecessors on live edges, by node id. */
  inputs: Record<string, unknown>;
  /** Evaluates a deferred member of the config; inside the node's own loop with `item` and `index`. */
  evaluate(member: string, local?: { item: unknown; index: number }): unknown;
  /** The values that expressions can read here, except secrets. */
  scope: Omit<ExpressionScope, 'secrets' | 'known'>;
  /** True if the workflow has an edge from this branch of the node. */
  hasEdge: (branch: string) => boolean;
  /** Only the ports that the node declares under `uses`. */
  ports: Pick<NodePorts, Uses>;
  signal: AbortSignal;
  /** The same for every attempt of this step. */
  idempotencyKey: string;
  /** Adds a line to the log of the step. Absent if there is no log, as in the test of a single node. */
  log?: (line: NodeLogLine) => void;
}

type ListContext<Uses extends keyof NodePorts = keyof NodePorts> = Pick<NodeContext<Uses>, 'ports' | 'signal'>;

/** Takes the config, unchecked. Rejects with a NodeError. */
export type ReadList = (config: unknown, ctx: ListContext) => Promise<Record<string, unknown>>;

interface NodeBase {
  slug: string;
  version: string;
  /** Checks the config after its expressions have been evaluated. */
  config: z.ZodType;
  /** Members whose expressions the node evaluates itself, through `ctx.evaluate`. */
  deferred: readonly string[];
  /** Members that are text in another language, such as code. They hold no expressions: `{{` is part of the text. */
  verbatim: readonly string[];
}

/** A fault of a config that its schema cannot detect. */
export interface ConfigFault {
  /** The member at fault. */
  member: string;
  message: string;
  /** The place in the member's text, counted from 1. */
  place?: TextPlace;
}

export interface TextPlace {
  line: number;
  column: number;
}

/** Computes (`pure`: its result may be recorded with a later commit) or acts (`effect`: recorded before going on). */
export interface RunnableNode extends NodeBase {
  effect: 'pure' | 'effect';
  /** The ports of its host that it uses. */
  uses: readonly (keyof NodePorts)[];
  /** False if executing the node twice may have its effect twice. An attempt with an unknown outcome is then not repeated. Default true. */
  isRepeatable?: boolean;
  /** For nodes that a poll can use as its list: reads a page of it, as an object that holds the records. Has no other effect. */
  readList?: ReadList | undefined;
  /** Lists faults of a config before the node runs. Its expressions are not evaluated yet. */
  listFaults?: (config: Readonly<Record<string, unknown>>) => Promise<ConfigFault[]>;
  /** Takes the evaluated config, unchecked. Throws or rejects with a NodeError. */
  execute(config: unknown, ctx: NodeContext): NodeResult | Promise<NodeResult>;
}

/** Run by the engine itself; only package `core` has such nodes. */
export interface ControlNode extends NodeBase {
  effect: 'control';
}

/** A node that the product implements, so it runs in the worker itself and not in the sandbox. */
export type BuiltinNode = RunnableNode | ControlNode;

/** Checks an evaluated config. Throws a NodeError naming the members at fault. */
export function readConfig<S extends z.ZodType>(schema: S, config: unknown): z.output<S> {
  const read = schema.safeParse(config, { error: inputFault });
  if (read.success) return read.data;
  const faults = read.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${['config', ...path].join('.')}: ${message}`);
  throw new NodeError('INVALID_CONFIG', faults.join(' '));
}

const noPorts = {} as NodePorts;

/** The members of a config that keep their text when its expressions are evaluated. */
export const untouchedMembers = (node: BuiltinNode | undefined): readonly string[] =>
  node ? [...node.deferred, ...node.verbatim] : [];

/** The ports that a node declares; none are made for a node that declares none. */
export function portsFor({ uses }: RunnableNode, open: () => NodePorts): NodePorts {
  if (uses.length === 0) return noPorts;
  const ports = open();
  return Object.fromEntries(uses.map((name) => [name, ports[name]])) as unknown as NodePorts;
}

/** Declares a node of a built-in package; `Uses` narrows what `execute` finds under `ctx.ports`. */
export function defineBuiltinNode<S extends z.ZodType, Uses extends keyof NodePorts = never>(node: {
  /** `package:name` */
  slug: string;
  version: string;
  config: S;
  effect: RunnableNode['effect'];
  deferred?: readonly string[];
  verbatim?: readonly string[];
  uses?: readonly Uses[];
  isRepeatable?: boolean;
  readList?: (config: z.output<S>, ctx: ListContext<Uses>) => Promise<Record<string, unknown>>;
  listFaults?: RunnableNode['listFaults'];
  execute: (config: z.output<S>, ctx: NodeContext<Uses>) => NodeResult | Promise<NodeResult>;
}): RunnableNode {
  const { uses = [], deferred = [], verbatim = [], readList } = node;
  return {
    ...node,
    readList: readList && (async (config, ctx) => readList(readConfig(node.config, config), ctx)),
    uses,
    deferred,
    verbatim,
    execute: (config, ctx) => node.execute(readConfig(node.config, config), ctx),
  };
}
