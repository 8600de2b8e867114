import type { Canvas } from '#console/automation/editor/canvas/add-node.ts';
import { pasteInto } from '#console/automation/editor/canvas/paste-into.ts';
import { type Graph, nodesOf, type Point } from '#console/automation/editor/model/graph.ts';
import type { Pasted } from '#console/automation/editor/model/read-paste.ts';
import { replaceBy } from '#console/automation/editor/model/replace.ts';
import type { Definitions } from '#console/automation/editor/node-shape.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { notify } from '#console/ui/notices.ts';
import { inOutWords as w } from './in-out.words.ts';

type Target = Canvas & Pick<Editing, 'perform' | 'select'>;
export type Found = Exclude<Pasted, { fault: unknown }>;

/** Where a graph comes from, in words: the name of a file, or the clipboard. */
export type Source = string;

/** Tells why nothing was inserted. */
export const refusePaste = (fault: Extract<Pasted, { fault: unknown }>['fault'], source: Source) =>
  notify({ kind: 'failed', text: w[fault](source) });

/** Puts nodes where nothing lies, near a point of a loop, and tells what is wrong with them. */
export function insertPart(
  { perform, select, ...canvas }: Target,
  part: Graph,
  { label, source, loop, at }: { label: string; source: Source; loop: string; at: Point },
): void {
  const { definitions } = canvas;
  const pasted = pasteInto(canvas, part, { loop, at });
  perform(label, pasted.command);
  select(new Set(pasted.paths));
  const faults = [...(pasted.leftOut > 0 ? [w.leftOut(pasted.leftOut)] : []), ...unknownNodes(part, definitions)];
  tell(w.inserted(pasted.paths.length, source), faults);
}

/** Puts the graph of a workflow in the place of the one that is there. */
export function replaceGraph({ definitions, perform, select }: Target, whole: Graph, source: Source): void {
  perform(w.replace, replaceBy(whole));
  select(new Set());
  tell(w.replaced(nodesOf(whole).size, source), unknownNodes(whole, definitions));
}

const tell = (text: string, faults: readonly string[]) =>
  notify({ kind: faults.length > 0 ? 'failed' : 'done', text: [text, ...faults].join(' ') });

function unknownNodes(graph: Graph, definitions: Definitions): string[] {
  if (definitions.size === 0) return [];
  const slugs = new Set([...nodesOf(graph).values()].map(({ node }) => node).filter((slug) => !definitions.has(slug)));
  return slugs.size > 0 ? [w.unknown([...slugs].join(', '))] : [];
}
