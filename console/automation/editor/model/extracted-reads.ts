import { type Graph, idOf, loopOf, type NodeUnit } from './graph.ts';
import { member, nodeRead, replaceExpressions, replaceReads } from './references.ts';

/** Why nodes cannot become a workflow of their own. */
export type Obstacle =
  /** An expression reads the scope in a way that cannot be followed. */
  | { kind: 'expression'; path: string; field: string; source: string }
  /** The node answers the caller, or joins what comes from both sides, or leads back into the selection, or may not be reached. */
  | { kind: 'responds' | 'joins' | 'merges' | 'between' | 'branches' | 'starts'; path: string };

/** What the expressions read across the border of the nodes. */
export class ExtractedReads {
  /** Ids of nodes of the selection whose outputs others read. */
  readonly results = new Set<string>();
  /** The members of the payload, by what they hold. */
  readonly #members = new Map<string, string>();
  readonly #graph: Graph;
  readonly #loop: string;
  readonly #isOwn: (path: string) => boolean;

  constructor(graph: Graph, loop: string, isOwn: (path: string) => boolean) {
    this.#graph = graph;
    this.#loop = loop;
    this.#isOwn = isOwn;
  }

  /** A node of the selection that reads the payload of the new workflow in place of what is outside. */
  inward(path: string, unit: NodeUnit, obstacles: Obstacle[]): NodeUnit {
    return replaceExpressions(unit, (source, field) => {
      const isOfLoop = this.#loop !== '' && loopOf(path) === this.#loop && !hasOwnItem(unit, field);
      // Within a path, `item` is a member of what the path is at.
      if (readsOther(source) || (isOfLoop && readsItem(source) && /[{[(]/.test(source))) {
        obstacles.push({ kind: 'expression', path, field, source: source.trim() });
        return source;
      }
      return replaceReads(source, ({ id, name }) => {
        if (id !== undefined) {
          const found = nodeRead(this.#graph, path, id);
          return found === undefined || this.#isOwn(found) ? undefined : this.#input(name, id);
        }
        const isItem = name === 'item' || name === 'index';
        return isItem && !isOfLoop ? undefined : this.#input(name, name.replace('.', '_').replace(/^trigger_/, ''));
      });
    });
  }

  /** A node outside that reads the result of the sub-workflow in place of the nodes; the same one where it reads none. */
  outward(path: string, unit: NodeUnit, target: string, obstacles: Obstacle[]): NodeUnit {
    let isChanged = false;
    const next = replaceExpressions(unit, (source, field) => {
      if (readsOther(source)) obstacles.push({ kind: 'expression', path, field, source: source.trim() });
      return replaceReads(source, ({ id }) => {
        const found = id === undefined ? undefined : nodeRead(this.#graph, path, id);
        if (id === undefined || found === undefined || !this.#isOwn(found)) return undefined;
        isChanged = true;
        this.results.add(id);
        return `nodes.${idOf(target)}.outputs.result.${member(id)}`;
      });
    });
    return isChanged ? next : unit;
  }

  inputs = (): Record<string, string> =>
    Object.fromEntries([...this.#members].map(([name, input]) => [input, `{{ ${name} }}`]));

  #input(name: string, wanted: string): string {
    const plain = wanted.replaceAll(/\W/g, '_').replace(/^(?=\d)/, '_');
    const taken = new Set(this.#members.values());
    let input = this.#members.get(name) ?? plain;
    for (let number = 2; !this.#members.has(name) && taken.has(input); number += 1) input = `${plain}_${number}`;
    this.#members.set(name, input);
    return `trigger.payload.${input}`;
  }
}

const hasOwnItem = ({ node }: NodeUnit, field: string): boolean => node === 'core:filter' && field === 'condition';

/** Whether an expression reads the scope otherwise than by the names of its parts: as a whole, or by computed names. */
function readsOther(source: string): boolean {
  const rest = replaceReads(source, () => '_').replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '_');
  return /(?<![.\w`])\$?(?:nodes|trigger|run)\b|\$\$|\$eval\b/.test(rest);
}

function readsItem(source: string): boolean {
  let isRead = false;
  replaceReads(source, ({ name }) => {
    isRead ||= name === 'item' || name === 'index';
    return undefined;
  });
  return isRead;
}
