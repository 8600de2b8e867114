import { type Graph, isObject, joinPath, type Json, loopOf, nodeAt } from './graph.ts';

/** Fields whose text is an expression also without braces. */
const bareFields: Readonly<Record<string, readonly string[]>> = {
  'core:if': ['condition'],
  'core:filter': ['condition'],
};

/** Replaces the sources of expressions in a text with `{{ }}`. */
export function replaceInText(text: string, replace: (source: string) => string): string {
  let replaced = '';
  let at = 0;
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', at)) {
    const end = text[open - 1] === '\\' ? open : findEnd(text, open + 2);
    const source = text.slice(open + 2, end);
    replaced += text.slice(at, open + 2) + (end > open + 2 ? replace(source) : source);
    at = Math.max(open + 2, end);
  }
  return replaced + text.slice(at);
}

/** The offset of the braces that close an expression: those of objects and strings in it do not. */
export function findEnd(text: string, start: number): number {
  let depth = 0;
  for (const { 0: token, index } of text.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|[{}]/g)) {
    if (token === '{') depth += 1;
    else if (token === '}' && depth > 0) depth -= 1;
    else if (token === '}') return start + index;
  }
  return text.length;
}

/** A value in whose texts every expression is replaced. */
export function replaceInValue(value: unknown, replace: (source: string) => string): unknown {
  if (typeof value === 'string') return replaceInText(value, replace);
  if (Array.isArray(value)) return value.map((item) => replaceInValue(item, replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaceInValue(member, replace)]));
}

/** Fields whose text is code, in which braces begin no expression. */
const codeFields: Readonly<Record<string, readonly string[]>> = { 'core:code': ['code'], 'core:sql': ['statement'] };

/** A node in whose config every expression is replaced; `field` is the one that holds it. */
export function replaceExpressions<Unit extends Json>(
  unit: Unit,
  replace: (source: string, field: string) => string,
): Unit {
  const bare = bareFields[String(unit['node'])] ?? [];
  const code = codeFields[String(unit['node'])] ?? [];
  const config = isObject(unit['config']) ? unit['config'] : {};
  const replaced = Object.entries(config).map(([field, value]) => {
    if (code.includes(field)) return [field, value] as const;
    const isBare = bare.includes(field) && typeof value === 'string' && !value.includes('{{');
    return [field, isBare ? replace(value, field) : replaceInValue(value, (source) => replace(source, field))] as const;
  });
  return { ...unit, config: Object.fromEntries(replaced) };
}

/** A name of the scope that an expression reads. */
export interface Read {
  /** The id of the node whose outputs are read. */
  id?: string;
  /** As it is written without a `$`: `nodes.get.outputs`, `trigger.payload`. */
  name: string;
}

/** Strings, reads of outputs, whose ids need no quotes for dashes, and the rest of the scope but secrets. */
const reads =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<![.\w`])(\$?)(nodes\.(?:`([^`]{1,64})`|([A-Za-z0-9_-]{1,64}))\.outputs|trigger\.(?:payload|type|handle)|run\.(?:id|started_at)|item|index)(?!\w)/g;

/** An expression in which reads of the scope are replaced; undefined leaves one as it is. */
export const replaceReads = (source: string, replace: (read: Read) => string | undefined): string =>
  source.replaceAll(reads, (text: string, dollar?: string, name?: string, quoted?: string, plain?: string) => {
    if (dollar === undefined || name === undefined) return text;
    const id = quoted ?? plain;
    const to = replace({ name, ...(id !== undefined && { id }) });
    return to === undefined ? text : dollar + to;
  });

/** A node's id as a member of a path. */
export const member = (id: string): string => (/^[A-Za-z_]\w*$/.test(id) ? id : `\`${id}\``);

/** A node whose expressions read the outputs of other nodes: `rename` gives the new id for one that is read, or undefined. */
export const renameInExpressions = <Unit extends Json>(unit: Unit, rename: (id: string) => string | undefined): Unit =>
  renameInCode(
    replaceExpressions(unit, (source) =>
      replaceReads(source, ({ id }) => {
        const to = id === undefined ? undefined : rename(id);
        return to === undefined ? undefined : `nodes.${to}.outputs`;
      }),
    ),
    rename,
  );

/** Reads of outputs in TypeScript: `nodes.get.outputs`, `nodes['get-it']?.outputs`. */
const codeReads = /(?<![.\w$])nodes(?:\.([A-Za-z_$][\w$]*)|\[(["'])([^"'\]]{1,64})\2\])(?=\??\.outputs\b)/g;

function renameInCode<Unit extends Json>(unit: Unit, rename: (id: string) => string | undefined): Unit {
  const config = unit['config'];
  if (unit['node'] !== 'core:code' || !isObject(config) || typeof config['code'] !== 'string') return unit;
  const code = config['code'].replaceAll(
    codeReads,
    (text: string, plain?: string, _quote?: string, quoted?: string) => {
      const to = rename(plain ?? quoted ?? '');
      if (to === undefined) return text;
      return /^[A-Za-z_]\w*$/.test(to) ? `nodes.${to}` : `nodes[${JSON.stringify(to)}]`;
    },
  );
  return { ...unit, config: { ...config, code } };
}

/** The ids of the nodes whose outputs a node's expressions read. */
export function idsRead(unit: Json): Set<string> {
  const ids = new Set<string>();
  renameInExpressions(unit, (id) => void ids.add(id));
  return ids;
}

/** The node that an expression of the node at `path` reads by an id: the one in the nearest of the loops around it. */
export function nodeRead(graph: Graph, path: string, id: string): string | undefined {
  for (let loop = loopOf(path); ; loop = loopOf(loop)) {
    const found = joinPath(loop, id);
    if (nodeAt(graph, found)) return found;
    if (loop === '') return undefined;
  }
}
