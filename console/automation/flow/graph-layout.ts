/** A link between two nodes by their paths. */
export interface Link {
  from: string;
  to: string;
  branch: string | null;
}

export interface Point {
  x: number;
  y: number;
}

/** A node, or a loop around the nodes of its body; in pixels, from the top left. */
export interface PlacedNode extends Point {
  path: string;
  width: number;
  height: number;
  isLoop: boolean;
}

export interface Layout {
  width: number;
  height: number;
  nodes: PlacedNode[];
  /** Each link with the points that its line passes, from left to right. */
  links: (Link & { points: Point[] })[];
}

export interface Size {
  width: number;
  height: number;
}

/** Sizes in pixels of what is placed. */
export interface Measures {
  node: (path: string) => Size;
  gap: Point;
  loop: { padding: number; head: number };
  /** The height of the line on which links meet a node, or the title of a loop. */
  line: number;
}

const plain: Measures = {
  node: () => ({ width: 160, height: 44 }),
  gap: { x: 48, y: 16 },
  loop: { padding: 12, head: 56 },
  line: 44,
};

interface Box {
  path: string;
  width: number;
  height: number;
  body?: Layout;
  /** Where a link passes through a layer without a node of its own. */
  isBend?: true;
}

/** Places nodes in layers from left to right: each is right of all that lead to it, and a loop surrounds the nodes of its body. */
export function layoutGraph(paths: readonly string[], links: readonly Link[], measures = plain): Layout {
  return layoutLoop('', { paths: Map.groupBy(paths, parentOf), links, measures });
}

interface Parts {
  /** By the loop that they are in. */
  paths: ReadonlyMap<string, readonly string[]>;
  links: readonly Link[];
  measures: Measures;
}

function layoutLoop(parent: string, parts: Parts): Layout {
  const { links, measures } = parts;
  const own = parts.paths.get(parent) ?? [];
  const boxes = new Map(own.map((path) => [path, boxOf(path, parts)]));
  const ownLinks = links.filter(({ from, to }) => boxes.has(from) && boxes.has(to) && from !== to);
  const depths = layerOf(own, ownLinks);
  const layers: Box[][] = [];
  for (const [path, depth] of depths) (layers[depth] ??= []).push(boxes.get(path) as Box);
  const chains = ownLinks.map((link) => ({ link, chain: addBends(link, depths, layers, boxes) }));
  orderLayers(
    layers,
    chains.flatMap(({ chain }) => chain.slice(1).map((to, index) => [chain[index] as Box, to] as const)),
  );
  return place(layers, chains, measures);
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

function boxOf(path: string, parts: Parts): Box {
  const { node, loop } = parts.measures;
  const size = node(path);
  if (!parts.paths.has(path)) return { path, ...size };
  const body = layoutLoop(path, parts);
  return {
    path,
    width: Math.max(size.width, body.width + 2 * loop.padding),
    height: loop.head + body.height + loop.padding,
    body,
  };
}

/** The length of the longest way to each node. A link that closes a circle is passed over. */
function layerOf(paths: readonly string[], links: readonly Link[]): Map<string, number> {
  const before = Map.groupBy(links, ({ to }) => to);
  const depths = new Map<string, number>();
  const visiting = new Set<string>();
  const depthOf = (path: string): number => {
    const known = depths.get(path);
    if (known !== undefined) return known;
    if (visiting.has(path)) return -1;
    visiting.add(path);
    const depth = Math.max(-1, ...(before.get(path) ?? []).map(({ from }) => depthOf(from))) + 1;
    depths.set(path, depth);
    return depth;
  };
  paths.forEach(depthOf);
  return new Map(paths.map((path) => [path, depths.get(path) ?? 0]));
}

/** The boxes that a link passes: its ends, and a bend in each layer between them. */
function addBends(link: Link, depths: Map<string, number>, layers: Box[][], boxes: Map<string, Box>): Box[] {
  const chain = [boxes.get(link.from) as Box];
  for (let depth = (depths.get(link.from) ?? 0) + 1; depth < (depths.get(link.to) ?? 0); depth++) {
    const bend: Box = { path: '', width: 0, height: 8, isBend: true };
    layers[depth]?.push(bend);
    chain.push(bend);
  }
  return [...chain, boxes.get(link.to) as Box];
}

/** Moves boxes of a layer to the middle of those that they are linked with, four times, so that few lines cross. */
function orderLayers(layers: Box[][], pairs: readonly (readonly [Box, Box])[]): void {
  const before = Map.groupBy(pairs, ([, to]) => to);
  const after = Map.groupBy(pairs, ([from]) => from);
  for (let sweep = 0; sweep < 4; sweep++) {
    const isDown = sweep % 2 === 0;
    const rank = new Map<Box, number>();
    for (const layer of isDown ? layers : layers.toReversed()) {
      const middles = new Map(
        layer.map((box, index) => {
          const ranks = (isDown ? before : after)
            .get(box)
            ?.map((pair) => rank.get(pair[isDown ? 0 : 1]))
            .filter((known) => known !== undefined);
          return [box, ranks?.length ? ranks.reduce((sum, one) => sum + one, 0) / ranks.length : index] as const;
        }),
      );
      layer.sort((a, b) => (middles.get(a) ?? 0) - (middles.get(b) ?? 0));
      layer.forEach((box, index) => rank.set(box, index));
    }
  }
}

function place(
  layers: readonly Box[][],
  chains: readonly { link: Link; chain: Box[] }[],
  { gap, loop, line }: Measures,
): Layout {
  const heights = layers.map((layer) => layer.reduce((sum, box) => sum + box.height + gap.y, -gap.y));
  const height = Math.max(0, ...heights);
  const corners = new Map<Box, Point>();
  const nodes: PlacedNode[] = [];
  const links: Layout['links'] = [];
  let x = 0;
  layers.forEach((layer, depth) => {
    const width = Math.max(...layer.map((box) => box.width));
    let y = (height - (heights[depth] as number)) / 2;
    for (const box of layer) {
      if (box.isBend) box.width = width;
      corners.set(box, { x, y });
      if (!box.isBend) nodes.push({ path: box.path, x, y, width: box.width, height: box.height, isLoop: !!box.body });
      const inner = { x: x + loop.padding, y: y + loop.head };
      for (const placed of box.body?.nodes ?? []) nodes.push({ ...placed, ...moved(placed, inner) });
      for (const link of box.body?.links ?? [])
        links.push({ ...link, points: link.points.map((point) => moved(point, inner)) });
      y += box.height + gap.y;
    }
    x += width + gap.x;
  });
  for (const { link, chain } of chains)
    links.push({
      ...link,
      points: chain.flatMap((box, index) => portsOf(box, corners.get(box) as Point, index > 0, line)),
    });
  return { width: Math.max(0, x - gap.x), height, nodes, links };
}

const moved = ({ x, y }: Point, by: Point): Point => ({ x: x + by.x, y: y + by.y });

/** Lines arrive at the left and leave at the right, at a loop beside its title; they pass straight through a bend. */
function portsOf(box: Box, corner: Point, arrives: boolean, line: number): Point[] {
  const y = corner.y + (box.body ? line : box.height) / 2;
  const right = { x: corner.x + box.width, y };
  if (box.isBend) return [{ x: corner.x, y }, right];
  return [arrives ? { x: corner.x, y } : right];
}
