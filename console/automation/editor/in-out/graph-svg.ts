import {
  type CanvasEdge,
  type CanvasNode,
  elementsOf,
  type Trigger,
} from '#console/automation/editor/canvas/canvas-elements.ts';
import { placesOf } from '#console/automation/editor/canvas/places.ts';
import type { Graph, Point } from '#console/automation/editor/model/graph.ts';
import { branchTop, type Definitions, headHeight } from '#console/automation/editor/node-shape.ts';

interface Drawing {
  graph: Graph;
  triggers: readonly Trigger[];
  definitions: Definitions;
  title: string;
  description: string;
}

const margin = 24;
/** The mean width of a character in pixels, by which a text is cut: no viewer can be asked how wide it draws one. */
const characterWidth = 6.4;

/** Light colours, whatever the theme: the file is for paper and for other programs. */
const styles = [
  'text{font:12px system-ui,sans-serif;fill:#1b1f24}',
  '.name{font-weight:600}',
  '.kind,.branch{fill:#5a626c}',
  '.branch{font-size:11px;text-anchor:end}',
  '.node{fill:#fff;stroke:#868e97}',
  '.loop{fill:none;stroke:#868e97;stroke-dasharray:4 3}',
  '.trigger{stroke:#1a56c4}',
  '.note{fill:#fbf1dc;stroke:#8a5a00;stroke-dasharray:4 3}',
  '.edge{fill:none;stroke:#5a626c}',
  '.implied{stroke-dasharray:3 4}',
].join('');

/** The graph as an SVG file that needs nothing else. */
export function graphSvg({ graph, triggers, definitions, title, description }: Drawing): string {
  const places = placesOf(
    graph,
    triggers.map(({ handle }) => handle),
  );
  const nothing = { problems: new Map<string, number>(), selected: new Set<string>() };
  const { nodes, edges } = elementsOf({ graph, triggers, definitions, places, ...nothing });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const boxes = new Map(nodes.map((node) => [node.id, boxOf(node, byId)]));
  const all = [...boxes.values()];
  const left = Math.min(0, ...all.map(({ x }) => x)) - margin;
  const top = Math.min(0, ...all.map(({ y }) => y)) - margin;
  const width = Math.max(0, ...all.map((box) => box.x + box.width)) + margin - left;
  const height = Math.max(0, ...all.map((box) => box.y + box.height)) + margin - top;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${left} ${top} ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escape(title)}</title>`,
    `<desc id="description">${escape(description)}</desc>`,
    `<style>${styles}</style>`,
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="#fff"/>`,
    ...nodes.flatMap((node) => drawNode(node, boxes.get(node.id) as Box)),
    ...edges.flatMap((edge) => drawEdge(edge, byId, boxes)),
    '</svg>',
    '',
  ].join('\n');
}

interface Box extends Point {
  width: number;
  height: number;
}

/** Nodes in a loop are placed relative to it. */
function boxOf(node: CanvasNode, byId: ReadonlyMap<string, CanvasNode>): Box {
  const loop = node.parentId === undefined ? undefined : byId.get(node.parentId);
  const { x, y } = loop ? boxOf(loop, byId) : { x: 0, y: 0 };
  const { position, width = 0, height = 0 } = node;
  return { x: x + position.x, y: y + position.y, width, height };
}

function drawNode({ type, data }: CanvasNode, { x, y, width, height }: Box): string[] {
  const shape = type === 'note' ? 'note' : data.isLoop ? 'loop' : data.isTrigger ? 'node trigger' : 'node';
  const rect = `<rect class="${shape}" x="${x}" y="${y}" width="${width}" height="${height}" rx="4"/>`;
  if (type === 'note') return [rect, ...drawNote(data.name, { x, y, width, height })];
  const branches = data.branches.length > 1 ? data.branches : [];
  return [
    rect,
    line('name', x + 12, y + 18, cut(data.name, width - 24)),
    line('kind', x + 12, y + headHeight - 9, cut(data.kind, width - 24)),
    ...branches.map((branch, index) =>
      line('branch', x + width - 12, y + branchTop(index, branches.length) + 4, cut(branch, width - 24)),
    ),
  ];
}

/** The lines of a note that fit it. */
function drawNote(text: string, { x, y, width, height }: Box): string[] {
  const lines = text.split('\n').slice(0, Math.max(1, Math.floor((height - 8) / 16)));
  return lines.map((each, index) => line('note-text', x + 8, y + 18 + index * 16, cut(each, width - 16)));
}

function drawEdge(
  { source, sourceHandle, target, className }: CanvasEdge,
  byId: ReadonlyMap<string, CanvasNode>,
  boxes: ReadonlyMap<string, Box>,
): string[] {
  const [from, to] = [boxes.get(source), boxes.get(target)];
  if (!from || !to) return [];
  const branches = byId.get(source)?.data.branches ?? [];
  const index = Math.max(0, branches.indexOf(sourceHandle ?? 'default'));
  const start = { x: from.x + from.width, y: from.y + branchTop(index, branches.length) };
  const end = { x: to.x, y: to.y + headHeight / 2 };
  const bend = Math.max(24, Math.abs(end.x - start.x) / 2);
  const path = `M${start.x} ${start.y}C${start.x + bend} ${start.y} ${end.x - bend} ${end.y} ${end.x} ${end.y}`;
  const arrow = `M${end.x - 6} ${end.y - 4}L${end.x} ${end.y}L${end.x - 6} ${end.y + 4}`;
  return [
    `<path class="edge${className === 'is-implied' ? ' implied' : ''}" d="${path}"/>`,
    `<path class="edge" d="${arrow}"/>`,
  ];
}

const line = (style: string, x: number, y: number, text: string): string =>
  `<text class="${style}" x="${x}" y="${y}">${escape(text)}</text>`;

function cut(text: string, width: number): string {
  const most = Math.max(1, Math.floor(width / characterWidth));
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** XML has no way to write most control characters, nor half of a surrogate pair. */
const escape = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- those that XML forbids
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '\uFFFD')
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
