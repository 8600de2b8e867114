import { useMemo } from 'react';
import { type Tone, ToneShape } from '#console/ui/state.tsx';
import { layoutGraph, type Link, type PlacedNode, type Point } from './graph-layout.ts';
import { wasTaken } from './was-taken.ts';

/** How a node is marked. */
export interface Mark {
  tone: Tone;
  /** The state in words, and how often; read out with the name. */
  text: string;
  /** The branches that it went along; absent where that is not known, such as after a failure. */
  branches?: readonly string[] | undefined;
}

export interface FlowItem {
  path: string;
  name: string;
  mark?: Mark | undefined;
  /** Not to be chosen, such as a trigger. */
  isStatic?: boolean;
}

interface Props {
  /** A node inside a loop has the loop's path before its own: `each/send`. */
  nodes: readonly FlowItem[];
  links: readonly Link[];
  label: string;
  /** The path of the node that is chosen. */
  chosen?: string | undefined;
  choose?: (path: string) => void;
}

/** A workflow as a graph: lines below, and each node as a button, so that keyboard and screen reader have what the mouse has. */
export function FlowGraph({ nodes, links, label, chosen, choose }: Props) {
  const byPath = new Map(nodes.map((node) => [node.path, node]));
  const shape = JSON.stringify([nodes.map(({ path }) => path), links]);
  const layout = useMemo(() => layoutGraph(...(JSON.parse(shape) as [string[], Link[]])), [shape]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls where the graph is larger than the window
    <div className="flow" role="group" aria-label={label} tabIndex={0}>
      <div className="flow-canvas" style={{ width: layout.width, height: layout.height }}>
        <svg width={layout.width} height={layout.height} aria-hidden="true">
          {layout.links.map(({ from, to, branch, points }, index) => (
            <g
              key={index}
              className={`flow-link${wasTaken(byPath.get(from)?.mark, byPath.get(to)?.mark, branch) ? ' is-taken' : ''}`}
            >
              <path d={lineThrough(points)} />
              {branch !== null && branch !== 'default' && <Branch name={branch} at={points.slice(0, 2)} />}
            </g>
          ))}
        </svg>
        {layout.nodes.map((place) => (
          <FlowNode key={place.path} place={place} node={byPath.get(place.path)} {...{ chosen, choose }} />
        ))}
      </div>
    </div>
  );
}

interface NodeProps extends Pick<Props, 'chosen' | 'choose'> {
  place: PlacedNode;
  node: FlowItem | undefined;
}

function FlowNode({ place, node, chosen, choose }: NodeProps) {
  const mark = node?.mark;
  return (
    <div
      className={`flow-node${place.isLoop ? ' is-loop' : ''}${mark ? ` tone-${mark.tone}` : ''}`}
      style={{ transform: `translate(${place.x}px, ${place.y}px)`, width: place.width, height: place.height }}
    >
      <button
        type="button"
        className="flow-button"
        disabled={!choose || !mark || node.isStatic}
        aria-pressed={chosen === place.path}
        title={node?.name}
        onClick={() => choose?.(place.path)}
      >
        <span className="flow-name">{node?.name}</span>
        {mark && (
          <span className="flow-mark">
            <ToneShape tone={mark.tone} />
            {mark.text}
          </span>
        )}
      </button>
    </div>
  );
}

function Branch({ name, at: [from, to] }: { name: string; at: readonly Point[] }) {
  if (!from || !to) return null;
  return (
    <text x={from.x + (to.x - from.x) * 0.5} y={(from.y + to.y) / 2 + 4} textAnchor="middle">
      {name}
    </text>
  );
}

/** A line that leaves and arrives level, through each of its points. */
const lineThrough = (points: readonly Point[]): string =>
  points
    .map(({ x, y }, index) => {
      const before = points[index - 1];
      if (!before) return `M${x} ${y}`;
      const middle = (before.x + x) / 2;
      return `C${middle} ${before.y} ${middle} ${y} ${x} ${y}`;
    })
    .join('');
