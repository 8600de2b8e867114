import { type Graph, isObject, type Json, pinsOf } from '#console/automation/editor/model/graph.ts';

/** As the server bounds them. */
const mostPins = 500;
const mostBytes = 512 * 1024;

export type PinFault = 'not-json' | 'not-object' | 'too-many' | 'too-large';

/** The outputs of a step as a pin, with the branch that it took; undefined where there are none, or only their beginning. */
export function pinOutputs(step: { status: string; branch: string | null; outputPreview: unknown }): Json | undefined {
  const { status, branch, outputPreview: outputs } = step;
  if (status !== 'SUCCEEDED' || !isObject(outputs)) return undefined;
  if (outputs['truncated'] === true && typeof outputs['start'] === 'string') return undefined;
  return branch === null || branch === 'default' ? outputs : { $branch: branch, ...outputs };
}

/** Why a draft could not be saved with this pin; undefined where it could. */
export function pinFault(graph: Graph, path: string, outputs: unknown): PinFault | undefined {
  if (!isObject(outputs)) return 'not-object';
  const pins = { ...Object.fromEntries(pinsOf(graph)), [path]: outputs };
  if (Object.keys(pins).length > mostPins) return 'too-many';
  return new TextEncoder().encode(JSON.stringify(pins)).length > mostBytes ? 'too-large' : undefined;
}
