import { coreNodes } from '#src/automation/core-nodes/core-nodes.ts';
import type { ExpressionScope } from '#src/automation/expressions/scope.ts';
import { compileTemplate } from '#src/automation/expressions/template.ts';
import {
  type BuiltinNode,
  type NodeContext,
  type NodeResult,
  untouchedMembers,
} from '#src/automation/node-api/builtin-node.ts';
import type { NodePorts } from '#src/automation/node-api/ports.ts';

const unused = (): never => {
  throw new Error('The node reached for a port that this test does not give it.');
};

const closed: NodePorts = {
  tenant: { id: unused, actor: unused },
  http: { request: unused },
  credentials: { open: unused },
  state: { get: unused, set: unused },
  events: { emit: unused },
  sandbox: { run: unused },
  files: { open: unused, create: unused },
  sockets: { open: unused },
};

export function coreNode(slug: string): BuiltinNode {
  const node = coreNodes.find((each) => each.slug === slug);
  if (!node) throw new Error(`There is no ${slug}.`);
  return node;
}

/** Runs a core node like the engine does: its config is evaluated, except for deferred members. */
export async function run(
  slug: string,
  config: unknown,
  more: { payload?: unknown; ports?: Partial<NodePorts>; ctx?: Partial<NodeContext> } = {},
): Promise<NodeResult> {
  const node = coreNode(slug);
  if (node.effect === 'control') throw new Error(`${slug} is run by the engine.`);
  const scope: ExpressionScope = {
    trigger: { payload: more.payload ?? null, type: 'manual', handle: null },
    nodes: {},
    run: { id: 1, started_at: '2026-01-01T00:00:00.000Z' },
    secrets: () => undefined,
  };
  const template = compileTemplate(config, { deferred: untouchedMembers(node) });
  return node.execute(await template.evaluate(scope), {
    inputs: {},
    scope,
    hasEdge: () => false,
    evaluate: (member, local) => template.deferred(member).evaluate({ ...scope, ...local }),
    ports: { ...closed, ...more.ports },
    signal: new AbortController().signal,
    idempotencyKey: 'run-1/step/1',
    ...more.ctx,
  });
}
